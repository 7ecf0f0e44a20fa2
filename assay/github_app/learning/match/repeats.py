"""Repeated mistakes: threads that ask again for what earlier pull requests were asked for.

Computed from all stored comments, so their order of arrival does not matter. A deleted or edited comment withdraws its
repeat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from assay.github_app.learning.handout.delivery import was_delivered
from assay.github_app.store import EventKind, HandoutRow, MatchRow, PullRow, SourceRow, Store


def note_repeats(store: Store, place: tuple[int, str], at: datetime) -> tuple[MatchRow, ...]:
    """Record which threads repeat a rule, once per thread; return all of them, oldest first."""
    repository_id, rule_id = place
    with store.together():
        if store.rules.get(*place) is None:
            return ()
        sources, handouts = store.rules.sources(*place), store.rules.handouts(repository_id, rule_id=rule_id)
        pulls = {number: store.pulls.get(repository_id, number) for number in {one.number for one in sources}}
        due = _matches_by_thread(sources, pulls, handouts)
        for known in store.rules.matches(repository_id, rule_id=rule_id):
            if known.thread not in due:
                store.rules.withdraw_match(repository_id, known.thread, rule_id, at)
        for found in due.values():
            if store.rules.match(found):
                _log(store, found, pulls[found.number])
        if any(was_delivered(handouts, one.number, pulls[one.number], one.at) for one in sources):
            store.rules.mark_ineffective(*place, at)
        return store.rules.matches(repository_id, rule_id=rule_id)


def _matches_by_thread(
    sources: Sequence[SourceRow],
    pulls: Mapping[int, PullRow | None],
    handouts: Sequence[HandoutRow],
) -> dict[str, MatchRow]:
    """Map each thread to its repeat."""
    found: dict[str, MatchRow] = {}
    for place, source in enumerate(sources):
        before = {one.number for one in sources[:place]} - {source.number}
        if not before or source.thread in found:
            continue
        pull = pulls[source.number]
        found[source.thread] = MatchRow(
            repository_id=source.repository_id,
            thread=source.thread,
            rule_id=source.rule_id,
            number=source.number,
            comment_kind=source.comment_kind,
            comment_id=source.comment_id,
            at=source.at,
            num_pulls_before=len(before),
            score=source.score,
            author=pull.author if pull else None,
            agent=pull.agent if pull else None,
            prompt_version=pull.prompt_version if pull else None,
            is_after_handout=was_delivered(handouts, source.number, pull, source.at),
        )
    return found


def _log(store: Store, found: MatchRow, pull: PullRow | None) -> None:
    data = {
        "rule_id": found.rule_id,
        "thread": found.thread,
        "num_pulls_before": found.num_pulls_before,
        "agent": found.agent,
        "prompt_version": found.prompt_version,
        "is_after_handout": found.is_after_handout,
    }
    key = f"{found.repository_id}:{found.thread}:{found.rule_id}"
    task_id = pull.task_id if pull else None
    store.events.append(EventKind.mistake_repeated, key, found.at, found.repository_id, found.number, task_id, data)
