"""The merge queue: a group of pull requests gets its answer within seconds, from the verdicts its members have.

A group's head is a new commit, but nothing in it is new: each member was judged by itself. So the worst of their Check
Runs, as they stand on GitHub with every waiver and release, is said of the group. Only where a member has no verdict,
or a commit belongs to nobody we know, the group's own change is judged: without a model, and without waiting for
checks, which the queue itself waits for.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.github.client import CheckConclusion, CheckOutput, CheckStatus, CommitFacts, Repo
from assay.github.errors import CheckoutFailed, GithubRefused, JudgingFailed
from assay.github.events.model import CheckFacts, MergeGroupEvent
from assay.github.publish.check_texts import summary_of, text_of
from assay.github.publish.verdict import could_not_run, ending_of
from assay.github.pull_request.validate import JudgeLimits, judge_fetched, settle
from assay.github_app.permissions import FOR_READING
from assay.github_app.runs.sources import mirrors_of, source_of
from assay.github_app.runtime.context import Context
from assay.github_app.store import RunRow, RunState
from assay.validators import as_code, as_prose

MOST_MEMBERS = 100
"""GitHub merges at most 100 pull requests of a queue together."""
JUDGE_WITHIN_S = 600.0

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
    """What a queue's ref says: the branch merged into, the last member's number, and the commit the group begins at."""

    base_ref: str
    number: int
    parent_sha: str


@dataclass(frozen=True, slots=True)
class Member:
    """A pull request of the group, and our Check Run on its head; None where that is not concluded, or not there."""

    number: int
    head_sha: str | None
    check: CheckFacts | None


@dataclass(frozen=True, slots=True)
class _GroupHead:
    """The two ends of the group's change, for judging it."""

    base_sha: str
    head_sha: str
    base_ref: str
    head_ref: str
    number: None = None


def group_of(head_ref: str) -> Group | None:
    """The group a ref of the queue names; None for any other ref."""
    match = _REF.fullmatch(head_ref)
    return Group(match["base"], int(match["number"]), match["sha"]) if match else None


def numbers_in(group: Group, commits: Sequence[CommitFacts]) -> tuple[int, ...] | None:
    """The pull requests of the group, by what GitHub wrote into the commits along its main line, oldest first.

    None where a commit of that line names none: then nobody can say whose it is. Whoever chooses a title can add
    numbers to it, never take one away.
    """
    found: dict[int, None] = {}
    for commit in commits:
        first = commit.message.split("\n", 1)[0]
        # Both, where both are there: a title may pose as the one, and must not hide the other.
        named = [match for match in (_MERGED.match(first), _SQUASHED.search(first)) if match is not None]
        if not named:
            return None
        found |= dict.fromkeys(int(match[1]) for match in named)
    found.pop(group.number, None)
    return (*found, group.number)


def carried(members: Sequence[Member]) -> CheckOutput | None:
    """The worst verdict of the members, told for the group; None where one of them has none."""
    concluded = [(member, _conclusion(member.check)) for member in members]
    if not concluded or any(conclusion is None for _, conclusion in concluded):
        return None
    known = [(member, conclusion) for member, conclusion in concluded if conclusion is not None]
    worst = min((conclusion for _, conclusion in known), key=_WORST_FIRST.index)
    lines = [f"- #{member.number}: {_said(member.check, conclusion)}" for member, conclusion in known]
    one = next(member for member, conclusion in known if conclusion is worst)
    title = f"#{one.number}: {one.check.title or worst}" if one.check else str(worst)
    if len(known) > 1:
        title = f"{len(known)} pull requests · {title}"
    return CheckOutput(
        status=CheckStatus.completed,
        conclusion=worst,
        title=title,
        summary="\n".join(
            ["Each pull request of this group was judged by itself; this is the worst of their verdicts.", "", *lines]
        ),
    )


def answer(event: MergeGroupEvent, context: Context) -> None:
    """Say on the group's head how its members were judged. May be called again with the same event."""
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
        # The base of a group may be another group's head, with a configuration that nobody has merged.
        tip = reading.tip_of(group.base_ref)
    with context.repo(repository.id) as repo:
        if output is None:
            begun = CheckOutput(
                CheckStatus.in_progress, "Judging the group", "A member of this group has no verdict yet."
            )
            _show(run, begun, repo, context)
            output = _judged(event, repository.id, tip, context)
        _show(run, output, repo, context)
    context.store.runs.advance(run.id, RunState.completed, context.clock())


def _members(
    group: Group, event: MergeGroupEvent, repository_id: int, repo: Repo, context: Context
) -> tuple[Member, ...]:
    """The pull requests of the group with their verdicts; none at all where somebody unknown is among them.

    One that is being judged again, as after a change of the configuration, has no verdict.
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
    """What a concluded run of ours says about its change; None for one that could not look, or was stopped."""
    if check is None or check.status != "completed" or check.conclusion not in set(_WORST_FIRST):
        return None
    if (check.title or "").startswith(could_not_run(None)):
        return None
    return CheckConclusion(check.conclusion)


def _said(check: CheckFacts | None, conclusion: CheckConclusion) -> str:
    title = as_prose(check.title, 300) if check is not None and check.title else ""
    head = f" ({as_code(check.head_sha[:7])})" if check is not None else ""
    return f"{conclusion}{head}" + (f": {title}" if title else "")


def _show(run: RunRow, output: CheckOutput, repo: Repo, context: Context) -> None:
    """Put it on the group's head: one Check Run, found before it is made."""
    known = run.check_run_id or repo.our_check(run.head_sha, run.external_id)
    if known is None:
        known = repo.create_check(run.head_sha, output, run.external_id)
    else:
        repo.update_check(known, output)
    context.store.runs.set_check_run(run.id, known, context.clock())


def _judged(event: MergeGroupEvent, repository_id: int, tip: str | None, context: Context) -> CheckOutput:
    """The group's own change, judged by Tiers 2 and 3; what could not be judged is said so, and is a failure."""
    settings = context.settings
    source = source_of(repository_id, context)
    head = _GroupHead(event.base_sha, event.head_sha, event.base_ref, event.head_ref)
    limits = JudgeLimits(JUDGE_WITHIN_S, settings.judge_memory_bytes, settings_sha=tip)
    try:
        report = settle(judge_fetched(head, source, mirrors_of(settings), limits)).report
    except (CheckoutFailed, JudgingFailed) as error:
        _log.error("the group at %s could not be judged: %s", event.head_sha, error)
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
