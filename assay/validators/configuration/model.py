"""Keys of `.github/assay.yml`, with default and description.

Keys are documented in camel case (`timeoutSeconds`); `timeout_seconds` is accepted too. Unknown keys are errors.
The models are frozen: one configuration per validation.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, StringConstraints, model_serializer, model_validator

from assay.validators.configuration.dependencies import Dependencies
from assay.validators.configuration.field_types import (
    Glob,
    Inside,
    Mention,
    Pattern,
    Reference,
    RepositoryPattern,
    Seconds,
    Section,
    Text,
    repeated,
)
from assay.validators.configuration.learning import Learning
from assay.validators.configuration.review import Review
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


class Scanners(Section):
    """The scanners that execute nothing of the repository; they run on an export of the changed files."""

    semgrep: bool = True
    """Assay's own rules and the base's .semgrep/."""
    bandit: bool = True
    """bandit on changed Python files."""
    zizmor: bool = True
    """zizmor on changed workflows and actions."""
    squawk: bool = True
    """squawk on changed SQL migrations."""


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
    timeout_seconds: Seconds = 300
    """For the whole tier, after the trees are prepared."""
    setup_timeout_seconds: Seconds = 600
    """For preparing one tree."""
    changed_tests: bool = True
    """Run the base's version of edited tests on the head too."""
    sandbox: Sandbox = Sandbox.auto
    """Run commands in bubblewrap: auto, required or off."""
    network: bool = True
    """Whether commands may use the network; false needs the sandbox."""
    coverage: tuple[Glob, ...] = ()
    """Places of coverage files, besides the usual ones."""
    scanners: Scanners = Field(default_factory=Scanners)
    """Which scanners run."""
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


class DuplicationLimits(Section):
    """Minimum size of a duplicate."""

    min_lines: Annotated[int, Field(ge=3)] = 8
    """Shared lines."""
    min_tokens: Annotated[int, Field(ge=10)] = 70
    """Shared tokens."""

    @property
    def min_renamed_tokens(self) -> int:
        """Tokens of a duplicate with other names: short ones are similar by chance."""
        return round(self.min_tokens * 1.5)


class NamingLimits(Section):
    """Minimum evidence for a naming convention."""

    min_samples: Annotated[int, Field(ge=2)] = 20
    """Names seen in the base."""
    agreement: Annotated[float, Field(gt=0.5, le=1)] = 0.85
    """Share of them that agree."""


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
    duplication: DuplicationLimits = Field(default_factory=DuplicationLimits)
    """Limits of duplication."""
    naming: NamingLimits = Field(default_factory=NamingLimits)
    """When a convention counts."""

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Self:
        twice = repeated(rule.id for rule in self.custom_rules if isinstance(rule, CustomRule))
        if twice:
            raise ValueError(f"two rules in `customRules` are called {', '.join(twice)}")
        return self


class RisingLimits(Section):
    """Limits of a number; the higher it is, the higher the risk."""

    medium: Annotated[int, Field(ge=1)]
    high: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.medium > self.high:
            raise ValueError(f"`medium` ({self.medium}) is greater than `high` ({self.high})")
        return self


class SurfaceLimits(RisingLimits):
    """Added source lines (no tests, docs, lock, generated or vendored files)."""

    medium: Annotated[int, Field(ge=1)] = 50
    """From here on a fact; medium with `policy: seed`."""
    high: Annotated[int, Field(ge=1)] = 400
    """From here on high with `policy: seed`."""


class DependentLimits(RisingLimits):
    """Files that use a changed symbol, or import a changed file directly."""

    medium: Annotated[int, Field(ge=1)] = 5
    """From here on a fact; with `policy: seed` one user is medium."""
    high: Annotated[int, Field(ge=1)] = 20
    """From here on, if above the tree's own 95th percentile of fan-in too, a shared file; high with `policy: seed`."""


class CoverageLimits(Section):
    """Share of changed lines that tests run, in percent."""

    medium: Annotated[float, Field(ge=0, le=100)] = 80
    """Below it a fact; medium with `policy: seed`."""
    high: Annotated[float, Field(ge=0, le=100)] = 50
    """Below it high with `policy: seed`."""
    min_lines: Annotated[int, Field(ge=0)] = 20
    """With fewer changed lines coverage says nothing."""

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
    """Level that is compared with `riskThresholdForHold`: the policy floor, or the level as a whole."""

    policy = "policy"
    level = "level"


class UnknownIs(StrEnum):
    """Effect of unknown dependents or interfaces of changed source, apart from the note in the report."""

    note = "note"
    medium = "medium"
    hold = "hold"


class Tier3(Section):
    """Risk: what the change can break."""

    enabled: bool = True
    """Whether the tier runs."""
    risk_threshold_for_hold: Literal[RiskLevel.high, RiskLevel.critical] = RiskLevel.critical
    """Level from which a change requires approval."""
    hold_on: HoldOn = HoldOn.policy
    """policy: only floors hold a change; level: likelihood too."""
    timeout_seconds: Seconds = 120
    """For the whole tier."""
    policy: Policy = Policy.narrow
    """narrow or seed; see docs/configuration.md."""
    unknown: UnknownIs = UnknownIs.note
    """Effect of unknown answers: note, medium or hold."""
    surface: SurfaceLimits = Field(default_factory=SurfaceLimits)
    """Limits of size."""
    dependents: DependentLimits = Field(default_factory=DependentLimits)
    """Limits of the blast radius."""
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
    fail_on: FailOn = FailOn.hold
    """Which verdicts give a non-zero exit code: failure, hold or never."""
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
    unreadable: tuple[Glob, ...] = ()
    """Source and manifests that may be unreadable: no factor of risk."""
    exclude: tuple[Glob, ...] = ()
    """Paths no tier checks (they are listed as not checked)."""
