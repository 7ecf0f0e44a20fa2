"""The path of a pull request in App and Action, without a database, queue or web server.

validate_pull_request  validate the head against the base in a separate process: expensive, once per head
complete               merge external results and waivers into the report: cheap, repeated at every event

`assay.github.publish` then publishes the completed report.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from assay.github.errors import ValidationFailed
from assay.github.events.model import CheckFacts
from assay.github.external_results.github_checks import Around, tools_from_checks
from assay.github.external_results.tools_payload import PostedTools
from assay.github.external_results.untrusted import untrusted
from assay.github.pull_request.checkout import Checkout, Mirrors, Wanted
from assay.llm import ConversingModel
from assay.validators import (
    Commands,
    Commit,
    Conclusion,
    ConfigurationError,
    CouldNotRun,
    Inherited,
    NotChecked,
    Repository,
    Stop,
    UsageError,
    ValidationConfig,
    ValidationEnded,
    ValidationOptions,
    ValidationReport,
    ValidationRequest,
    Waiver,
    configuration_of,
    extends_of,
    joined_tools,
    validate_isolated,
    with_tools,
    with_waivers,
)

_log = logging.getLogger(__name__)


class Change(Protocol):
    """Base and head of a change with their names: a pull request, or a group of the merge queue.

    `pull_text` are the title and description of a pull request.
    """

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
    @property
    def pull_text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ValidationProcess:
    """Process of a validation: its limits, its model, callbacks for start (process id and group), progress and stop.

    `inherit` returns what the configuration builds on, by the repository that it extends.
    """

    deadline_s: float = 1800.0
    memory_bytes: int = 4 * 1024**3
    model: ConversingModel | None = None
    inherit: Callable[[str | None], Inherited] | None = None
    on_started: Callable[[int], None] | None = None
    on_progress: Callable[[str], None] | None = None
    stop: Stop | None = None


@dataclass(frozen=True, slots=True)
class RemoteRepository:
    """Repository on GitHub that is fetched into a clone cache, with a token that can read its contents."""

    full_name: str
    repository_id: int
    clone_url: str
    mirrors: Mirrors
    token: str | None = field(default=None, repr=False)

    def checkout(self, pull: Change, *, settings_sha: str | None = None, everything: bool = False) -> Checkout:
        """Fetch base, head and configuration commit of a change.

        Raises:
            CheckoutFailed: the commits could not be fetched.
        """
        wanted = Wanted(pull.base_sha, pull.head_sha, pull.number, settings_sha, everything)
        return self.mirrors.checkout(self.full_name, self.repository_id, self.clone_url, self.token, wanted)


@dataclass(frozen=True, slots=True)
class ExternalResults:
    """External results for the head: its checks with their context, and results uploaded by workflows."""

    checks: Sequence[CheckFacts] = ()
    around: Around = field(default_factory=Around)
    posted: Sequence[PostedTools] = ()


@dataclass(frozen=True, slots=True)
class CompletedReport:
    """Report with external results and waivers; `awaited` are the unfinished checks."""

    report: ValidationReport
    awaited: tuple[str, ...] = ()


def validate_pull_request(
    pull: Change,
    repository: Path | RemoteRepository,
    options: ValidationOptions | None = None,
    process: ValidationProcess | None = None,
) -> ValidationReport:
    """Validate a head against its base: Tiers 2 and 3, the scanners of Tier 1, and commands if `options` allow them.

    An invalid configuration gives a report that asks to fix it. A damaged clone of the cache is recreated once.

    Args:
        pull: the change, with full commit ids.
        repository: path of a repository with its commits, or where to fetch them from.
        options: scope of the validation.
        process: limits and callbacks of the validation process.

    Raises:
        CheckoutFailed: the commits could not be fetched.
        ValidationFailed: the validation process died, was stopped, or ran out of time or memory.
    """
    options, process = options or ValidationOptions(), process or ValidationProcess()
    try:
        if isinstance(repository, Path):
            return _in_process(pull, repository, options, process)
        try:
            return _fetched(pull, repository, options, process, everything=options.commands is not Commands.none)
        except _Damaged as damaged:
            _log.warning("recreating the damaged clone of repository %s: %s", repository.repository_id, damaged)
            repository.mirrors.distrust(repository.repository_id)
        return _fetched(pull, repository, options, process, everything=True)
    except _Damaged as damaged:
        raise ValidationFailed(str(damaged)) from None


def complete(
    validated: ValidationReport, external: ExternalResults | None = None, waivers: Mapping[str, Waiver] | None = None
) -> CompletedReport:
    """Merge external results and waivers into a report.

    `validated` comes from `validate_pull_request` or an earlier `complete`, whose external results are replaced.
    """
    if (
        validated.configuration_at_fault
        and validated.quality is None
        and validated.risk is None
        and validated.tools is None
    ):
        return CompletedReport(validated)
    config = configuration_of(validated)
    external = external or ExternalResults()
    around = replace(
        external.around, reported_by_job=[*external.around.reported_by_job, *_reporting_jobs(external.posted)]
    )
    harvest = tools_from_checks(external.checks, config, around)
    trusted = [one.tools for one in external.posted if not one.is_untrusted]
    is_covered = any(one.line_coverage for one in trusted)
    limited = [
        untrusted(one.tools, validated, config, is_covered=is_covered) for one in external.posted if one.is_untrusted
    ]
    # Untrusted results last: of two with the same name the first wins.
    tools = joined_tools([*trusted, harvest.tools, *limited])
    report = with_tools(validated, tools, config)
    report = with_waivers(report, config, waivers or {})
    awaited = harvest.awaited if config.tier1.enabled and not around.is_over else ()
    return CompletedReport(report, awaited)


def _reporting_jobs(posted: Sequence[PostedTools]) -> list[str]:
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


def _fetched(
    pull: Change, remote: RemoteRepository, options: ValidationOptions, process: ValidationProcess, *, everything: bool
) -> ValidationReport:
    with remote.checkout(pull, settings_sha=options.settings, everything=everything) as checkout:
        return _in_process(pull, checkout.repository, options, process)


def _in_process(
    pull: Change, repository: Path, options: ValidationOptions, process: ValidationProcess
) -> ValidationReport:
    try:
        inherited = _inherited(pull, repository, options, process)
    except CouldNotRun as error:
        raise _Damaged(str(error)) from None
    request = ValidationRequest(
        str(repository),
        pull.base_sha,
        pull.head_sha,
        base_name=pull.base_ref,
        head_name=pull.head_ref,
        pull_text=pull.pull_text,
        inherited=inherited,
        options=options,
    )
    try:
        return validate_isolated(
            request,
            deadline_s=process.deadline_s,
            memory_bytes=process.memory_bytes,
            on_started=process.on_started,
            on_progress=process.on_progress,
            stop=process.stop,
            model=process.model,
        )
    except ConfigurationError as error:
        return _configuration_report(pull, [str(problem) for problem in error.problems])
    except ValidationEnded as error:
        _log.error("validation ended (%s), incident %s: %s", error.why, error.incident, error.last_words[-2000:])
        raise ValidationFailed(str(error)) from None
    except UsageError as error:
        raise ValidationFailed(str(error)) from None
    except CouldNotRun as error:
        raise _Damaged(str(error)) from None


def _inherited(pull: Change, repository: Path, options: ValidationOptions, process: ValidationProcess) -> Inherited:
    if process.inherit is None:
        return Inherited()
    with Repository(repository) as opened:
        tree = opened.tree(options.settings or pull.base_sha)
        return process.inherit(extends_of(tree))


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
        not_checked=(NotChecked("everything", "the configuration is invalid: fix the errors listed above"),),
    )
