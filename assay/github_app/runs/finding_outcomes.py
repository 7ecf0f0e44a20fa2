"""Outcomes of a model's findings that only GitHub has: reactions to their notes, and what the last push edited.

GitHub sends no event for a reaction, so reactions are read before each validation and when the pull request ends.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

from assay.github.client import Permission, Repo
from assay.github.errors import GithubRefused
from assay.github.publish import our_notes
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.runtime.context import Context
from assay.github_app.store import DecidedBy, FindingOutcome, PullRow, ReviewFindingRow, Store
from assay.validators import QuotedLines, ReportUnreadable, Side, read_report, word_spans

_log = logging.getLogger(__name__)
MOST_NOTES = 25
"""Chosen limit: notes whose reactions are read at once; a review reports five findings."""
MOST_PEOPLE = 20
"""Chosen limit: accounts whose permission is read at once."""
MOST_FILES = 20
"""Chosen limit: files that are read at the end of a pull request."""
AGAINST = "-1"


def read_reactions(context: Context, repo: Repo, pull: PullRow) -> None:
    """Record findings as dismissed if a user with write permission reacted to their note with a thumbs-down."""
    store, place = context.store, (pull.repository_id, pull.number)
    standing = {row.finding_id for row in store.review_findings.standing(*place)}
    if not standing:
        return
    try:
        _read_reactions(context, repo, pull, standing)
    except GithubRefused as refused:
        _log.warning("the reactions of #%d cannot be read: %s", pull.number, refused)


def _read_reactions(context: Context, repo: Repo, pull: PullRow, standing: Collection[str]) -> None:
    store, place = context.store, (pull.repository_id, pull.number)
    notes = [(name, note) for name, note in our_notes(repo, pull.number).items() if name in standing]
    can_write: dict[str, bool] = {}
    for finding_id, note in notes[:MOST_NOTES]:
        for person in repo.reactions(note, AGAINST):
            if person.is_bot:
                continue
            if person.login not in can_write:
                if len(can_write) >= MOST_PEOPLE:
                    return
                can_write[person.login] = repo.permission_of(person.login).at_least(Permission.write)
            if can_write[person.login]:
                store.review_findings.decide(
                    place,
                    finding_id,
                    FindingOutcome.dismissed,
                    DecidedBy.reaction,
                    context.clock(),
                    decider=person.login,
                    by_author=pull.author_id is not None and pull.author_id == person.id,
                )
                break


def settle(context: Context, pull: PullRow) -> None:
    """Give each standing finding of an ended pull request its outcome; makes requests only if there is one."""
    store, place = context.store, (pull.repository_id, pull.number)
    if not store.review_findings.standing(*place):
        return
    try:
        with context.repo(pull.repository_id, FOR_READING) as repo:
            read_reactions(context, repo, pull)
            standing = store.review_findings.standing(*place)
            edited = _edited_since(store, repo, pull, standing)
    except GithubRefused as refused:  # the App has no access any more
        _log.warning("the findings of #%d get no outcome: %s", pull.number, refused)
        return
    ended = DecidedBy.merged if pull.is_merged else DecidedBy.closed
    for row in standing:
        is_edited = row.finding_id in edited
        outcome = FindingOutcome.acted_on if is_edited else FindingOutcome.ignored
        by = DecidedBy.last_push if is_edited else ended
        store.review_findings.decide(place, row.finding_id, outcome, by, context.clock())


def _edited_since(store: Store, repo: Repo, pull: PullRow, standing: tuple[ReviewFindingRow, ...]) -> frozenset[str]:
    """Return the findings whose lines a push after the last report edited or removed."""
    last = store.runs.newest_reported(pull.repository_id, pull.number)
    if last is None or last.head_sha == pull.head_sha:
        return frozenset()
    about = _places(store.runs.report(last.id))
    files: dict[str, list[str]] = {}
    edited = []
    for row in standing:
        lines = about.get(row.finding_id)
        if lines is None or (lines.path not in files and len(files) >= MOST_FILES):
            continue
        if lines.path not in files:
            try:
                content = repo.file(lines.path, pull.head_sha)
            except GithubRefused as refused:
                _log.warning(
                    "a file of #%d cannot be read, so its finding counts as standing: %s", pull.number, refused
                )
                continue
            files[lines.path] = (content or b"").decode("utf-8", "surrogateescape").splitlines()
        is_there = any(word_spans(files[lines.path], lines.quote))
        # A finding about removed lines is addressed when they are back.
        if is_there is (lines.side is Side.base):
            edited.append(row.finding_id)
    return frozenset(edited)


def _places(report: bytes | None) -> Mapping[str, QuotedLines]:
    try:
        review = read_report(report).review if report is not None else None
    except ReportUnreadable:  # of another version
        return {}
    return {one.finding: one.lines for one in review.places} if review is not None else {}
