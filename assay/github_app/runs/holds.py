"""Holds: place one on a head, release it, and record what was accepted.

A hold belongs to one head. The risk of the change places it (`tier3.riskThresholdForHold`), missing results do
(`tier1.requireTests`), or a user. The next push is held again, also after a hold by a user. Only a user releases a
hold; there is no time-out. A hold for missing results alone ends with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github.errors import CommandRefused
from assay.github.events.model import Person, PullFacts
from assay.github.publish import (
    LIKELIHOOD,
    HoldFacts,
    critical_signals,
    held_level,
    is_for_missing,
    is_held_for_likelihood,
    missing_in,
)
from assay.github_app.store import EventKind, HoldRow, Store
from assay.validators import RiskLevel, ValidationReport, as_code

_MOST_REASONS = 20
VERDICT_CHANGED = "the verdict changed"
"""Reason of a release by no user."""


def hold_where_due(store: Store, report: ValidationReport, repository_id: int, number: int, at: datetime) -> None:
    """Hold a validated head if its risk or missing results require it, or a user held an earlier head.

    A released hold of this head stays released while the signals behind it are those accepted: with a changed
    configuration, validation may find others.
    """
    head = report.head.sha
    level = held_level(report)
    known = store.holds.current(repository_id, number, head)
    by_hand = _asked_for(store, repository_id, number, head)
    if not report.hold and (by_hand is None or known is not None):
        if known is not None and known.is_active and is_for_missing(known.reasons):
            store.holds.release(repository_id, number, head, None, VERDICT_CHANGED, at)
        return
    reasons = [*_reasons(report)] if report.hold else []
    if by_hand is not None:
        reasons += [f"{by_hand.placed_by} held {by_hand.head_sha[:12]}; new commits were pushed since"]
    if known is not None and known.is_active:
        before = [one for one in known.reasons if one not in missing_in(known.reasons)]
        reasons = list(dict.fromkeys((*before, *reasons)))
    by = by_hand.placed_by if by_hand is not None and not report.hold else None
    is_accepted = known is not None and known.released_by is not None and _signals(reasons) <= _signals(known.reasons)
    is_anew = known is not None and not known.is_active and not is_accepted
    _place(store, (repository_id, number, head), level, reasons, at, by=by, is_anew=is_anew)


def hold_by_hand(
    store: Store, report: ValidationReport | None, pull: tuple[int, int, str], by: str, reason: str, at: datetime
) -> None:
    """Hold a head for a user; `pull` is (repository id, number, head). Add the reason to an active hold."""
    known = store.holds.current(*pull)
    level = known.level if known else report.risk.level if report and report.risk else RiskLevel.low
    before = known.reasons if known and known.is_active else ()
    asked = f"{by} asked for it" + (f": {reason}" if reason else "")
    _place(store, pull, level, list(dict.fromkeys((*before, asked))), at, by=by)


def hold_again(store: Store, place: tuple[int, int, str], why: str, at: datetime) -> None:
    """Hold a released head again because its change differs now; `place` is (repository id, number, head).

    Idempotent. Heads that were never held, or still are, do not change.
    """
    known = store.holds.current(*place)
    if known is None or known.is_active or known.released_by is None:
        return
    _place(store, place, known.level, list(dict.fromkeys((*known.reasons, why))), at, is_anew=True)


def hold_facts(store: Store, repository_id: int, number: int, head_sha: str) -> HoldFacts | None:
    """Return the hold of a head for display, or None if it was never held or the hold ended by itself."""
    row = store.holds.current(repository_id, number, head_sha)
    if row is None or (not row.is_active and row.released_by is None):
        return None
    return HoldFacts(row.level, row.reasons, row.placed_by, row.released_by, row.release_reason or "")


@dataclass(frozen=True, slots=True)
class Release:
    """Request to release a head: user, reason, pull request; `made_by` names its authors, for the log."""

    by: Person
    reason: str
    pull: PullFacts
    made_by: Sequence[str]
    report: ValidationReport | None
    repository_id: int
    key: str


def release(store: Store, asked: Release, at: datetime) -> HoldRow:
    """Release a hold; the caller has checked that the user may.

    Raises:
        CommandRefused: no active hold, or the reason does not name the critical signals.
    """
    hold = store.holds.current(asked.repository_id, asked.pull.number, asked.pull.head_sha)
    if hold is None or not hold.is_active:
        raise CommandRefused("Nothing is held here.", code="command.nothing-held")
    accepted = critical_signals(asked.report) if hold.level == RiskLevel.critical else ()
    if hold.level == RiskLevel.critical:
        _check_reason(asked.reason, accepted)
    with store.together():
        done = store.holds.release(
            asked.repository_id, asked.pull.number, hold.head_sha, asked.by.login, asked.reason, at
        )
        if done is None:
            raise CommandRefused("Another user has just released this hold.")
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


def _check_reason(reason: str, signals: Sequence[str]) -> None:
    """Raise `CommandRefused` unless the reason names every critical signal and explains the decision."""
    missing = [name for name in signals if _plain(name) not in f" {_plain(reason)} "]
    words = _plain(reason).split()
    named = {word for name in signals for word in _plain(name).split()}
    if missing or not [word for word in words if word not in named and len(word) > 1]:
        names = ", ".join(signals)
        example = f"/assay release {names}{': ' if names else ''}why this is acceptable"
        raise CommandRefused(
            f"To release a critical risk, name each signal and the reason, as in {as_code(example, 0)}."
        )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def _asked_for(store: Store, repository_id: int, number: int, head: str) -> HoldRow | None:
    """Return the newest hold that a user placed on another head, or on this one in another pull request.

    A second pull request with the same head must not bypass the hold.
    """
    others = (row for row in store.holds.of_head(repository_id, head) if row.number != number and row.is_active)
    history = store.holds.history(repository_id, number)
    by_hand = [
        *(row for row in history if row.placed_by is not None and row.head_sha != head),
        *(row for row in others if row.placed_by is not None),
    ]
    return by_hand[-1] if by_hand else None


def _signals(reasons: Iterable[str]) -> set[str]:
    """Return the subject of each reason: a signal's name, or the user who asked for the hold."""
    return {reason.partition(":")[0] for reason in reasons}


def _reasons(report: ValidationReport) -> Iterable[str]:
    """Yield missing results, the statements of the level that holds, and the likelihood if it holds."""
    yield from missing_in(report.reasons)
    if report.risk is None or is_for_missing(report.reasons):
        return
    for one in report.risk.statements:
        if one.level is held_level(report):
            yield f"{one.signal}: {one.text}"
    if is_held_for_likelihood(report):
        yield f"{LIKELIHOOD}: {report.risk.level}"


def _place(
    store: Store,
    place: tuple[int, int, str],
    level: str,
    reasons: Sequence[str],
    at: datetime,
    *,
    by: str | None = None,
    is_anew: bool = False,
) -> None:
    """Place a hold, and log it as an event."""
    with store.together():
        hold = store.holds.place(*place, level, reasons[:_MOST_REASONS], at, by=by, is_anew=is_anew)
        data = {
            "head_sha": hold.head_sha,
            "level": hold.level,
            "turn": hold.turn,
            "by": hold.placed_by,
            "reasons": [*hold.reasons],
        }
        key = f"{hold.repository_id}#{hold.number}@{hold.head_sha}:{hold.turn}"
        store.events.append(EventKind.hold_placed, key, at, hold.repository_id, hold.number, data=data)
