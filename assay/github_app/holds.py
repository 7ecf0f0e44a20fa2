"""Holding a head until a person has looked: who placed the hold, who may release it, and what was accepted.

A hold belongs to one head. The risk of a change places it (`tier3.riskThresholdForHold`), or a person does; the next
push is held again, also where only a person asked for it. Nothing but a person releases it: there is no time-out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github_app.errors import CommandRefused
from assay.github_app.events import Person, PullFacts
from assay.github_app.github import CommitFacts
from assay.github_app.publish import HoldFacts
from assay.github_app.store import EventKind, HoldRow, Store
from assay.validators import RiskLevel, ValidationReport, as_code

WEB_FLOW = "web-flow"
"""GitHub's own committer of what is merged or edited in the browser: nobody in particular."""

_FLAGS = re.IGNORECASE | re.MULTILINE
_CO_AUTHOR = re.compile(r"^co-authored-by:[ \t]*[^<\n]{0,200}<([^<>\s]{1,254})>[ \t]*\r?$", _FLAGS)
_NOREPLY = re.compile(r"(?:(\d{1,20})\+)?([A-Za-z0-9-]{1,60}(?:\[bot\])?)@users\.noreply\.[a-z0-9.-]{1,200}", _FLAGS)
_MOST_REASONS = 20


def hold_where_due(store: Store, report: ValidationReport, repository_id: int, number: int, at: datetime) -> None:
    """Once a head is judged: hold it where its risk asks for it, or where a person held an earlier head.

    A hold of this head that was released stays released, as long as the level is the one that was accepted.
    """
    head = report.head.sha
    level = report.risk.level if report.risk else RiskLevel.low
    known = store.holds.current(repository_id, number, head)
    by_hand = _asked_for(store.holds.history(repository_id, number), head)
    if not report.hold and (by_hand is None or known is not None):
        return
    reasons = [*_reasons(report)] if report.hold else []
    if by_hand is not None:
        reasons += [f"{by_hand.placed_by} held {by_hand.head_sha[:12]}; there are new commits since"]
    if known is not None and known.is_active:
        reasons = list(dict.fromkeys((*known.reasons, *reasons)))
    by = by_hand.placed_by if by_hand is not None and not report.hold else None
    with store.together():
        placed = store.holds.place(repository_id, number, head, level, reasons[:_MOST_REASONS], at, by=by)
        _log_placed(store, placed, at)


def hold_by_hand(
    store: Store, report: ValidationReport | None, pull: tuple[int, int, str], by: str, reason: str, at: datetime
) -> HoldRow:
    """A person holds a head; `pull` is (repository id, number, head). A hold that stands gains the reason."""
    repository_id, number, head = pull
    known = store.holds.current(repository_id, number, head)
    level = known.level if known else report.risk.level if report and report.risk else RiskLevel.low
    before = known.reasons if known and known.is_active else ()
    said = f"{by} asked for it" + (f": {reason}" if reason else "")
    reasons = list(dict.fromkeys((*before, said)))[:_MOST_REASONS]
    with store.together():
        placed = store.holds.place(repository_id, number, head, level, reasons, at, by=by)
        _log_placed(store, placed, at)
    return placed


def hold_anew(store: Store, place: tuple[int, int, str], why: str, at: datetime) -> None:
    """What was released is held again, since the head is another change now; `place` is (repository id, number, head).

    A head that never was held, or still is, stays as it is. Said again, it changes nothing.
    """
    known = store.holds.current(*place)
    if known is None or known.is_active:
        return
    reasons = list(dict.fromkeys((*known.reasons, why)))[:_MOST_REASONS]
    with store.together():
        _log_placed(store, store.holds.place(*place, known.level, reasons, at, is_anew=True), at)


def hold_facts(store: Store, repository_id: int, number: int, head_sha: str) -> HoldFacts | None:
    """The hold of a head as it is shown; None where it never was held."""
    row = store.holds.current(repository_id, number, head_sha)
    if row is None:
        return None
    return HoldFacts(row.level, row.reasons, row.placed_by, row.released_by, row.release_reason or "")


@dataclass(frozen=True, slots=True)
class Release:
    """Who wants to release which head, and why; `commits` are the pull request's, oldest first."""

    by: Person
    reason: str
    pull: PullFacts
    commits: Sequence[CommitFacts]
    report: ValidationReport | None
    repository_id: int
    key: str


def release(store: Store, asked: Release, at: datetime) -> HoldRow:
    """Let a held head go on. That the person may write in the repository is for the caller to know.

    Raises:
        CommandRefused: nothing is held, it is their own work, or a critical risk is not accepted by name.
    """
    hold = store.holds.current(asked.repository_id, asked.pull.number, asked.pull.head_sha)
    if hold is None or not hold.is_active:
        raise CommandRefused("Nothing is held here.")
    involved = {**_pushers(store, asked), **who_made(asked.pull, asked.commits)}
    own = next((involved[key] for key in _keys(asked.by) if key in involved), None)
    if own:
        raise CommandRefused(f"Somebody else has to release this: {own}.")
    accepted = critical_signals(asked.report) if hold.level == RiskLevel.critical else ()
    if hold.level == RiskLevel.critical:
        _check_reason(asked.reason, accepted)
    with store.together():
        done = store.holds.release(
            asked.repository_id, asked.pull.number, hold.head_sha, asked.by.login, asked.reason, at
        )
        if done is None:
            raise CommandRefused("Somebody else has just released it.")
        data = {
            "head_sha": hold.head_sha,
            "level": hold.level,
            "turn": hold.turn,
            "by": asked.by.login,
            "by_id": asked.by.id,
            "reason": asked.reason,
            "accepts": [*accepted],
            "held_for": [*hold.reasons],
            "made_by": sorted(involved),
        }
        store.events.append(EventKind.hold_released, asked.key, at, asked.repository_id, asked.pull.number, data=data)
    return done


def who_made(pull: PullFacts, commits: Sequence[CommitFacts]) -> Mapping[str, str]:
    """Who may not release the head, with the reason: who opened the pull request, and who made its last commit.

    Accounts by their login in lower case, and by `id:NUMBER`, which stays when they are renamed. An address that
    belongs to no account, or a second account of the same person, cannot be seen through.

    Raises:
        CommandRefused: the head is not among the commits, so nobody knows who made it.
    """
    head = next((commit for commit in commits if commit.sha == pull.head_sha), None)
    if head is None:
        raise CommandRefused("GitHub does not list the last commit, so it cannot be told whose it is.")
    made: dict[str, str] = {}
    for key in _co_authors(head, commits):
        made[key] = "you are a co-author of the last commit"
    for person in (head.author, head.committer):
        if person is not None and person.login.lower() != WEB_FLOW:
            made |= dict.fromkeys(_keys(person), "the last commit is yours")
    made |= dict.fromkeys(_keys(pull.author), "you opened this pull request")
    return made


def _pushers(store: Store, asked: Release) -> Mapping[str, str]:
    """Who pushed the head, by GitHub's own word: what a commit says of its maker anybody can write."""
    pushed: dict[str, str] = {}
    for event in store.events.of(asked.repository_id, asked.pull.number):
        if event.kind == EventKind.head_pushed and event.data.get("head_sha") == asked.pull.head_sha:
            login, id_ = event.data.get("by"), event.data.get("by_id")
            keys = [str(login).lower()] if login else []
            keys += [f"id:{id_}"] if id_ else []
            pushed |= dict.fromkeys(keys, "you pushed the last commit")
    return pushed


def critical_signals(report: ValidationReport | None) -> tuple[str, ...]:
    """What makes the risk critical, by the signals' names."""
    factors = report.risk.factors if report and report.risk else ()
    return tuple(dict.fromkeys(factor.signal for factor in factors if factor.level is RiskLevel.critical))


def _check_reason(reason: str, signals: Sequence[str]) -> None:
    """A critical risk is accepted in words, and by name."""
    missing = [name for name in signals if _plain(name) not in f" {_plain(reason)} "]
    words = _plain(reason).split()
    named = {word for name in signals for word in _plain(name).split()}
    if missing or not [word for word in words if word not in named and len(word) > 1]:
        names = ", ".join(signals)
        example = f"/assay release {names}{': ' if names else ''}why this is acceptable"
        raise CommandRefused(
            f"Critical risk is released with a reason that names what is accepted, as in {as_code(example, 0)}."
        )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def _co_authors(head: CommitFacts, commits: Iterable[CommitFacts]) -> Iterable[str]:
    """Who the trailers of the head name, as far as an address or another commit of theirs tells the account."""
    known = {one.author_email.lower(): one.author for one in commits if one.author is not None}
    for address in _CO_AUTHOR.findall(head.message[:65_536]):
        person = known.get(address.lower())
        if person is not None:
            yield from _keys(person)
        noreply = _NOREPLY.fullmatch(address)
        if noreply:
            yield noreply[2].lower()
            if noreply[1]:
                yield f"id:{noreply[1]}"


def _keys(person: Person) -> tuple[str, ...]:
    return (person.login.lower(),) if person.id is None else (person.login.lower(), f"id:{person.id}")


def _asked_for(history: Sequence[HoldRow], head: str) -> HoldRow | None:
    """The newest hold that a person placed on another head."""
    by_hand = [row for row in history if row.placed_by is not None and row.head_sha != head]
    return by_hand[-1] if by_hand else None


def _reasons(report: ValidationReport) -> Iterable[str]:
    """Why the risk holds the change: the factors of its highest level."""
    if report.risk is None:
        return
    for factor in report.risk.factors:
        if factor.level is report.risk.level:
            yield f"{factor.signal}: {factor.reason}"


def _log_placed(store: Store, hold: HoldRow, at: datetime) -> None:
    data = {
        "head_sha": hold.head_sha,
        "level": hold.level,
        "turn": hold.turn,
        "by": hold.placed_by,
        "reasons": [*hold.reasons],
    }
    key = f"{hold.repository_id}#{hold.number}@{hold.head_sha}:{hold.turn}"
    store.events.append(EventKind.hold_placed, key, at, hold.repository_id, hold.number, data=data)
