"""Decisions of a maintainer about a rule, from a command, the CLI, the API or the dashboard."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assay.coded_error import CodedError
from assay.github.authority import AUTHORITY, Act
from assay.github.events.model import Person
from assay.github_app.learning.rules.quorum import confirm
from assay.github_app.rule_matching.screen import unfit
from assay.github_app.store import RuleRow, RuleState, Store


class Decision(StrEnum):
    """Confirm a rule, reject it with all comments that match it, or purge its text."""

    accept = "accept"
    reject = "reject"
    purge = "purge"


_ACTS = {
    Decision.accept: Act.rule_accept,
    Decision.reject: Act.rule_reject,
    Decision.purge: Act.rule_purge,
}
LEARNED = "learned_rules"
"""Quality rule that reports violations of learned rules; the learned rule's id follows a dot."""


class CannotDecide(CodedError):
    """Decision that is not possible; the reason is one line of Markdown."""


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """The rule before the decision, and whether the decision changed it."""

    rule: RuleRow
    is_news: bool


def decide(
    store: Store,
    place: tuple[int, str],
    decision: Decision,
    at: datetime,
    *,
    by: str,
    person: Person | None = None,
    why: str | None = None,
    key: str = "",
) -> DecisionResult:
    """Apply the decision of `by` to the rule at `place`, once per `key`.

    The caller has checked the permission. `person` is the deciding account; tokens and the operator have none.

    Raises:
        CannotDecide: the rule does not exist, may not be confirmed, or blocks a pull request of `person`.
    """
    with store.together():
        row = store.rules.get(*place)
        if row is None:
            raise CannotDecide("no such rule", code="rule.unknown")
        refuse_own(store, place, _ACTS[decision], person)
        if decision is Decision.purge:
            return DecisionResult(row, store.rules.purge(*place, at, by=by, why=why, key=key))
        if decision is Decision.reject:
            return DecisionResult(row, store.rules.reject(*place, at, by=by, why=why, key=key))
        sign = unfit(row.text)
        if sign is not None:
            raise CannotDecide(f"the screen found {sign} in its text, so it cannot be confirmed; reject or purge it")
        if row.state is RuleState.confirmed:
            return DecisionResult(row, is_news=False)
        return DecisionResult(row, confirm(store, row, at, by=by, key=key))


def refuse_own(store: Store, place: tuple[int, str], act: Act, person: Person | None) -> None:
    """Raise `CannotDecide` if the rule blocks a pull request of `person` and the act is barred then."""
    if person is None or not AUTHORITY[act].bars_own_rules:
        return
    own = _blocked_of(person, store, *place)
    if own is not None:
        raise CannotDecide(
            f"it blocks your pull request #{own}; another maintainer has to decide", code="rule.own-change"
        )


def _blocked_of(person: Person, store: Store, repository_id: int, rule_id: str) -> int | None:
    """Return an open pull request of the person's that the rule blocks; None where there is none."""
    for pull in store.pulls.open_in(repository_id):
        is_theirs = (
            person.id == pull.author_id if person.id and pull.author_id else person.login.lower() == pull.author.lower()
        )
        run = store.runs.newest_reported(repository_id, pull.number) if is_theirs else None
        found = store.runs.findings(run.id) if run is not None else ()
        if any(one.is_blocking and one.rule == f"{LEARNED}.{rule_id}" for one in found):
            return pull.number
    return None
