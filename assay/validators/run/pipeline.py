"""Validate a change in three tiers, each with its own time limit, and build the report.

run_scanners   does it show a danger?  scanners, which run nothing of the repository; a part of Tier 1
run_tools      does it work?           the scanners, and the repository's own commands
check_quality  is it good code?        what linters do not see in the diff
assess_risk    what can it break?      surface, blast radius, interfaces, policy
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay.llm import ConversingModel
from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import Kind, is_in, language_of
from assay.validators.changes.past_pulls import PastPull
from assay.validators.configuration.checking import KnownNames
from assay.validators.configuration.loading import ConfigurationSource
from assay.validators.configuration.model import ValidationConfig
from assay.validators.dependencies.asked import AskedDependencies
from assay.validators.graph.import_graph import Graphs
from assay.validators.graph.scan_cache import default_cache
from assay.validators.io.globs import matcher
from assay.validators.languages.inert import is_inert
from assay.validators.languages.whole_change import whole_change
from assay.validators.policy.natures import DECLARED, declared
from assay.validators.policy.verdict import decide, title
from assay.validators.progress import Progress, Silent
from assay.validators.quality.check import check_quality
from assay.validators.quality.inputs.learned_model import LearnedRule
from assay.validators.quality.register import RULES
from assay.validators.report.answers import account_of, answered, unanswered
from assay.validators.report.attribution import AGENTS, guess_agent
from assay.validators.report.change_facts import FileEntry
from assay.validators.report.model import (
    NOT_REQUESTED,
    Commit,
    QualityResult,
    RiskAssessment,
    Tier,
    Tiers,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.review import REVIEW, ModelReview
from assay.validators.report.statements import statements_of
from assay.validators.report.unknown import SCANNED, NotChecked
from assay.validators.review.earlier import EarlierFinding
from assay.validators.risk.assess import assess_risk
from assay.validators.risk.register import SIGNALS
from assay.validators.vcs.missing_contents import MISSING
from assay.validators.vcs.trees import ObjectTree
from assay.validators.wording import listed, plural

MOST_NAMED = 5  # files in one note
ALL_TIERS = (Tier.tools, Tier.quality, Tier.risk)
EXCLUDED = "excluded by the configuration"


def known_names() -> KnownNames:
    """Return the registered rules, signals and agents that a configuration may name."""
    return KnownNames(
        rules=(*(rule.name for rule in RULES), REVIEW),
        signals=tuple(signal.name for signal in SIGNALS),
        agents=tuple(agent.name for agent in AGENTS),
    )


def _run_tools(*arguments: Any, **options: Any) -> ToolsResult:
    from assay.validators.tools.run import run_tools  # what discovers and reads tools: not before Tier 1 is wanted

    return run_tools(*arguments, **options)


def _run_scanners(*arguments: Any, **options: Any) -> ToolsResult:
    from assay.validators.tools.scanners.scanning import run_scanners

    return run_scanners(*arguments, **options, why=NOT_REQUESTED)


def _as_it_is(config: ValidationConfig) -> ValidationConfig:
    return config


@dataclass(frozen=True)
class Options:
    """Options of one run, beyond the configuration.

    `coverage` has the lines, contexts and source given by the user; `notes` are the caller's entries for `not_checked`;
    `sources` are the files of the configuration; `learned_rules` apply in addition to those in the base's file;
    `past_pulls` were recorded.
    `earlier` are findings of earlier pushes, and dismissed ones; `review_usd` is what is left for a model's review;
    `for_tests` returns the configuration that its tests run by, and is None where no command may run.
    `run_tools` is Tier 1 with the repository's own commands, `run_scanners` without: `tiers` decides.
    """

    tiers: Collection[Tier] = ALL_TIERS
    progress: Progress = field(default_factory=Silent)
    model: ConversingModel | None = None
    coverage: ToolsResult | None = None
    notes: Sequence[NotChecked] = ()
    sources: Sequence[ConfigurationSource] = ()
    learned_rules: Sequence[LearnedRule] = ()
    past_pulls: Sequence[PastPull] = ()
    earlier: Sequence[EarlierFinding] = ()
    review_usd: float = math.inf
    run_tools: Callable[..., ToolsResult] = _run_tools
    run_scanners: Callable[..., ToolsResult] = _run_scanners
    for_tests: Callable[[ValidationConfig], ValidationConfig] | None = _as_it_is
    check_quality: Callable[..., QualityResult] = check_quality

    @property
    def run_tier1(self) -> Callable[..., ToolsResult]:
        """What of Tier 1 runs. Scanners always do: they execute nothing of the repository."""
        return self.run_tools if Tier.tools in self.tiers else self.run_scanners


def validate(change: ChangeSet, config: ValidationConfig, options: Options | None = None) -> ValidationReport:
    """Validate a change. Raises `CouldNotRun` if it could not be checked, never for its faults."""
    options, durations_s = options or Options(), dict[str, float]()
    change = declared(change, config)
    looked_at, excluded = _without_excluded(change, config)
    graphs = Graphs(change, default_cache())
    asked = AskedDependencies(looked_at, config.dependencies)
    if _wanted(Tier.risk, options, config):
        asked.begin()
    tools: ToolsResult | None = None
    quality: QualityResult | None = None
    risk: RiskAssessment | None = None
    if config.tier1.enabled:
        with _timed(durations_s, "tools"):
            tools = options.run_tier1(looked_at, config, progress=options.progress)
    tools = _with_coverage(tools, options)
    if _wanted(Tier.quality, options, config):
        with _timed(durations_s, "quality"):
            quality = options.check_quality(looked_at, config, **quality_options(options), graphs=graphs)
    if _wanted(Tier.risk, options, config):
        with _timed(durations_s, "risk"):
            risk = assess_risk(
                looked_at,
                config,
                tools,
                quality,
                progress=options.progress,
                graphs=graphs,
                past_pulls=options.past_pulls,
                whole_change=whole_change(change),
                asked=asked,
            )
    review: ModelReview | None = None
    not_reviewed = tuple[NotChecked, ...]()
    if options.model is not None:
        from assay.validators.run.review_step import review_step  # with what runs tests: not before a model is there

        with _timed(durations_s, "review"):
            reviewed = review_step(looked_at, config, graphs, (tools, quality, risk), options)
        quality, risk, review, not_reviewed = reviewed.quality, reviewed.risk, reviewed.review, reviewed.not_checked
    if not config.tier1.enabled:
        tools = None
    durations_s["total"] = round(sum(durations_s.values()), 3)
    not_checked = (
        *_tiers_left_out(looked_at, options, config),
        *excluded,
        *_unreadable(looked_at),
        *_absent(change),
        *_left_out(looked_at),
        *options.notes,
        *not_reviewed,
    )
    report = report_on(change, config, (tools, quality, risk), not_checked, durations_s)
    settings = {**report.settings, "sources": [asdict(source) for source in options.sources]}
    return replace(report, review=review, settings=settings)


def with_tests(config: ValidationConfig, tests: str) -> ValidationConfig:
    """Return the configuration with another value of `tier1.tests`, where one is given."""
    tier = config.tier1.model_copy(update={"tests": tests})
    return config.model_copy(update={"tier1": tier}) if tests else config


def quality_options(options: Options) -> dict[str, Any]:
    """Return the arguments of Tier 2 besides the change and its configuration."""
    has_model = options.model is not None
    return {"progress": options.progress, "has_model": has_model, "learned_rules": options.learned_rules}


def report_on(
    change: ChangeSet,
    config: ValidationConfig,
    tiers: tuple[ToolsResult | None, QualityResult | None, RiskAssessment | None],
    not_checked: tuple[NotChecked, ...] = (),
    durations_s: Mapping[str, float] | None = None,
) -> ValidationReport:
    """Return the report of the tiers so far: verdict, title, and every changed file."""
    tools, quality, risk = tiers
    expects_tests = config.tier1.require_tests is not False and _expects_tests(change)
    verdict = decide(config, *tiers, expects_tests=expects_tests)
    statements = statements_of(*tiers, verdict.blocking)
    said = tuple(note for tier in tiers if tier is not None for note in tier.not_checked)
    return ValidationReport(
        base=Commit(change.base_sha, change.base_name, why=change.base_why),
        head=Commit(change.head_sha, change.head_name, change.head_is_worktree),
        merge_base=change.merge_base,
        title=title(verdict, config, *tiers, statements),
        statements=statements,
        agent=guess_agent(change),
        mode=config.mode,
        tiers=Tiers(tools, quality, risk),
        **verdict._asdict(),
        files=_accounts(change, config, tiers),
        not_checked=tuple(dict.fromkeys((*not_checked, *said))),
        durations_s=durations_s or {},
        settings=_settings(config, expects_tests=expects_tests),
    )


def _expects_tests(change: ChangeSet) -> bool:
    """Return whether code of source changed in a language for which the base has tests."""
    edited: dict[str, list[ChangedFile]] = defaultdict(list)
    for file in change.files:
        row = language_of(file.path) if file.nature is Nature.source else None
        if row is not None and row.kind is Kind.code:
            edited[row.key].append(file)
    return any(
        any(is_in(path, (key,)) and change.nature_of(path) is Nature.test for path in change.base.paths)
        and any(not is_inert(change, file) for file in files)
        for key, files in edited.items()
    )


def _wanted(tier: Tier, options: Options, config: ValidationConfig) -> bool:
    return tier in options.tiers and enabled(config)[tier]


def enabled(config: ValidationConfig) -> dict[Tier, bool]:
    """Return which tiers the configuration enables."""
    return {
        Tier.tools: config.tier1.enabled,
        Tier.quality: config.tier2.enabled,
        Tier.risk: config.tier3.enabled,
    }


def _tiers_left_out(change: ChangeSet, options: Options, config: ValidationConfig) -> Iterator[NotChecked]:
    for number, tier in enumerate(ALL_TIERS, 1):
        if not enabled(config)[tier]:
            yield NotChecked(f"Tier {number} ({tier})", f"switched off by tier{number}.enabled in the configuration")
        elif tier not in options.tiers and tier is not Tier.tools:  # scanners run, and note that the commands did not
            yield NotChecked(f"Tier {number} ({tier})", NOT_REQUESTED)
    for question in () if config.tier1.enabled else SCANNED:
        yield from unanswered(change.files, question, "scanners are part of Tier 1, which is switched off")


def _with_coverage(tools: ToolsResult | None, options: Options) -> ToolsResult | None:
    """Return the tools' result, with the user's coverage if the commands left none."""
    given = options.coverage
    if tools is None or given is None or tools.line_coverage:
        return tools or given
    return replace(
        tools,
        line_coverage=given.line_coverage,
        line_contexts=tools.line_contexts or given.line_contexts,
        coverage_source=given.coverage_source,
    )


def _without_excluded(change: ChangeSet, config: ValidationConfig) -> tuple[ChangeSet, list[NotChecked]]:
    if not config.exclude:
        return change, []
    excluded = matcher(config.exclude)
    left_out = [file for file in change.files if excluded(file.path)]
    if not left_out:
        return change, []
    return change.without(excluded), [NotChecked(_names(left_out), EXCLUDED)]


_WHY_UNREADABLE = {
    FileKind.binary: "binary: its content was not read",
    FileKind.oversize: "too large to be read line by line",
    FileKind.symlink: "a symbolic link: where it points was not followed",
    FileKind.submodule: "a submodule: its content is another repository",
}


def _unreadable(change: ChangeSet) -> Iterator[NotChecked]:
    """Yield one entry for each kind of file that no analyzer reads."""
    by_kind: dict[FileKind, list[ChangedFile]] = defaultdict(list)
    for file in change.files:
        is_streamed = file.nature is Nature.lock and file.kind is FileKind.oversize
        if file.kind is not FileKind.text and file.exists and not is_streamed:
            by_kind[file.kind].append(file)
    for kind, files in by_kind.items():
        yield NotChecked(_names(files), _WHY_UNREADABLE[kind])


def _left_out(change: ChangeSet) -> Iterator[NotChecked]:
    """Yield the files that size, complexity and duplication leave out."""
    for nature in sorted(DECLARED):
        files = [file for file in change.files if file.nature is nature]
        if files:
            what = f"size, complexity and duplication of {plural(len(files), f'{nature} file')}"
            yield NotChecked(what, f"the base marks {_names(files)} {nature}")


def _absent(change: ChangeSet) -> Iterator[NotChecked]:
    """Yield changed files whose content a partial clone lacks, and others that an analyzer asked for."""
    trees = (tree for tree in (change.base, change.head) if isinstance(tree, ObjectTree))
    absent = {path for tree in trees for path in tree.absent}
    if absent := absent.union(file.path for file in change.files if file.unreadable == MISSING):
        yield NotChecked(listed([shown(path) for path in sorted(absent)], MOST_NAMED), f"could not be read: {MISSING}")


def _names(files: Sequence[ChangedFile]) -> str:
    return listed([shown(file.path) for file in files], MOST_NAMED)


def _accounts(
    change: ChangeSet,
    config: ValidationConfig,
    tiers: tuple[ToolsResult | None, QualityResult | None, RiskAssessment | None],
) -> tuple[FileEntry, ...]:
    """Return every file of the change, with the questions that apply to it and those without an answer."""
    excluded = matcher(config.exclude)
    return answered((account_of(file, is_excluded=excluded(file.path)) for file in change.files), tiers)


def _settings(config: ValidationConfig, *, expects_tests: bool) -> dict[str, Any]:
    """Return the settings that the report shows."""
    return {
        "blocking_severity": str(config.tier2.blocking_severity),
        "hold_at": str(config.tier3.risk_threshold_for_hold),
        "hold_on": str(config.tier3.hold_on),
        "policy": str(config.tier3.policy),
        "gate": str(config.tier1.gate),
        "expects_tests": expects_tests,
        "timeouts_s": {
            "tools": config.tier1.timeout_seconds,
            "quality": config.tier2.timeout_seconds,
            "risk": config.tier3.timeout_seconds,
        },
        "configuration": config.model_dump(mode="json", by_alias=True, exclude_defaults=True),
    }


@contextmanager
def _timed(durations_s: dict[str, float], what: str) -> Iterator[None]:
    began = time.monotonic()
    try:
        yield
    finally:
        durations_s[what] = round(time.monotonic() - began, 3)
