"""What a maintainer decides about a rule, whichever way it reaches us: command, command line, interface or page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assay.github_app.learning.quorum import confirm
from assay.github_app.learning.repository_settings import kept_settings
from assay.github_app.learning.smells import smell_of
from assay.github_app.store import RuleRow, RuleState, Store
from assay.validators import Learning


class Decision(StrEnum):
    """Accept: it holds. Reject: it is no rule, and what says the same teaches nothing. Purge: its words go for good."""

    accept = "accept"
    reject = "reject"
    purge = "purge"


class CannotDecide(Exception):
    """Why it cannot be done, as one line of Markdown in our words."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided: the rule as it stood before, and whether anything changed by it."""

    rule: RuleRow
    is_news: bool


def decide(
    store: Store,
    place: tuple[int, str],
    decision: Decision,
    at: datetime,
    *,
    by: str,
    why: str | None = None,
    key: str = "",
    settings: Learning | None = None,
) -> Decided:
    """Do what the person `by` decided about the rule at `place`, once for each `key`.

    Whoever calls has made sure that the person may. `settings` are the repository's, by default those that were last
    seen of it. Raises `CannotDecide`: there is no such rule, or what it says may never hold.
    """
    with store.together():
        row = store.rules.get(*place)
        if row is None:
            raise CannotDecide("there is no such rule (any more)")
        if decision is Decision.purge:
            return Decided(row, store.rules.purge(*place, at, by=by, why=why, key=key))
        if decision is Decision.reject:
            return Decided(row, store.rules.reject(*place, at, by=by, why=why, key=key))
        smell = smell_of(row.text)
        if smell is not None:
            raise CannotDecide(f"its own words smell of {smell}, so it can never hold; reject or purge it")
        if row.state is RuleState.confirmed:
            return Decided(row, is_news=False)
        settings = settings or kept_settings(store, place[0])
        return Decided(row, confirm(store, row, at, by=by, settings=settings, key=key))
