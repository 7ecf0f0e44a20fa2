"""Join a rule into another one that says the same: its comments and its wording count for that rule from then on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from assay.github.authority import Act
from assay.github.events.model import Person
from assay.github_app.learning.match.repeats import note_repeats
from assay.github_app.learning.repository_settings import kept_settings
from assay.github_app.learning.rules.deciding import CannotDecide, DecisionResult, refuse_own
from assay.github_app.learning.rules.quorum import PENDING, update_state
from assay.github_app.store import HOSTS, JOINABLE, LIVE, RuleRow, RuleState, Store
from assay.validators import Learning


def join(
    store: Store,
    place: tuple[int, str],
    into: str,
    at: datetime,
    *,
    by: str,
    person: Person | None = None,
    why: str | None = None,
    key: str = "",
    settings: Learning | None = None,
) -> DecisionResult:
    """Join the rule at `place` into the rule `into` of the same repository, once per `key`.

    The comments of an expired rule do not count as votes, and an expired `into` becomes pending again, as if a comment
    had repeated it. Repeats are recorded; nothing is posted. The caller has checked the permission.

    Raises:
        CannotDecide: the rules may not be joined, or the rule blocks a pull request of `person`.
    """
    with store.together():
        row, host = _known(store, place), _known(store, (place[0], into))
        if row.joined_into == into:
            return DecisionResult(row, is_news=False)
        refused = why_not_joined(row, host)
        if refused is not None:
            raise refused
        refuse_own(store, place, Act.rule_join, person)
        for one in (row, host):
            if one.state is RuleState.expired:
                store.rules.stop_counting(place[0], one.rule_id)
        replied = [one for one in store.rules.matches(place[0], rule_id=row.rule_id) if one.reply_id is not None]
        if not store.rules.join(*place, into, at, by=by, why=why, key=key):
            raise CannotDecide("one of the two rules has just changed; try again", code="rule.state")
        settings = settings or kept_settings(store, place[0])
        _extend(store, row, host, at)
        note_repeats(store, place, at)
        update_state(store, (place[0], into), at, settings)
        matches = {one.thread: one for one in note_repeats(store, (place[0], into), at)}
        for known in replied:
            # The thread is not answered again, and its reply is withdrawn with its comment.
            if known.reply_id is not None and known.thread in matches and matches[known.thread].reply_id is None:
                store.rules.replied(place[0], known.thread, into, known.reply_id)
        return DecisionResult(row, is_news=True)


def _known(store: Store, place: tuple[int, str]) -> RuleRow:
    row = store.rules.get(*place)
    if row is None:
        raise CannotDecide(f"no such rule: {place[1]}", code="rule.unknown")
    return row


def _extend(store: Store, row: RuleRow, host: RuleRow, at: datetime) -> None:
    """Keep the joined rule's time: an expired `host` becomes pending again, another one lasts at least as long."""
    if row.state not in LIVE:
        return
    if host.state is RuleState.expired:
        until = at + PENDING
        store.rules.reopen(host.repository_id, host.rule_id, at, expires_at=until, why="a rule was joined into it")
    elif row.expires_at is not None:
        store.rules.renew(host.repository_id, host.rule_id, row.expires_at)


def may_join(row: RuleRow, rows: Iterable[RuleRow]) -> list[RuleRow]:
    """Return those of a repository's rules that this one may be joined into."""
    if row.state not in JOINABLE:
        return []
    return [one for one in rows if one.state in HOSTS and why_not_joined(row, one) is None]


def why_not_joined(row: RuleRow, host: RuleRow) -> CannotDecide | None:
    """Return why a rule may not be joined into another one; None if it may."""
    if row.rule_id == host.rule_id:
        return CannotDecide("a rule cannot be joined into itself", code="rule.same")
    if row.state is RuleState.joined:
        text = f"it is joined into {row.joined_into} already; accept it first to split it off"
        return CannotDecide(text, code="rule.joined")
    if host.state is RuleState.joined:
        return CannotDecide(f"{host.rule_id} is joined into {host.joined_into}; name that rule", code="rule.joined")
    if row.state not in JOINABLE:
        return CannotDecide(f"it is {row.state}; accept or reject it first", code="rule.state")
    if host.state not in HOSTS:
        return CannotDecide(f"{host.rule_id} is {host.state}; accept it first", code="rule.state")
    if row.state is RuleState.confirmed and host.state is not RuleState.confirmed:
        text = f"it is confirmed and {host.rule_id} is {host.state}; accept that one first, or join it into this one"
        return CannotDecide(text, code="rule.state")
    if row.language is not None and host.language is not None and row.language != host.language:
        text = f"it is for {row.language}, {host.rule_id} for {host.language}"
        return CannotDecide(text, code="rule.language")
    return None
