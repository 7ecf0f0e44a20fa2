"""Holding a head until a person has looked: who placed the hold, who may release it, and what was accepted.

A hold belongs to one head. The risk of a change places it (`tier3.riskThresholdForHold`), or a person does; the next
push is held again, also where only a person asked for it. Nothing but a person releases it: there is no time-out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github.errors import CommandRefused
from assay.github.events.model import Person, PullFacts
from assay.github.publish import HoldFacts
from assay.github_app.store import EventKind, HoldRow, Store
from assay.validators import RiskLevel, ValidationReport, as_code

_MOST_REASONS = 20


def hold_where_due(store: Store, report: ValidationReport, repository_id: int, number: int, at: datetime) -> None:
    """Once a head is judged: hold it where its risk asks for it, or where a person held an earlier head.

    A hold of this head that was released stays released, as long as its level and the signals behind it are those that
    were accepted: a configuration that has changed since may find others.
    """
    head = report.head.sha
    level = report.risk.level if report.risk else RiskLevel.low
    known = store.holds.current(repository_id, number, head)
    by_hand = _asked_for(store, repository_id, number, head)
    if not report.hold and (by_hand is None or known is not None):
        return
    reasons = [*_reasons(report)] if report.hold else []
    if by_hand is not None:
        reasons += [f"{by_hand.placed_by} held {by_hand.head_sha[:12]}; there are new commits since"]
    if known is not None and known.is_active:
        reasons = list(dict.fromkeys((*known.reasons, *reasons)))
    by = by_hand.placed_by if by_hand is not None and not report.hold else None
    is_anew = known is not None and not known.is_active and not _signals(reasons) <= _signals(known.reasons)
    with store.together():
        placed = store.holds.place(
            repository_id, number, head, level, reasons[:_MOST_REASONS], at, by=by, is_anew=is_anew
        )
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
    """Who wants to release which head, and why; `made_by` is who made it, for the log."""

    by: Person
    reason: str
    pull: PullFacts
    made_by: Sequence[str]
    report: ValidationReport | None
    repository_id: int
    key: str


def release(store: Store, asked: Release, at: datetime) -> HoldRow:
    """Let a held head go on, for somebody whom `authority` permits it.

    Raises:
        CommandRefused: nothing is held, or a critical risk is not accepted by name.
    """
    hold = store.holds.current(asked.repository_id, asked.pull.number, asked.pull.head_sha)
    if hold is None or not hold.is_active:
        raise CommandRefused("Nothing is held here.")
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
            "made_by": [*asked.made_by],
        }
        store.events.append(EventKind.hold_released, asked.key, at, asked.repository_id, asked.pull.number, data=data)
    return done


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


def _asked_for(store: Store, repository_id: int, number: int, head: str) -> HoldRow | None:
    """Return the newest hold that a person placed on another head, or on this one in another pull request.

    Whoever opens a second pull request of a held commit does not get it unheld.
    """
    others = (row for row in store.holds.of_head(repository_id, head) if row.number != number and row.is_active)
    history = store.holds.history(repository_id, number)
    by_hand = [
        *(row for row in history if row.placed_by is not None and row.head_sha != head),
        *(row for row in others if row.placed_by is not None),
    ]
    return by_hand[-1] if by_hand else None


def _signals(reasons: Iterable[str]) -> set[str]:
    """Return what each reason is about: a signal's name, or who asked for it."""
    return {reason.partition(":")[0] for reason in reasons}


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
