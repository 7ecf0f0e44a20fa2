"""Detect merged changes that were soon followed by a fix of the same lines.

Both pull requests trigger the check, because merges and line ranges arrive in any order. It compares the lines the
first change added with those the second removed or replaced. `SLACK_LINES` allows for merges in between that move
lines; a fix that moved further is missed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta

from assay.github_app.outcomes.record.outcome_log import log_outcome
from assay.github_app.outcomes.record.reverts import is_revert
from assay.github_app.store import ChangedLines, OutcomeKind, PullRow, Side, Store

FIX_WITHIN = timedelta(days=14)
"""Maximum time between a change and its fix; later fixes are less likely to be about the change."""

SLACK_LINES = 3

_FIX = re.compile(r"\b(?:bug|hot|quick)?-?fix(?:e[sd]|ing)?\b|\b(?:bug|regression|broken|repairs?)\b", re.IGNORECASE)
_LABEL = re.compile(r"\b(?:bug|fix|bugfix|hotfix|regression)\b", re.IGNORECASE)


def note_follow_ups(store: Store, repository_id: int, number: int) -> None:
    """Record what this pull request fixes, and what fixes it, from the current data."""
    pull = store.pulls.get(repository_id, number)
    if pull is None or not pull.is_merged or pull.merged_at is None:
        return
    places = store.changes.of(repository_id, number, pull.head_sha)
    at = pull.merged_at
    put_in, taken_out = ({one.path for one in places if one.side is side} for side in (Side.head, Side.base))
    later = store.changes.of_merged(repository_id, Side.base, put_in, at, at + FIX_WITHIN)
    for other in later:
        _compare(store, pull, places, store.pulls.get(repository_id, other), later[other])
    if looks_like_a_fix(pull):
        earlier = store.changes.of_merged(repository_id, Side.head, taken_out, at - FIX_WITHIN, at)
        for other in earlier:
            _compare(store, store.pulls.get(repository_id, other), earlier[other], pull, places)


def looks_like_a_fix(pull: PullRow) -> bool:
    """Return whether title, branch or labels announce a fix; reverts are detected separately."""
    if is_revert(pull.title, pull.head_ref):
        return False
    said = (pull.title[:300], re.sub(r"[/_-]+", " ", pull.head_ref[:300]))
    return any(_FIX.search(text) for text in said) or any(_LABEL.search(label[:100]) for label in pull.labels)


def touches_the_same(first: Iterable[ChangedLines], second: Iterable[ChangedLines]) -> tuple[str, ...]:
    """Return the paths in which the second change removes or replaces lines that the first one added."""
    put_in: dict[str, list[ChangedLines]] = defaultdict(list)
    for place in first:
        if place.side is Side.head:
            put_in[place.path].append(place)
    return tuple(
        sorted(
            {
                place.path
                for place in second
                if place.side is Side.base and any(_overlap(place, other) for other in put_in.get(place.path, ()))
            }
        )
    )


def _overlap(one: ChangedLines, other: ChangedLines) -> bool:
    return one.first <= other.last + SLACK_LINES and other.first <= one.last + SLACK_LINES


def _compare(
    store: Store,
    first: PullRow | None,
    put_in: Iterable[ChangedLines],
    fix: PullRow | None,
    taken_out: Iterable[ChangedLines],
) -> None:
    if first is None or fix is None or first.merged_at is None or fix.merged_at is None:
        return
    if not (first.merged_at < fix.merged_at <= first.merged_at + FIX_WITHIN) or not looks_like_a_fix(fix):
        return
    paths = touches_the_same(put_in, taken_out)
    if not paths:
        return
    cause, kind = f"#{fix.number}", OutcomeKind.followed_by_fix
    detail = {"number": fix.number, "paths": list(paths[:20])}
    place = (first.repository_id, first.number)
    store.outcomes.put(*place, kind, first.head_sha, fix.merged_at, cause=cause, detail=detail)
    log_outcome(store, *place, kind, first.head_sha, fix.merged_at, cause=cause, detail={"number": fix.number})
