"""Merge queue: the verdict of a merge group, taken from the verdicts of its pull requests.

A group's head is a new commit without new changes: each member was validated before. So the group gets the worst of
its members' current Check Runs, which include waivers and releases. Only if a member has no verdict, or a commit names
no pull request, Assay validates the group's own change, without a model and without waiting for other checks, since
the queue waits for them anyway.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.github.client import CheckConclusion, CheckOutput, CheckStatus, CommitFacts, Repo
from assay.github.errors import CheckoutFailed, GithubRefused, ValidationFailed
from assay.github.events.model import CheckFacts, MergeGroupEvent
from assay.github.publish.check_texts import summary_of, text_of
from assay.github.publish.verdict import could_not_run, ending_of
from assay.github.pull_request.validate import ValidationProcess, complete, validate_pull_request
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.runs.sources import remote_of
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.organization import inheriting
from assay.github_app.store import RunRow, RunState
from assay.validators import ValidationOptions, as_code, as_prose

MOST_MEMBERS = 100
"""Maximum pull requests per merge group on GitHub."""
GROUP_DEADLINE_S = 600.0

_log = logging.getLogger(__name__)
_REF = re.compile(
    r"(?:refs/heads/)?gh-readonly-queue/(?P<base>.+)/pr-(?P<number>[1-9][0-9]{0,9})-(?P<sha>[0-9a-f]{40,64})"
)
_MERGED = re.compile(r"Merge pull request #([1-9][0-9]{0,9})(?!\S)")
_SQUASHED = re.compile(r"\(#([1-9][0-9]{0,9})\)\s*$")
_WORST_FIRST = (
    CheckConclusion.failure,
    CheckConclusion.action_required,
    CheckConclusion.neutral,
    CheckConclusion.success,
)


@dataclass(frozen=True, slots=True)
class Group:
    """Merge group as its ref names it: target branch and number of the last member."""

    base_ref: str
    number: int


@dataclass(frozen=True, slots=True)
class Member:
    """Pull request of the group with our Check Run on its head; None if missing or not concluded."""

    number: int
    head_sha: str | None
    check: CheckFacts | None


@dataclass(frozen=True, slots=True)
class _GroupHead:
    """Base and head of the group's change."""

    base_sha: str
    head_sha: str
    base_ref: str
    head_ref: str
    number: None = None
    pull_text: str = ""


def group_of(head_ref: str) -> Group | None:
    """Parse a ref of the merge queue; return None for any other ref."""
    match = _REF.fullmatch(head_ref)
    return Group(match["base"], int(match["number"])) if match else None


def numbers_in(group: Group, commits: Sequence[CommitFacts]) -> tuple[int, ...] | None:
    """Return the pull requests named in the first-parent commits of the group, oldest first.

    None if a commit names no pull request. The author of a title can add numbers to it, but never remove one.
    """
    found: dict[int, None] = {}
    for commit in commits:
        first = commit.message.split("\n", 1)[0]
        # Read both patterns: a title that imitates one must not hide the other.
        named = [match for match in (_MERGED.match(first), _SQUASHED.search(first)) if match is not None]
        if not named:
            return None
        found |= dict.fromkeys(int(match[1]) for match in named)
    found.pop(group.number, None)
    return (*found, group.number)


def carried(members: Sequence[Member]) -> CheckOutput | None:
    """Return the worst verdict of the members, or None if a member has no verdict."""
    concluded = [(member, _conclusion(member.check)) for member in members]
    if not concluded or any(conclusion is None for _, conclusion in concluded):
        return None
    known = [(member, conclusion) for member, conclusion in concluded if conclusion is not None]
    worst = min((conclusion for _, conclusion in known), key=_WORST_FIRST.index)
    lines = [f"- #{member.number}: {_verdict_line(member.check, conclusion)}" for member, conclusion in known]
    one = next(member for member, conclusion in known if conclusion is worst)
    title = f"#{one.number}: {one.check.title or worst}" if one.check else str(worst)
    if len(known) > 1:
        title = f"{len(known)} pull requests · {title}"
    return CheckOutput(
        status=CheckStatus.completed,
        conclusion=worst,
        title=title,
        summary="\n".join(
            ["Each pull request of this group was validated separately; this is the worst verdict.", "", *lines]
        ),
    )


def answer(event: MergeGroupEvent, context: Context) -> None:
    """Publish the group's verdict on its head. Idempotent per event."""
    repository, group = event.about.repository, group_of(event.head_ref)
    if event.about.action != "checks_requested" or repository is None or group is None:
        return
    at = context.clock()
    run, _ = context.store.runs.begin(repository.id, None, event.head_sha, "merge_group", at, base_sha=event.base_sha)
    if run.state.is_ended:
        return
    context.store.runs.advance(run.id, RunState.running, at)
    with context.repo(repository.id, FOR_READING) as reading:
        output = carried(_members(group, event, repository.id, reading, context))
        # The base of a group may be another group's head, with a configuration that is not merged yet.
        tip = reading.tip_of(group.base_ref)
    with context.repo(repository.id) as repo:
        if output is None:
            begun = CheckOutput(
                CheckStatus.in_progress, "Validating the group", "A member of this group has no verdict yet."
            )
            _show(run, begun, repo, context)
            output = _validated(event, repository.id, tip, context)
        _show(run, output, repo, context)
    context.store.runs.advance(run.id, RunState.completed, context.clock())


def _members(
    group: Group, event: MergeGroupEvent, repository_id: int, repo: Repo, context: Context
) -> tuple[Member, ...]:
    """Return the pull requests of the group with their verdicts, or () if a commit's pull request is unknown.

    A member with an unfinished run, for example after a change of the configuration, has no verdict.
    """
    commits = repo.commits_between(event.base_sha, event.head_sha)
    numbers = None if commits is None else numbers_in(group, commits)
    if numbers is None or len(numbers) > MOST_MEMBERS:
        return ()
    members = (_member(number, repo) for number in numbers)
    active = context.store.runs.active
    return tuple(replace(one, check=None) if active(repository_id, one.number) else one for one in members)


def _member(number: int, repo: Repo) -> Member:
    try:
        pull = repo.pull(number)
    except GithubRefused:
        return Member(number, None, None)
    ours = repo.our_verdict(pull.head_sha)
    return Member(number, pull.head_sha, ours)


def _conclusion(check: CheckFacts | None) -> CheckConclusion | None:
    """Return the conclusion of our Check Run, or None if it could not run, was cancelled or is not concluded."""
    if check is None or check.status != "completed" or check.conclusion not in set(_WORST_FIRST):
        return None
    if (check.title or "").startswith(could_not_run(None)):
        return None
    return CheckConclusion(check.conclusion)


def _verdict_line(check: CheckFacts | None, conclusion: CheckConclusion) -> str:
    title = as_prose(check.title, 300) if check is not None and check.title else ""
    head = f" ({as_code(check.head_sha[:7])})" if check is not None else ""
    return f"{conclusion}{head}" + (f": {title}" if title else "")


def _show(run: RunRow, output: CheckOutput, repo: Repo, context: Context) -> None:
    """Update the Check Run on the group's head; create it if there is none."""
    known = run.check_run_id or repo.our_check(run.head_sha, run.external_id)
    if known is None:
        known = repo.create_check(run.head_sha, output, run.external_id)
    else:
        repo.update_check(known, output)
    context.store.runs.set_check_run(run.id, known, context.clock())


def _validated(event: MergeGroupEvent, repository_id: int, tip: str | None, context: Context) -> CheckOutput:
    """Validate the group's own change by Tiers 2 and 3; return a failure if validation could not run."""
    remote = remote_of(repository_id, context)
    head = _GroupHead(event.base_sha, event.head_sha, event.base_ref, event.head_ref)
    memory_bytes, inherit = context.settings.validation_memory_bytes, inheriting(context, repository_id)
    process = ValidationProcess(GROUP_DEADLINE_S, memory_bytes, inherit=inherit)
    try:
        report = complete(validate_pull_request(head, remote, ValidationOptions(settings=tip), process)).report
    except (CheckoutFailed, ValidationFailed) as error:
        _log.error("merge group %s: could not validate: %s", event.head_sha, error)
        return CheckOutput(
            CheckStatus.completed, could_not_run(None), as_prose(str(error), 500), conclusion=CheckConclusion.failure
        )
    ending = ending_of(report, None)
    return CheckOutput(
        status=CheckStatus.completed,
        conclusion=ending.conclusion,
        title=ending.title,
        summary=summary_of(report, None, is_app=True),
        text=text_of(report),
    )
