"""Validation of one pull request, shared by App and Action, without a database, queue or web server.

judge   validate the head against the base in a separate process: expensive, once per head
settle  merge external results and waivers into the report: cheap, repeated at every event
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
    LearnedRule,
    NotChecked,
    Stop,
    Tier,
    UsageError,
    ValidationConfig,
    ValidationEnded,
    ValidationReport,
    ValidationRequest,
    Waiver,
    configuration_of,
    joined_tools,
    validate_isolated,
    with_tools,
    with_waivers,
)

_log = logging.getLogger(__name__)


class Change(Protocol):
    """Base and head of a change with their names: a pull request, or a group of the merge queue."""

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
    """Limits and scope of one validation.

    `tiers` and `commands` choose the checks. `config_path` is a configuration file outside its usual path, and
    `settings_sha` the commit it is read from, if it is not the change's base. `lines` keeps line coverage.
    `learned_rules` are the repository's confirmed rules; `model` checks rules in prose.
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
    """Callbacks of a validation process: start (process id and group), progress, and stop."""

    on_started: Callable[[int], None] | None = None
    on_progress: Callable[[str], None] | None = None
    stop: Stop | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Repository of the commits, with a token that can read its contents."""

    full_name: str
    repository_id: int
    clone_url: str
    token: str | None = field(default=None, repr=False)

    def checkout(
        self, mirrors: Mirrors, pull: Change, *, settings_sha: str | None = None, everything: bool = False
    ) -> Checkout:
        """Fetch base, head and configuration commit of a change.

        Raises:
            CheckoutFailed: the commits could not be fetched.
        """
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
    """External results for the head: its checks with their context, and results uploaded by workflows."""

    checks: Sequence[CheckFacts] = ()
    around: Around = field(default_factory=Around)
    posted: Sequence[PostedTools] = ()


@dataclass(frozen=True, slots=True)
class Settled:
    """Report to publish. `awaited` are unfinished checks; `num_checks` is the number of checks found."""

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
    """Validate a pull request whose commits are in `repository`, and finalize the report. Raises as `judge` does."""
    return settle(judge(pull, repository, limits, watching), told, waivers)


def judge_fetched(
    pull: Change,
    source: Source,
    mirrors: Mirrors,
    limits: JudgeLimits | None = None,
    watching: Watching | None = None,
) -> ValidationReport:
    """Fetch a pull request's commits and validate its head; recreate a damaged clone once.

    Raises:
        CheckoutFailed: the commits could not be fetched.
        JudgingFailed: the validation process died, was stopped, or ran out of time or memory.
    """
    limits = limits or JudgeLimits()
    try:
        return _fetched_and_judged(
            pull, source, mirrors, limits, watching, everything=limits.commands is not Commands.none
        )
    except _Damaged as damaged:
        _log.warning("recreating the damaged clone of repository %s: %s", source.repository_id, damaged)
        mirrors.distrust(source.repository_id)
    try:
        return _fetched_and_judged(pull, source, mirrors, limits, watching, everything=True)
    except _Damaged as damaged:
        raise JudgingFailed(str(damaged)) from None


def judge(
    pull: Change, repository: Path, limits: JudgeLimits | None = None, watching: Watching | None = None
) -> ValidationReport:
    """Validate a head whose commits are in `repository`: Tiers 2 and 3, and the scanners of Tier 1.

    An invalid configuration gives a report that asks to fix it.

    Raises:
        JudgingFailed: the validation process ended without a report.
    """
    try:
        return _judged(pull, repository, limits or JudgeLimits(), watching or Watching())
    except _Damaged as damaged:
        raise JudgingFailed(str(damaged)) from None


def settle(
    judged: ValidationReport, told: ToldByOthers | None = None, waivers: Mapping[str, Waiver] | None = None
) -> Settled:
    """Merge external results and waivers into a report.

    `judged` comes from `judge` or an earlier `settle`, whose external results are replaced.
    """
    if judged.configuration_at_fault and judged.quality is None and judged.risk is None and judged.tools is None:
        return Settled(judged)
    config = configuration_of(judged)
    told = told or ToldByOthers()
    around = replace(told.around, told_by_job=[*told.around.told_by_job, *_jobs_told_of(told.posted)])
    harvest = tools_from_checks(told.checks, config, around)
    trusted = [one.tools for one in told.posted if not one.is_untrusted]
    is_covered = any(one.line_coverage for one in trusted)
    limited = [untrusted(one.tools, judged, config, is_covered=is_covered) for one in told.posted if one.is_untrusted]
    # Untrusted results last: of two with the same name the first wins.
    tools = joined_tools([*trusted, harvest.tools, *limited])
    report = with_tools(judged, tools, config)
    report = with_waivers(report, config, waivers or {})
    awaited = harvest.awaited if config.tier1.enabled and not around.is_over else ()
    return Settled(report, awaited, len(tools.runs) + len(harvest.awaited))


def _jobs_told_of(posted: Sequence[PostedTools]) -> list[str]:
    """Return the uploading jobs, whose checks are redundant.

    Results passed on by a second stage may be forged by the change, so they hide no check.
    """
    return [one.job for one in posted if one.job and one.run_id is None]


def configuration_hash(report: ValidationReport) -> str:
    """Return 16 hex digits that change with the report's configuration."""
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
    request = ValidationRequest(
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
        return validate_isolated(
            request,
            deadline_s=limits.deadline_s,
            memory_bytes=limits.memory_bytes,
            on_started=watching.on_started,
            on_progress=watching.on_progress,
            stop=watching.stop,
            model=limits.model,
        )
    except ConfigurationError as error:
        return _configuration_report(pull, [str(problem) for problem in error.problems])
    except ValidationEnded as error:
        _log.error("validation ended (%s), incident %s: %s", error.why, error.incident, error.last_words[-2000:])
        raise JudgingFailed(str(error)) from None
    except UsageError as error:
        raise JudgingFailed(str(error)) from None
    except CouldNotRun as error:
        raise _Damaged(str(error)) from None


def _configuration_report(pull: Change, problems: Sequence[str]) -> ValidationReport:
    """Return the report for an unusable configuration, without any check."""
    config = ValidationConfig()
    return ValidationReport(
        base=Commit(pull.base_sha, pull.base_ref),
        head=Commit(pull.head_sha, pull.head_ref),
        merge_base=pull.base_sha,
        conclusion=Conclusion.action_required,
        title="Not validated · configuration error",
        mode=str(config.mode),
        reasons=tuple(problems),
        configuration_at_fault=True,
        not_checked=(
            NotChecked("everything", f"the configuration of {pull.base_ref} is invalid: fix the errors listed above"),
        ),
    )
