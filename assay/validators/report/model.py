"""Report on a change, as plain values. All formats are rendered from it, and its types are its JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Any, Self

from assay import __version__
from assay.validators.report.annotations import Count, FindingId, Hidden, Line, Path, Percent, Seconds, Sha, Share, only
from assay.validators.report.change_facts import AgentGuess, FileEntry
from assay.validators.report.gravity import KINDS, Gravity, Ordered
from assay.validators.report.review import ModelReview
from assay.validators.report.risk_facts import (
    ApiChange,
    Dependent,
    LikelihoodFactor,
    LineContexts,
    LineCoverage,
    NewDependency,
    ObservedRate,
    Rollback,
    Surface,
)
from assay.validators.report.unknown import Missing, NotChecked, open_questions
from assay.validators.report.waiver import Waiver

SCHEMA_VERSION = "3.0"
REPORTED = "reported: "
"""Mark before `found_in` of an external result."""
OWN_COMMANDS = "the repository's own commands"
"""`what` of the `not_checked` entry for repository commands that were not run."""
NOT_RUN_HERE, NOT_REQUESTED = "not run by Assay here", "not requested (--tiers)"
FAILED_TESTS = ("test_failed", "test_error")
"""Rules of findings that name a failing test."""
UNTRUSTED_RUN, OWN_CHECKS = "an untrusted run of the pull request", "the repository's own checks"
"""Sources of Tier 1 results, with which `found_in` begins: the change may have written them; checks of the head."""


class Severity(Ordered):
    """Severity of a finding, ordered info < warning < error."""

    info = "info"
    warning = "warning"
    error = "error"


class RiskLevel(Ordered):
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
    """Outcome of a command, in the order the cases are tested; `skipped`: not run, with a reason.

    `infra_failed`: machine failure (memory, disk, a signal), retry; `inert`: unavailable, a configuration problem.
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
class Finding:
    """One reported issue, at a place in the head tree (1-based lines); `file` is "" for the change as a whole.

    `id` is made of tool, rule, file and `context`, never of a line, so it survives pushes. `replacement` is set only
    where the fix is certain: the text that `line` to `end_line` should be instead. `is_secret`: it is about a secret.
    """

    tier: Annotated[Tier, only(Tier.tools, Tier.quality)]
    severity: Severity
    rule: str
    file: Path
    message: str
    line: Line | None = None
    end_line: Line | None = None
    suggestion: str | None = None
    tool: str | None = None
    context: Hidden[str] = ""
    introduced: bool = True
    confidence: Share | None = None
    id: FindingId = ""
    replacement: str | None = None
    is_secret: Hidden[bool] = False


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
    """One command of Tier 1 on the head; `gating`: a failure blocks; `reason`: set for anything but a plain pass."""

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

    percent: Percent | None
    num_lines: Count = 0
    num_covered: Count = 0
    source: str | None = None
    why_unknown: str | None = None


@dataclass(frozen=True, slots=True)
class ToolsResult:
    """Result of Tier 1; `num_existing`: findings the base has already; `reported_by`: source of an external result.

    `passed_files`: test files of which tests ran and none failed; `checks`: those of the head, and their ends.
    """

    runs: tuple[ToolRun, ...] = ()
    findings: tuple[Finding, ...] = ()
    line_coverage: Hidden[LineCoverage | None] = None
    line_contexts: Hidden[LineContexts | None] = None
    coverage_source: str | None = None
    timed_out: bool = False
    num_fix_cycles: Count = 0
    not_checked: tuple[NotChecked, ...] = ()
    num_existing: Count = 0
    passed_files: tuple[Path, ...] = ()
    sandbox: str | None = None
    reported_by: str | None = None
    checks: Hidden[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class QualityResult:
    """Result of Tier 2: the findings the change introduces; `num_existing` counts those of the base."""

    findings: tuple[Finding, ...] = ()
    num_existing: Count = 0
    timed_out: bool = False
    num_fix_cycles: Count = 0
    not_checked: tuple[NotChecked, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Further place of a statement and its text."""

    text: str
    file: Path | None = None
    line: Line | None = None


MODEL = "model"
"""Signal of the statements of a language model."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing to say of a change: what (`text`), where, why it matters (`kind`), and what to do (`advice`).

    `kind` is a row of `report/gravity.py`; from medium on its gravity sets a floor for the risk level. `signal` is the
    analyzer, `finding` the id of the finding it states.
    """

    kind: Annotated[str, only(*KINDS)]
    text: str
    file: Path | None = None
    line: Line | None = None
    advice: str | None = None
    evidence: tuple[Evidence, ...] = ()
    signal: str = ""
    gravity: Gravity = Gravity.remark
    is_blocking: bool = False
    finding: str = ""

    @property
    def level(self) -> RiskLevel | None:
        """Level that the statement sets, None for a notice or remark."""
        return RiskLevel(self.gravity) if self.gravity.rank >= Gravity.medium.rank else None


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Likelihood that the change will need a fix within a year.

    `percentile` is that of its score, 0 to 100, among `num_compared` past changes of this repository; 0 means that
    shipped quantiles were used. `basis` "size" compares added source lines alone.
    """

    level: RiskLevel
    percentile: Percent
    basis: Annotated[str, only("model", "size")]
    num_compared: Count
    factors: tuple[LikelihoodFactor, ...] = ()
    rate: ObservedRate | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class RiskAssessment:
    """Result of Tier 3: level, what set it, blast radius; `whole_change` is what the change as a whole plainly is."""

    level: RiskLevel = RiskLevel.low
    set_by: tuple[Annotated[str, only("likelihood", "policy", MODEL)], ...] = ()
    whole_change: str | None = None
    likelihood: Likelihood | None = None
    rollback: Rollback | None = None
    statements: tuple[Statement, ...] = ()
    surface: Surface = field(default_factory=Surface)
    dependents: tuple[Dependent, ...] = ()
    num_dependents_total: Count = 0
    num_tests_total: Count = 0
    api_changes: tuple[ApiChange, ...] = ()
    new_dependencies: tuple[NewDependency, ...] = ()
    coverage: Coverage = field(default_factory=lambda: Coverage(None, why_unknown="no coverage data was given"))
    policy: Annotated[str, only("narrow", "seed")] = "narrow"
    timed_out: bool = False
    not_checked: tuple[NotChecked, ...] = ()

    @property
    def floor(self) -> RiskLevel:
        """Highest level of a statement, `low` if none has one, without the model's."""
        return RiskLevel.highest(one.level for one in self.statements if one.level is not None and one.signal != MODEL)

    @property
    def computed(self) -> RiskLevel:
        """Level without the model's assessment, the one that holds a change."""
        return RiskLevel.highest(self._parts.values())

    @property
    def computed_by(self) -> tuple[str, ...]:
        """Parts that set the computed level: likelihood, policy, both if equal, none if low."""
        return tuple(name for name, own in self._parts.items() if own is self.computed is not RiskLevel.low)

    @property
    def _parts(self) -> dict[str, RiskLevel]:
        return {"likelihood": self.likelihood.level if self.likelihood else RiskLevel.low, "policy": self.floor}


@dataclass(frozen=True, slots=True)
class Commit:
    """One end of the change: the full object id, and the ref it was given by, or `why` Assay chose it."""

    sha: Sha
    name: str
    is_worktree: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Tiers:
    """Results of the tiers; None for one that was not run."""

    tools: ToolsResult | None = None
    quality: QualityResult | None = None
    risk: RiskAssessment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """Report on one change; `statements` of all tiers, the gravest first. A tier that was not run is None."""

    schema_version: Annotated[str, only(SCHEMA_VERSION)] = SCHEMA_VERSION
    assay_version: str = __version__
    base: Commit
    head: Commit
    merge_base: Sha
    conclusion: Conclusion
    title: str
    reasons: tuple[str, ...] = ()
    hold: bool = False
    missing: Missing | None = None
    configuration_at_fault: bool = False
    blocking: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    mode: Annotated[str, only("advisory", "enforce")] = "advisory"
    agent: AgentGuess = field(default_factory=AgentGuess)
    tiers: Tiers = field(default_factory=Tiers)
    review: ModelReview | None = None
    waivers: tuple[Waiver, ...] = ()
    files: tuple[FileEntry, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    durations_s: Mapping[str, Seconds] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def with_tiers(self, **tiers: Any) -> Self:
        """Return the report with other results of these tiers."""
        return replace(self, tiers=replace(self.tiers, **tiers))

    @property
    def tools(self) -> ToolsResult | None:
        """Tier 1."""
        return self.tiers.tools

    @property
    def quality(self) -> QualityResult | None:
        """Tier 2."""
        return self.tiers.quality

    @property
    def risk(self) -> RiskAssessment | None:
        """Tier 3."""
        return self.tiers.risk

    @property
    def runs(self) -> tuple[ToolRun, ...]:
        """Commands of Tier 1."""
        return self.tools.runs if self.tools is not None else ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of Tier 1 and Tier 2."""
        return tuple(one for tier in (self.tools, self.quality) if tier is not None for one in tier.findings)

    @property
    def unknown(self) -> tuple[NotChecked, ...]:
        """Questions that the tiers leave open, with their files."""
        return open_questions(self.not_checked)
