"""One pull request judged, for the App and the Action alike; nothing here knows a store, a queue or a web server.

judge   the head against the base, in a process of its own: what is dear, done once for a head
settle  the report with what others say of Tier 1 and what people decided: cheap, done again at every event
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from assay.github.errors import JudgingFailed
from assay.github.events.model import CheckFacts
from assay.github.external_results.github_checks import Around, tools_from_checks
from assay.github.external_results.tools_payload import PostedTools
from assay.github.external_results.untrusted import untrusted
from assay.github.pull_request.checkout import Checkout, Mirrors
from assay.llm import LanguageModel
from assay.validators import (
    Commands,
    Commit,
    Conclusion,
    ConfigurationError,
    CouldNotRun,
    JudgeRequest,
    JudgingEnded,
    LearnedRule,
    NotChecked,
    Stop,
    Tier,
    UsageError,
    ValidationConfig,
    ValidationReport,
    Waiver,
    configuration_of,
    joined_tools,
    judge_apart,
    with_tools,
    with_waivers,
)

_log = logging.getLogger(__name__)


class Change(Protocol):
    """The two ends of what is judged, and what people call them: a pull request, or a group of the merge queue."""

    @property
    def base_sha(self) -> str: ...
    @property
    def head_sha(self) -> str: ...
    @property
    def base_ref(self) -> str: ...
    @property
    def head_ref(self) -> str: ...
    @property
    def number(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class JudgeLimits:
    """What judging one head may take, and what of it is done: which tiers, and whether the repository's own commands
    run. `config_path` is the configuration's file, where it is not in its usual place, and `settings_sha` the commit it
    is read from: the tip of the base branch, where that is not the change's base; `lines` keeps which lines the tests
    ran; `learned_rules` are those of this repository that the App knows; `model` reads the change for rules in words.
    """

    deadline_s: float = 1800.0
    memory_bytes: int = 4 * 1024**3
    commands: Commands = Commands.none
    tiers: tuple[Tier, ...] = tuple(Tier)
    config_path: str | None = None
    settings_sha: str | None = None
    lines: bool = False
    learned_rules: tuple[LearnedRule, ...] = ()
    model: LanguageModel | None = None


@dataclass(frozen=True, slots=True)
class Watching:
    """Who hears of a judging process: of its id (and group), of its progress; and who says that it is to stop."""

    on_started: Callable[[int], None] | None = None
    on_progress: Callable[[str], None] | None = None
    stop: Stop | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where the commits come from: the repository, and a token that may read its contents."""

    full_name: str
    repository_id: int
    clone_url: str
    token: str | None = field(default=None, repr=False)

    def checkout(
        self, mirrors: Mirrors, pull: Change, *, settings_sha: str | None = None, everything: bool = False
    ) -> Checkout:
        """Base and head of a change, and where its configuration is, brought into a mirror. Raises `CheckoutFailed`."""
        return mirrors.checkout(
            self.full_name,
            self.repository_id,
            self.clone_url,
            self.token,
            pull.base_sha,
            pull.head_sha,
            pull.number,
            settings_sha=settings_sha,
            everything=everything,
        )


@dataclass(frozen=True, slots=True)
class ToldByOthers:
    """What others say of the head: its checks (with what surrounds them), and results that workflows posted."""

    checks: Sequence[CheckFacts] = ()
    around: Around = field(default_factory=Around)
    posted: Sequence[PostedTools] = ()


@dataclass(frozen=True, slots=True)
class Settled:
    """A report to publish. `awaited` are checks that still run; `num_checks` how many were there at all."""

    report: ValidationReport
    awaited: tuple[str, ...] = ()
    num_checks: int = 0


def validate_pull_request(
    pull: Change,
    repository: Path,
    told: ToldByOthers | None = None,
    waivers: Mapping[str, Waiver] | None = None,
    *,
    limits: JudgeLimits | None = None,
    watching: Watching | None = None,
) -> Settled:
    """Judge a pull request whose commits are in `repository`, and settle the report. Raises as `judge` does."""
    return settle(judge(pull, repository, limits, watching), told, waivers)


def judge_fetched(
    pull: Change,
    source: Source,
    mirrors: Mirrors,
    limits: JudgeLimits | None = None,
    watching: Watching | None = None,
) -> ValidationReport:
    """Fetch a pull request's commits and judge its head. Where the mirror turns out damaged it is made anew, once.

    Raises:
        CheckoutFailed: the commits cannot be had.
        JudgingFailed: the process that judges died, was stopped, or ran out of time or memory.
    """
    limits = limits or JudgeLimits()
    try:
        return _fetched_and_judged(
            pull, source, mirrors, limits, watching, everything=limits.commands is not Commands.none
        )
    except _Damaged as damaged:
        _log.warning("the mirror of repository %s is made anew: %s", source.repository_id, damaged)
        mirrors.distrust(source.repository_id)
    try:
        return _fetched_and_judged(pull, source, mirrors, limits, watching, everything=True)
    except _Damaged as damaged:
        raise JudgingFailed(str(damaged)) from None


def judge(
    pull: Change, repository: Path, limits: JudgeLimits | None = None, watching: Watching | None = None
) -> ValidationReport:
    """The report on a head whose commits are in `repository`: Tiers 2 and 3, and of Tier 1 the scanners.

    A wrong configuration is a report too: it asks for it to be mended. Raises `JudgingFailed`.
    """
    try:
        return _judged(pull, repository, limits or JudgeLimits(), watching or Watching())
    except _Damaged as damaged:
        raise JudgingFailed(str(damaged)) from None


def settle(
    judged: ValidationReport, told: ToldByOthers | None = None, waivers: Mapping[str, Waiver] | None = None
) -> Settled:
    """The report with Tier 1 as others tell it, and with what people decided about its findings.

    `judged` is what `judge` gave, or a report that was settled before: what was told then is forgotten.
    """
    if judged.configuration_at_fault and judged.quality is None and judged.risk is None and judged.tools is None:
        return Settled(judged)
    config = configuration_of(judged)
    told = told or ToldByOthers()
    around = replace(told.around, told_by_job=[*told.around.told_by_job, *_jobs_told_of(told.posted)])
    harvest = tools_from_checks(told.checks, config, around)
    believed = [one.tools for one in told.posted if not one.is_untrusted]
    is_covered = any(one.line_coverage for one in believed)
    doubted = [untrusted(one.tools, judged, config, is_covered=is_covered) for one in told.posted if one.is_untrusted]
    # Strangers last: where two have the same name the first keeps it.
    tools = joined_tools([*believed, harvest.tools, *doubted])
    report = with_tools(judged, tools, config)
    report = with_waivers(report, config, waivers or {})
    awaited = harvest.awaited if config.tier1.enabled and not around.is_over else ()
    return Settled(report, awaited, len(tools.runs) + len(harvest.awaited))


def _jobs_told_of(posted: Sequence[PostedTools]) -> list[str]:
    """The posting jobs, whose checks say nothing more. What a second stage passes on may be the change's own words, and
    those take no check away.
    """
    return [one.job for one in posted if one.job and one.run_id is None]


def configuration_hash(report: ValidationReport) -> str:
    """16 hex digits that change with the configuration a report was made under."""
    text = json.dumps(report.settings.get("configuration", {}), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Damaged(Exception):
    """The repository could not be read."""


def _fetched_and_judged(
    pull: Change,
    source: Source,
    mirrors: Mirrors,
    limits: JudgeLimits,
    watching: Watching | None,
    *,
    everything: bool,
) -> ValidationReport:
    with source.checkout(mirrors, pull, settings_sha=limits.settings_sha, everything=everything) as checkout:
        return _judged(pull, checkout.repository, limits, watching or Watching())


def _judged(pull: Change, repository: Path, limits: JudgeLimits, watching: Watching) -> ValidationReport:
    request = JudgeRequest(
        str(repository),
        pull.base_sha,
        pull.head_sha,
        base_name=pull.base_ref,
        head_name=pull.head_ref,
        branch=pull.head_ref,
        tiers=limits.tiers,
        commands=limits.commands,
        config_path=limits.config_path,
        settings=limits.settings_sha,
        lines=limits.lines,
        learned_rules=limits.learned_rules,
    )
    try:
        return judge_apart(
            request,
            deadline_s=limits.deadline_s,
            memory_bytes=limits.memory_bytes,
            on_started=watching.on_started,
            on_progress=watching.on_progress,
            stop=watching.stop,
            model=limits.model,
        )
    except ConfigurationError as error:
        return _to_mend(pull, [str(problem) for problem in error.problems])
    except JudgingEnded as error:
        _log.error("judging ended (%s), incident %s: %s", error.why, error.incident, error.last_words[-2000:])
        raise JudgingFailed(str(error)) from None
    except UsageError as error:
        raise JudgingFailed(str(error)) from None
    except CouldNotRun as error:
        raise _Damaged(str(error)) from None


def _to_mend(pull: Change, problems: Sequence[str]) -> ValidationReport:
    """The report on a base whose configuration cannot be used: nothing was judged, and why."""
    config = ValidationConfig()
    return ValidationReport(
        base=Commit(pull.base_sha, pull.base_ref),
        head=Commit(pull.head_sha, pull.head_ref),
        merge_base=pull.base_sha,
        conclusion=Conclusion.action_required,
        title="Not judged · configuration error",
        mode=str(config.mode),
        reasons=tuple(problems),
        configuration_at_fault=True,
        not_checked=(
            NotChecked("everything", f"the configuration of {pull.base_ref} cannot be used: see what is to be mended"),
        ),
    )
