"""Keys of `.github/assay.yml`, with default and description; unknown keys are errors, values are frozen."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from assay.validators.configuration.field_types import (
    Glob,
    Inside,
    InstructionFile,
    Mention,
    Pattern,
    Reference,
    RepositoryPattern,
    Seconds,
    Section,
    Text,
    check_distinct,
    repeated,
)
from assay.validators.report.model import Gate, RiskLevel, Severity, ToolKind


class Mode(StrEnum):
    """Whether a bad verdict blocks (`enforce`) or is only reported (`advisory`)."""

    advisory = "advisory"
    enforce = "enforce"


class FailOn(StrEnum):
    """Which verdicts give a non-zero exit code: a failure, a failure or a hold, or none."""

    failure = "failure"
    hold = "hold"
    never = "never"


class Policy(StrEnum):
    """Reading of the risk level table: `narrow` counts breaking, destructive or widening changes, `seed` is literal."""

    narrow = "narrow"
    seed = "seed"


class Sandbox(StrEnum):
    """Whether Tier 1 commands run inside bubblewrap: where it is installed, always, or never."""

    auto = "auto"
    required = "required"
    off = "off"


class Entry(Section):
    """Entry of a list, which is written out without the keys that have their default."""

    @model_serializer(mode="wrap")
    def _short(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields.items()
        unset = {key for name, field in fields if getattr(self, name) == field.default for key in (name, field.alias)}
        return {name: value for name, value in write(self).items() if name not in unset}


class Command(Entry):
    """Command of Tier 1 with options that a plain string cannot hold."""

    run: Text
    """The command line; `|`, `&&` and a leading `VAR=x` go through bash -o pipefail."""
    name: Text | None = None
    """What the report calls it; default: its first word."""
    kind: ToolKind | None = None
    """build, test, lint, format, types or sast; default: guessed from the words."""
    gate: Gate | None = None
    """strict, regression_only or informational; default: tier1.gate."""
    directory: Inside = "."
    """Where it runs, relative to the repository."""
    timeout_seconds: Seconds | None = None
    """Its own time limit, inside the tier's."""


class Scanner(StrEnum):
    """Scanner of Tier 1: of source, of Python, of workflows, of SQL migrations."""

    semgrep = "semgrep"
    bandit = "bandit"
    zizmor = "zizmor"
    squawk = "squawk"


class Tier1(Section):
    """Tools: the repository's own commands, and scanners."""

    enabled: bool = True
    """Whether the tier runs."""
    commands: tuple[Text | Command, ...] | None = None
    """Override the discovered commands."""
    setup: Literal["auto", "none"] | tuple[Text, ...] = "auto"
    """How a tree is prepared: found from lock files and manifests, not at all, or these commands."""
    gate: Gate = Gate.regression_only
    """When a failing command fails the change."""
    tests: Literal["all", "affected", "affected-first"] = "all"
    """Which tests run: all, those that the change affects, or these first."""
    flaky: Literal["note", "block"] = "note"
    """What a test does that fails only in some runs: note or block."""
    timeout_seconds: Seconds = 300
    """For the whole tier, after the trees are prepared."""
    sandbox: Sandbox = Sandbox.auto
    """Run commands in bubblewrap: auto, required or off."""
    network: bool = True
    """Whether commands may use the network; false needs the sandbox."""
    scanners: Annotated[tuple[Scanner, ...], AfterValidator(check_distinct)] = tuple(Scanner)
    """Scanners that run: they execute nothing of the repository, and read an export of the changed files."""
    require_tests: bool | None = None
    """Whether changed source needs test results where the base has tests; null: in enforce mode."""
    test_checks: tuple[Text, ...] = ()
    """Checks of the head on GitHub that count as tests, by name; `*` and `?` as in a shell."""


LEARNED_RULES_FILE = ".assay/learned-rules.yml"
"""Default file of the learned rules; `tier2.learnedRules` overrides it."""


class CustomRule(Entry):
    """Rule of this repository: a text for the model's review, a pattern, or a semgrep or ast-grep file."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,79}$")]
    """Its name in reports."""
    message: Text
    """Message of its findings; for a rule in words, the rule itself."""
    severity: Severity = Severity.warning
    """info, warning or error."""
    paths: tuple[Glob, ...] = ("**",)
    """Where it holds."""
    forbid: Pattern | None = None
    """A regular expression no added line may match."""
    require: Pattern | None = None
    """A regular expression every changed file must match somewhere."""
    semgrep: Inside | None = None
    """A semgrep rule file in the repository (the base's)."""
    ast_grep: Inside | None = None
    """An ast-grep rule file in the repository (the base's)."""
    suggestion: Text | None = None
    """What to do instead."""


class ComplexityLimits(Section):
    """Limits above which a function is complex."""

    cyclomatic: Annotated[int, Field(ge=1)] = 10
    """McCabe's number of independent paths."""
    cognitive: Annotated[int, Field(ge=1)] = 15
    """Cognitive complexity."""
    nesting: Annotated[int, Field(ge=1)] = 4
    """Depth of nested control flow."""


Dollars = Annotated[float, Field(gt=0, le=1000)]


class Review(Section):
    """Review of the change by a language model; it needs a model and its key."""

    enabled: bool = True
    """Whether a model reviews the change where one is configured."""
    demonstrate: bool = False
    """Whether tests that the model writes are run to demonstrate its findings, where Tier 1 runs commands."""
    max_usd: Dollars = 1.0
    """Budget of one review in US dollars; a pull request has three times, a calendar month a hundred times as much."""


class Tier2(Section):
    """Quality: what linters do not see in the diff."""

    enabled: bool = True
    """Whether the tier runs."""
    blocking_severity: Literal[Severity.error, Severity.warning] = Severity.error
    """Findings of this severity and above block; the rest is advice."""
    custom_rules: tuple[Text | CustomRule, ...] = ()
    """Rules of this repository."""
    learned_rules: Inside = LEARNED_RULES_FILE
    """File of the base with rules learned from reviews; it may be missing."""
    review: Review = Field(default_factory=Review)
    """Review by a language model."""
    timeout_seconds: Seconds = 120
    """For the whole tier."""
    severities: dict[str, Severity | Literal["off"]] = Field(default_factory=dict)
    """Rule name -> its severity here, or off."""
    complexity: ComplexityLimits = Field(default_factory=ComplexityLimits)
    """Limits of complexity."""

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Self:
        twice = repeated(rule.id for rule in self.custom_rules if isinstance(rule, CustomRule))
        if twice:
            raise ValueError(f"two rules in `customRules` are called {', '.join(twice)}")
        return self


class CoverageLimits(Section):
    """Share of changed lines that tests run, in percent."""

    medium: Annotated[float, Field(ge=0, le=100)] = 80
    """Below it a fact; medium with `policy: seed`."""
    high: Annotated[float, Field(ge=0, le=100)] = 50
    """Below it high with `policy: seed`."""

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if self.high > self.medium:
            names = f"`high` ({self.high:g}) is greater than `medium` ({self.medium:g})"
            raise ValueError(f"{names}: lower coverage is worse")
        return self


class Paths(Section):
    """Paths of this repository with a policy, in addition to the built-in ones."""

    security_sensitive: tuple[Glob, ...] = ()
    """Code that guards something."""
    shared_infrastructure: tuple[Glob, ...] = ()
    """Code or settings everything stands on."""
    schemas: tuple[Glob, ...] = ()
    """Migrations and schema definitions."""
    public_api: tuple[Glob, ...] = ()
    """Where the public interface lives; default: found by convention."""


class HoldOn(StrEnum):
    """What holds a change: a policy floor, or the level as a whole at the threshold; or also an unknown answer."""

    policy = "policy"
    level = "level"
    unknown = "unknown"


class Tier3(Section):
    """Risk: what the change can break."""

    enabled: bool = True
    """Whether the tier runs."""
    risk_threshold_for_hold: Literal[RiskLevel.high, RiskLevel.critical] = RiskLevel.critical
    """Level from which a change requires approval."""
    hold_on: HoldOn = HoldOn.policy
    """policy: only floors hold a change; level: likelihood too; unknown: unknown dependents and interfaces too."""
    timeout_seconds: Seconds = 120
    """For the whole tier."""
    policy: Policy = Policy.narrow
    """narrow or seed; see docs/configuration.md."""
    coverage: CoverageLimits = Field(default_factory=CoverageLimits)
    """Limits of coverage."""
    paths: Paths = Field(default_factory=Paths)
    """Places with a policy."""
    signals: dict[str, bool] = Field(default_factory=dict)
    """Signal name -> whether it counts."""


class Comments(StrEnum):
    """Findings the App writes next to their lines: blocking ones, all, or none."""

    blocking = "blocking"
    all = "all"
    none = "none"


class HandBack(StrEnum):
    """When the App returns findings to the agent.

    `trusted`: automatically to agents that the operator trusts, on a button to others; `auto`: automatically to all.
    """

    trusted = "trusted"
    auto = "auto"
    button = "button"
    off = "off"


class Agent(Section):
    """Coding agent of this repository; its key is its name in reports."""

    mention: Mention
    """Account to mention when findings are returned, as in @claude."""


class Licences(Section):
    """SPDX identifiers of licences; of `A OR B` one has to be allowed, of `A AND B` each."""

    allow: tuple[Text, ...] = ()
    """The only licences allowed; empty: all but those in `deny`."""
    deny: tuple[Text, ...] = ()
    """Licences not allowed."""


class Dependencies(Section):
    """What new packages and versions must be, by the facts of public registries."""

    offline: bool = False
    """Ask no registry."""
    minimum_age: Annotated[int, Field(ge=0, le=365)] = 7
    """Days since its publication below which a version is a statement, unless it fixes a known vulnerability."""
    licences: Licences = Field(default_factory=Licences)
    """Allowed and denied licences."""
    private: tuple[Text, ...] = ()
    """Names of packages that no registry is asked about; `*` and `?` as in a shell."""


class RepeatAlerts(StrEnum):
    """Answer to a comment that repeats one from earlier pull requests: a reply with evidence, or none."""

    reply = "reply"
    none = "none"


class ConfirmedBy(StrEnum):
    """Who confirms a rule: a maintainer alone, or also a quorum of reviewers."""

    maintainer = "maintainer"
    quorum = "quorum"


class Learning(Section):
    """Rules learned from review comments, and repeated mistakes."""

    enabled: bool = True
    """Whether the App learns rules from review comments."""
    confirmed_by: ConfirmedBy = ConfirmedBy.maintainer
    """Who confirms a rule: a maintainer, or also a quorum of reviewers."""
    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    """Similarity from which two comments are equal; default: as measured for the embedding."""
    repeat_alerts: RepeatAlerts = RepeatAlerts.reply
    """Answer to a repeated mistake: reply in the thread, or none."""
    instruction_files: Annotated[tuple[InstructionFile, ...], Field(max_length=5), AfterValidator(check_distinct)] = (
        "AGENTS.md",
    )
    """Files in which the App keeps a block of confirmed rules, by separate pull requests; empty: none."""


class ValidationConfig(Section):
    """Whole configuration. `ValidationConfig()` holds the defaults."""

    tier1: Tier1 = Field(default_factory=Tier1)
    """Tools."""
    tier2: Tier2 = Field(default_factory=Tier2)
    """Quality."""
    tier3: Tier3 = Field(default_factory=Tier3)
    """Risk."""
    dependencies: Dependencies = Field(default_factory=Dependencies)
    """What new packages must be."""
    max_fix_cycles_per_tier: Annotated[int, Field(ge=0, le=10)] = 2
    """How often a failing tier is returned to be fixed."""
    hand_back: HandBack = HandBack.trusted
    """When the App returns findings to the agent: trusted, auto, button or off."""
    agents: dict[str, Agent] = Field(default_factory=dict)
    """An agent's name in reports -> its settings for returning findings."""
    comments: Comments = Comments.blocking
    """Findings the App writes next to their lines: blocking, all or none."""
    learning: Learning = Field(default_factory=Learning)
    """What the App learns from review comments."""
    mode: Mode = Mode.advisory
    """advisory or enforce."""
    extends: Reference | None = None
    """owner/repository of the same owner whose configuration this one builds on (one level)."""
    locked: tuple[Text, ...] = ()
    """Keys that repositories which inherit this file may not set to another value."""
    enforce_in: tuple[RepositoryPattern, ...] = ()
    """Repositories among them whose mode is enforce, whatever they set."""
    generated: tuple[Glob, ...] = ()
    """Generated files: left out of size, complexity and duplication."""
    vendored: tuple[Glob, ...] = ()
    """Code copied from elsewhere: left out of size, complexity and duplication."""
    exclude: tuple[Glob, ...] = ()
    """Paths no tier checks (they are listed as not checked)."""
