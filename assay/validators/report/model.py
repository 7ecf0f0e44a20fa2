"""Report on a change: findings, tool runs, risk factors and the report that holds them, as plain values.

All formats are rendered from `ValidationReport`; its JSON form is published as a schema.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Self, TypeAlias

from assay.validators.report.annotations import Count, FindingId, Line, Mark, Path, Percentile, Seconds, Sha, Share
from assay.validators.report.dependent import Dependent
from assay.validators.report.likelihood import LikelihoodFactor, ObservedRate, Rollback
from assay.validators.report.review import ModelReview
from assay.validators.report.risk_facts import ApiChange, NewDependency, Surface
from assay.validators.report.unknown import Missing, Unknown
from assay.validators.report.waiver import Waiver

SCHEMA_VERSION = "2.0"
REPORTED = "reported: "
"""Mark before `found_in` of an external result."""
OWN_COMMANDS = "the repository's own commands"
"""`what` of the `not_checked` entry for repository commands that were not run."""
NOT_RUN_HERE = "not run by Assay here"
NOT_REQUESTED = "not requested (--tiers)"
UNTRUSTED_RUN, OWN_CHECKS = "an untrusted run of the pull request", "the repository's own checks"
"""Sources of Tier 1 results, with which `found_in` begins: the change may have written them; checks of the head."""


class _Ordered(StrEnum):
    """Enum whose members rank in definition order."""

    @property
    def rank(self) -> int:
        return list(type(self)).index(self)

    def at_least(self, other: Self) -> bool:
        return self.rank >= other.rank


class Severity(_Ordered):
    """Severity of a finding, ordered info < warning < error."""

    info = "info"
    warning = "warning"
    error = "error"


class RiskLevel(_Ordered):
    """Risk level of a change, ordered low < medium < high < critical."""

    low = "low"
    medium = "medium"
    high = "high"
    critical = "critical"

    @classmethod
    def highest(cls, levels: Iterable[RiskLevel]) -> RiskLevel:
        """Return the highest of the levels, `low` if there are none."""
        return max(levels, key=lambda level: level.rank, default=cls.low)


class Tier(StrEnum):
    """Tier, by the name its findings carry."""

    tools = "tool-validation"
    quality = "code-quality"
    risk = "risk"


class Outcome(StrEnum):
    """Outcome of a command, in the order the cases are tested.

    `infra_failed`: machine failure (memory, disk, a signal); retry. `inert`: the command is unavailable, a
    configuration problem. `skipped`: not run, with a reason.
    """

    infra_failed = "infra_failed"
    inert = "inert"
    timed_out = "timed_out"
    failed = "failed"
    passed = "passed"
    skipped = "skipped"


class ToolKind(StrEnum):
    """Purpose of a command of Tier 1."""

    build = "build"
    test = "test"
    lint = "lint"
    formatting = "format"
    types = "types"
    sast = "sast"


class Gate(StrEnum):
    """Condition under which a failing command blocks.

    `strict`: always. `regression_only`: only where it passed on the base. `informational`: never.
    """

    strict = "strict"
    regression_only = "regression_only"
    informational = "informational"


class Conclusion(StrEnum):
    """Conclusion of the verdict: fault of the change or the configuration, or a check could not run."""

    success = "success"
    failure = "failure"
    action_required = "action_required"
    incomplete = "incomplete"


@dataclass(frozen=True, slots=True)
class NotChecked:
    """Check that was not made, and why; `could_block`: it was cut off, and its findings could have blocked."""

    what: str
    why: str
    could_block: bool = False


FAILED_TESTS = ("test_failed", "test_error")
"""Rules of findings that name a failing test."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One reported issue, at a place in the head tree (1-based lines).

    `context` is the normalised text the finding is about (never its line number): with rule and path it gives
    the finding its id, so the id survives line shifts and pushes. `file` may be "" for the change as a whole.
    `replacement` is set only where the fix is certain: the text that `line` to `end_line` should be instead.
    `is_secret`, in no report: it is about a secret in the source.
    """

    tier: Annotated[Tier, Mark(enum=(Tier.tools, Tier.quality))]
    severity: Severity
    rule: str
    file: Path
    message: str
    line: Line | None = None
    end_line: Line | None = None
    suggestion: str | None = None
    tool: str | None = None
    context: str = ""
    introduced: bool = True
    confidence: Share | None = None
    id: FindingId = ""
    replacement: str | None = None
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a tool; None where it reports none."""

    passed: Count | None = None
    failed: Count | None = None
    skipped: Count | None = None
    errors: Count | None = None
    warnings: Count | None = None


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One command of Tier 1 on the head, and its outcome.

    `gating`: a failure blocks; `base_outcome`: set if the command also ran on the base; `reason`: one line for
    anything but a plain pass; `excerpt`: the relevant lines of its output.
    """

    name: str
    kind: ToolKind
    command: str
    found_in: str
    outcome: Outcome
    gate: Gate
    duration_s: Seconds
    gating: bool = False
    counts: Counts = field(default_factory=Counts)
    exit_code: int | None = None
    base_outcome: Outcome | None = None
    reason: str | None = None
    excerpt: tuple[str, ...] = ()
    directory: Path = "."


@dataclass(frozen=True, slots=True)
class Coverage:
    """Share of the affected lines that tests run; `percent` is None if unknown."""

    percent: Annotated[float, Mark(minimum=0, maximum=100)] | None
    num_lines: Count = 0
    num_covered: Count = 0
    source: str | None = None
    why_unknown: str | None = None


LineCoverage: TypeAlias = Mapping[str, Mapping[int, bool]]
"""Per repository-relative path: line number -> whether a test ran it (lines that hold no code are absent)."""

LineContexts: TypeAlias = Mapping[str, Mapping[int, Collection[str]]]
"""Per path: line -> the test files whose tests ran it; "" stands for what ran outside any test, as on import."""


@dataclass(frozen=True, slots=True)
class ToolsResult:
    """Result of Tier 1: runs, findings and coverage.

    `num_existing`: findings the base has already; `passed_files`: test files of which tests ran and none failed, where
    the runner names them; `reported_by`: source of an external result; `checks`: those of the head, and their ends.
    """

    runs: tuple[ToolRun, ...] = ()
    findings: tuple[Finding, ...] = ()
    line_coverage: LineCoverage | None = None
    line_contexts: LineContexts | None = None
    coverage_source: str | None = None
    timed_out: bool = False
    num_fix_cycles: Count = 0
    not_checked: tuple[NotChecked, ...] = ()
    num_existing: Count = 0
    passed_files: tuple[Path, ...] = ()
    sandbox: str | None = None
    reported_by: str | None = None
    unknown: tuple[Unknown, ...] = ()
    checks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QualityResult:
    """Result of Tier 2: the findings the change introduces; `num_existing` counts those of the base."""

    findings: tuple[Finding, ...] = ()
    num_existing: Count = 0
    timed_out: bool = False
    num_fix_cycles: Count = 0
    not_checked: tuple[NotChecked, ...] = ()
    unknown: tuple[Unknown, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence of a risk factor: a place and its text."""

    text: str
    file: Annotated[str, Mark(is_path=True, is_null_if_empty=True)] | None = None
    line: Line | None = None


MODEL = "model"
"""Signal of the risk factors of a language model."""


@dataclass(frozen=True, slots=True)
class RiskFactor:
    """Measured value of a signal, its threshold, and what would lower it.

    `level` is None for a fact without a level; else a policy floor, or a level from the configuration.
    """

    signal: str
    level: RiskLevel | None
    reason: str
    value: float | str | None = None
    threshold: float | str | None = None
    evidence: tuple[Evidence, ...] = ()
    would_lower: str | None = None


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Likelihood that the change will need a fix within a year.

    `percentile` is that of its score, 0 to 100, among `num_compared` past changes of this repository; 0 means that
    shipped quantiles were used. `basis` "size" compares added source lines alone.
    """

    level: RiskLevel
    percentile: Percentile
    basis: Annotated[str, Mark(enum=("model", "size"))]
    num_compared: Count
    factors: tuple[LikelihoodFactor, ...] = ()
    rate: ObservedRate | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class RiskAssessment:
    """Result of Tier 3: the level, likelihood, risk factors and the blast radius.

    `level` is the higher of likelihood and policy floor, or a level to which the model's assessment raised it;
    `set_by` names the one that set it, both of the first if equal, none if low.
    """

    level: RiskLevel = RiskLevel.low
    set_by: tuple[Annotated[str, Mark(enum=("likelihood", "policy", MODEL))], ...] = ()
    likelihood: Likelihood | None = None
    rollback: Rollback | None = None
    factors: tuple[RiskFactor, ...] = ()
    surface: Surface = field(default_factory=Surface)
    dependents: tuple[Dependent, ...] = ()
    num_dependents_total: Count = 0
    api_changes: tuple[ApiChange, ...] = ()
    new_dependencies: tuple[NewDependency, ...] = ()
    coverage: Coverage = field(default_factory=lambda: Coverage(None, why_unknown="no coverage data was given"))
    policy: Annotated[str, Mark(enum=("narrow", "seed"))] = "narrow"
    timed_out: bool = False
    not_checked: tuple[NotChecked, ...] = ()
    unknown: tuple[Unknown, ...] = ()

    @property
    def floor(self) -> RiskLevel:
        """Highest level of a factor, `low` if none has one, without the model's factors."""
        return RiskLevel.highest(factor.level for factor in self.policy_factors if factor.level is not None)

    @property
    def policy_factors(self) -> tuple[RiskFactor, ...]:
        """Factors of the policy, which alone set a floor."""
        return tuple(factor for factor in self.factors if factor.signal != MODEL)

    @property
    def computed(self) -> RiskLevel:
        """Level without the model's assessment, the one that holds a change."""
        return RiskLevel.highest(self._parts.values())

    @property
    def computed_by(self) -> tuple[str, ...]:
        """Parts that set the computed level: likelihood, policy, both if equal, none if low."""
        level = self.computed
        return tuple(name for name, own in self._parts.items() if own is level is not RiskLevel.low)

    @property
    def _parts(self) -> dict[str, RiskLevel]:
        likelihood = self.likelihood.level if self.likelihood is not None else RiskLevel.low
        return {"likelihood": likelihood, "policy": self.floor}


@dataclass(frozen=True, slots=True)
class Commit:
    """One end of the change: the full object id, and the ref it was given by, or `why` Assay chose it."""

    sha: Sha
    name: str
    is_worktree: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class AgentGuess:
    """Guess of the agent that wrote the change; statistics, never authorisation."""

    name: str = "unknown"
    confidence: Share = 0.0
    signals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """Report on one change. A tier that was not run is None, with an entry in `not_checked`."""

    base: Commit
    head: Commit
    merge_base: Sha
    conclusion: Conclusion
    title: str
    agent: AgentGuess = field(default_factory=AgentGuess)
    mode: Annotated[str, Mark(enum=("advisory", "enforce"))] = "advisory"
    tools: ToolsResult | None = None
    quality: QualityResult | None = None
    risk: RiskAssessment | None = None
    reasons: tuple[str, ...] = ()
    hold: bool = False
    blocking: tuple[str, ...] = ()
    configuration_at_fault: bool = False
    files: tuple[Mapping[str, Any], ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    durations_s: Mapping[str, Seconds] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    review: ModelReview | None = None
    missing: Annotated[Missing | None, Mark(enum=(*Missing, None))] = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of Tier 1 and Tier 2."""
        tools = self.tools.findings if self.tools else ()
        quality = self.quality.findings if self.quality else ()
        return (*tools, *quality)

    @property
    def unknown(self) -> tuple[Unknown, ...]:
        """Unknown answers of all tiers that ran."""
        return tuple(one for tier in (self.tools, self.quality, self.risk) if tier is not None for one in tier.unknown)
