"""Keys of `.github/assay.yml`, with default and description.

Keys are documented in camel case (`timeoutSeconds`); `timeout_seconds` is accepted too. Unknown keys are errors.
The models are frozen: one configuration per validation.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from assay.validators.configuration.field_types import (
    check_glob,
    check_handle,
    check_inside,
    check_reference,
    check_regex,
    in_order,
    repeated,
)
from assay.validators.report.model import Gate, RiskLevel, Severity, ToolKind

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(check_glob)]
Pattern = Annotated[Text, AfterValidator(check_regex)]
Inside = Annotated[Text, AfterValidator(check_inside)]
Reference = Annotated[Text, AfterValidator(check_reference)]
Mention = Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(check_handle)]
Seconds = Annotated[int, Field(ge=1, le=24 * 3600)]


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


class Section(BaseModel):
    """Section of the configuration."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )


class Command(Section):
    """Command of Tier 1 with options that a plain string cannot hold."""

    run: Text = Field(description="The command line; `|`, `&&` and a leading `VAR=x` go through bash -o pipefail.")
    name: Text | None = Field(None, description="What the report calls it; default: its first word.")
    kind: ToolKind | None = Field(
        None, description="build, test, lint, format, types or sast; default: guessed from the words."
    )
    gate: Gate | None = Field(None, description="strict, regression_only or informational; default: tier1.gate.")
    directory: Inside = Field(".", description="Where it runs, relative to the repository.")
    timeout_seconds: Seconds | None = Field(None, description="Its own time limit, inside the tier's.")


class Scanners(Section):
    """The scanners that execute nothing of the repository; they run on an export of the changed files."""

    semgrep: bool = Field(True, description="Assay's own rules and the base's .semgrep/.")
    bandit: bool = Field(True, description="bandit on changed Python files.")
    zizmor: bool = Field(True, description="zizmor on changed workflows and actions.")
    squawk: bool = Field(True, description="squawk on changed SQL migrations.")


class Tier1(Section):
    """Tools: the repository's own commands, and scanners."""

    enabled: bool = Field(True, description="Whether the tier runs.")
    commands: tuple[Text | Command, ...] | None = Field(None, description="Override the discovered commands.")
    setup: Literal["auto", "none"] | tuple[Text, ...] = Field(
        "auto",
        description="How a tree is prepared: found from lock files and manifests, not at all, or these commands.",
    )
    gate: Gate = Field(Gate.regression_only, description="When a failing command fails the change.")
    timeout_seconds: Seconds = Field(300, description="For the whole tier, after the trees are prepared.")
    setup_timeout_seconds: Seconds = Field(600, description="For preparing one tree.")
    changed_tests: bool = Field(True, description="Run the base's version of edited tests on the head too.")
    sandbox: Sandbox = Field(Sandbox.auto, description="Run commands in bubblewrap: auto, required or off.")
    network: bool = Field(True, description="Whether commands may use the network; false needs the sandbox.")
    coverage: tuple[Glob, ...] = Field((), description="Places of coverage files, besides the usual ones.")
    scanners: Scanners = Field(default_factory=Scanners, description="Which scanners run.")
    require_tests: bool | None = Field(
        None, description="Whether changed source needs test results where the base has tests; null: in enforce mode."
    )


LEARNED_RULES_FILE = ".assay/learned-rules.yml"
"""Default file of the learned rules; `tier2.learnedRules` overrides it."""


class CustomRule(Section):
    """Rule of this repository: a text for the model's review, a pattern, or a semgrep or ast-grep file."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,79}$")] = Field(
        description="Its name in reports."
    )
    message: Text = Field(description="Message of its findings; for a text rule, the rule itself.")
    severity: Severity = Field(Severity.warning, description="info, warning or error.")
    paths: tuple[Glob, ...] = Field(("**",), description="Where it holds.")
    forbid: Pattern | None = Field(None, description="A regular expression no added line may match.")
    require: Pattern | None = Field(None, description="A regular expression every changed file must match somewhere.")
    semgrep: Inside | None = Field(None, description="A semgrep rule file in the repository (the base's).")
    ast_grep: Inside | None = Field(None, description="An ast-grep rule file in the repository (the base's).")
    suggestion: Text | None = Field(None, description="What to do instead.")


class ComplexityLimits(Section):
    """Limits above which a function is complex."""

    cyclomatic: Annotated[int, Field(ge=1)] = Field(10, description="McCabe's number of independent paths.")
    cognitive: Annotated[int, Field(ge=1)] = Field(15, description="Cognitive complexity.")
    nesting: Annotated[int, Field(ge=1)] = Field(4, description="Depth of nested control flow.")


class DuplicationLimits(Section):
    """Minimum size of a duplicate."""

    min_lines: Annotated[int, Field(ge=3)] = Field(8, description="Shared lines.")
    min_tokens: Annotated[int, Field(ge=10)] = Field(70, description="Shared tokens.")


class NamingLimits(Section):
    """Minimum evidence for a naming convention."""

    min_samples: Annotated[int, Field(ge=2)] = Field(20, description="Names seen in the base.")
    agreement: Annotated[float, Field(gt=0.5, le=1)] = Field(0.85, description="Share of them that agree.")


class Tier2(Section):
    """Quality: what linters do not see in the diff."""

    enabled: bool = Field(True, description="Whether the tier runs.")
    blocking_severity: Literal[Severity.error, Severity.warning] = Field(
        Severity.error, description="Findings of this severity and above block; the rest is advice."
    )
    custom_rules: tuple[Text | CustomRule, ...] = Field((), description="Rules of this repository.")
    learned_rules: Inside = Field(
        LEARNED_RULES_FILE, description="File of the base with rules learned from reviews; it may be missing."
    )
    timeout_seconds: Seconds = Field(120, description="For the whole tier.")
    severities: dict[str, Severity | Literal["off"]] = Field(
        default_factory=dict, description="Rule name -> its severity here, or off."
    )
    complexity: ComplexityLimits = Field(default_factory=ComplexityLimits, description="Limits of complexity.")
    duplication: DuplicationLimits = Field(default_factory=DuplicationLimits, description="Limits of duplication.")
    naming: NamingLimits = Field(default_factory=NamingLimits, description="When a convention counts.")

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Self:
        twice = repeated(rule.id for rule in self.custom_rules if isinstance(rule, CustomRule))
        if twice:
            raise ValueError(f"two rules in `customRules` are called {', '.join(twice)}")
        return self


class SurfaceLimits(Section):
    """Added source lines (no tests, docs, lock, generated or vendored files)."""

    medium: Annotated[int, Field(ge=1)] = Field(50, description="From here on medium.")
    high: Annotated[int, Field(ge=1)] = Field(400, description="From here on high.")

    @model_validator(mode="after")
    def _rises(self) -> Self:
        in_order(self.medium, self.high, f"`medium` ({self.medium}) is greater than `high` ({self.high})")
        return self


class DependentLimits(Section):
    """Files that use a changed symbol, or import a changed file directly."""

    medium: Annotated[int, Field(ge=1)] = Field(5, description="From here on medium.")
    high: Annotated[int, Field(ge=1)] = Field(
        20, description="From here on high, if above the tree's own 95th percentile of fan-in too."
    )

    @model_validator(mode="after")
    def _rises(self) -> Self:
        in_order(self.medium, self.high, f"`medium` ({self.medium}) is greater than `high` ({self.high})")
        return self


class CoverageLimits(Section):
    """Share of changed lines that tests run, in percent."""

    medium: Annotated[float, Field(ge=0, le=100)] = Field(80, description="Below it medium.")
    high: Annotated[float, Field(ge=0, le=100)] = Field(50, description="Below it high.")
    min_lines: Annotated[int, Field(ge=0)] = Field(20, description="With fewer changed lines coverage says nothing.")

    @model_validator(mode="after")
    def _falls(self) -> Self:
        in_order(
            self.high,
            self.medium,
            f"`high` ({self.high:g}) is greater than `medium` ({self.medium:g}): lower coverage is worse",
        )
        return self


class Paths(Section):
    """Paths of this repository with a policy, in addition to the built-in ones."""

    security_sensitive: tuple[Glob, ...] = Field((), description="Code that guards something.")
    shared_infrastructure: tuple[Glob, ...] = Field((), description="Code or settings everything stands on.")
    schemas: tuple[Glob, ...] = Field((), description="Migrations and schema definitions.")
    public_api: tuple[Glob, ...] = Field(
        (), description="Where the public interface lives; default: found by convention."
    )


class UnknownIs(StrEnum):
    """Effect of unknown dependents or interfaces of changed source, apart from the note in the report."""

    note = "note"
    medium = "medium"
    hold = "hold"


class Tier3(Section):
    """Risk: what the change can break."""

    enabled: bool = Field(True, description="Whether the tier runs.")
    risk_threshold_for_hold: Literal[RiskLevel.high, RiskLevel.critical] = Field(
        RiskLevel.critical, description="Level from which a change requires approval."
    )
    timeout_seconds: Seconds = Field(120, description="For the whole tier.")
    policy: Policy = Field(Policy.narrow, description="narrow or seed; see docs/configuration.md.")
    unknown: UnknownIs = Field(UnknownIs.note, description="Effect of unknown answers: note, medium or hold.")
    surface: SurfaceLimits = Field(default_factory=SurfaceLimits, description="Limits of size.")
    dependents: DependentLimits = Field(default_factory=DependentLimits, description="Limits of the blast radius.")
    coverage: CoverageLimits = Field(default_factory=CoverageLimits, description="Limits of coverage.")
    paths: Paths = Field(default_factory=Paths, description="Places with a policy.")
    signals: dict[str, bool] = Field(default_factory=dict, description="Signal name -> whether it counts.")


class Comments(StrEnum):
    """Findings the App writes next to their lines: blocking ones, all, or none."""

    blocking = "blocking"
    all = "all"
    none = "none"


class HandBack(StrEnum):
    """When the App returns findings to the agent: automatically, on a button, or never."""

    auto = "auto"
    button = "button"
    off = "off"


class Agent(Section):
    """Coding agent of this repository; its key is its name in reports."""

    mention: Mention = Field(description="Account to mention when findings are returned, as in @claude.")


class RepeatAlerts(StrEnum):
    """Answer to a comment that repeats one from earlier pull requests: a reply with evidence, or none."""

    reply = "reply"
    none = "none"


class Learning(Section):
    """Rules learned from review comments, and repeated mistakes."""

    enabled: bool = Field(True, description="Whether the App learns rules from review comments.")
    quorum_reviewers: Annotated[int, Field(ge=2, le=20)] = Field(
        2, description="People with write permission who must say a rule before it is confirmed without a maintainer."
    )
    quorum_pulls: Annotated[int, Field(ge=2, le=20)] = Field(
        2, description="Pull requests on which it must have been said by then."
    )
    threshold: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="Similarity from which two comments are equal; default: as measured for the embedding."
    )
    repeat_alerts: RepeatAlerts = Field(
        RepeatAlerts.reply, description="Answer to a repeated mistake: reply in the thread, or none."
    )
    repeat_after: Annotated[int, Field(ge=1, le=20)] = Field(
        1, description="On how many earlier pull requests it must have been said to be called a repeat."
    )
    notify_after: Annotated[int, Field(ge=1, le=1000)] = Field(
        3, description="Repeats of a mistake before the operator's channels are notified."
    )
    pending_days: Annotated[int, Field(ge=1, le=365)] = Field(
        30, description="Days after which an unconfirmed rule expires."
    )
    confirmed_days: Annotated[int, Field(ge=1, le=3650)] = Field(
        365, description="Days after which a confirmed rule that no comment repeats expires."
    )
    agents_md: bool = Field(
        False, description="Whether the App keeps a block of confirmed rules in AGENTS.md, by separate pull requests."
    )


class Override(Section):
    """Limits for some paths of a monorepo."""

    paths: tuple[Glob, ...] = Field(min_length=1, description="Paths it applies to; a later override wins.")
    complexity: ComplexityLimits | None = Field(None, description="Instead of tier2.complexity.")
    severities: dict[str, Severity | Literal["off"]] = Field(
        default_factory=dict, description="Added to tier2.severities."
    )


class ValidationConfig(Section):
    """Whole configuration. `ValidationConfig()` holds the defaults."""

    tier1: Tier1 = Field(default_factory=Tier1, description="Tools.")
    tier2: Tier2 = Field(default_factory=Tier2, description="Quality.")
    tier3: Tier3 = Field(default_factory=Tier3, description="Risk.")
    max_fix_cycles_per_tier: Annotated[int, Field(ge=0, le=10)] = Field(
        2, description="How often a failing tier is returned to be fixed."
    )
    hand_back: HandBack = Field(
        HandBack.button, description="When the App returns findings to the agent: auto, button or off."
    )
    agents: dict[str, Agent] = Field(
        default_factory=dict, description="An agent's name in reports -> its settings for returning findings."
    )
    comments: Comments = Field(
        Comments.blocking, description="Findings the App writes next to their lines: blocking, all or none."
    )
    learning: Learning = Field(default_factory=Learning, description="What the App learns from review comments.")
    mode: Mode = Field(Mode.advisory, description="advisory or enforce.")
    fail_on: FailOn = Field(
        FailOn.hold, description="Which verdicts give a non-zero exit code: failure, hold or never."
    )
    extends: Reference | None = Field(
        None, description="owner/repo@ref:path of a configuration this one builds on (one level)."
    )
    overrides: tuple[Override, ...] = Field((), description="Other limits for some paths.")
    generated: tuple[Glob, ...] = Field(
        (), description="Generated files: left out of size, complexity and duplication."
    )
    vendored: tuple[Glob, ...] = Field(
        (), description="Code copied from elsewhere: left out of size, complexity and duplication."
    )
    unreadable: tuple[Glob, ...] = Field(
        (), description="Source and manifests that may be unreadable: no factor of risk."
    )
    exclude: tuple[Glob, ...] = Field((), description="Paths no tier checks (they are listed as not checked).")
