"""Effect of a rule: how often reviewers had to ask for it before and after it reached agents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from assay.github_app.store import RuleRow, Store
from assay.statistics import Interval, interval_of_rate_difference


@dataclass(frozen=True, slots=True)
class Effect:
    """Pull requests with a comment that asks for the rule, of all opened before and after `since`.

    `difference` is the interval of the rate after minus the rate before; None if either side has no pull request.
    """

    since: datetime
    asked_before: int
    pulls_before: int
    asked_after: int
    pulls_after: int
    difference: Interval | None


def effect_of(store: Store, row: RuleRow) -> Effect | None:
    """Return the effect of a rule; None if it reached no agent, or no comment asked for it.

    The pull request of the first comment, which started the rule, and earlier ones are not counted, nor are Assay's own
    proposals for AGENTS.md: they have no code that could break a rule, so each would make a delivery look effective.
    Where old pull requests are deleted, those of the complete time count: the ones with such a comment are kept.
    """
    place = (row.repository_id, row.rule_id)
    handouts = store.rules.handouts(row.repository_id, rule_id=row.rule_id)
    since = min((one.at for one in handouts), default=row.confirmed_at)
    sources = store.rules.sources(*place)
    if since is None or not sources:
        return None
    first = sources[0]
    known = store.repositories.get(row.repository_id)
    begins = known.history_since if known is not None else None
    opened = [
        (pull.created_at, pull.number)
        for pull in store.pulls.all_in(row.repository_id)
        if pull.created_at is not None
        and pull.created_at >= first.at
        and pull.number != first.number
        and (begins is None or pull.created_at > begins)
        and not pull.is_own_proposal
    ]
    asked = {one.number for one in sources}
    before = [number for at, number in opened if at < since]
    after = [number for at, number in opened if at >= since]
    hits = (len(asked.intersection(before)), len(asked.intersection(after)))
    difference = interval_of_rate_difference(hits[0], len(before), hits[1], len(after)) if before and after else None
    return Effect(since, hits[0], len(before), hits[1], len(after), difference)
