"""Lines of security logs in the formats of many machines; attacks show only over many of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.attack_patterns import Event, Watch
from assay.memory_eval.exam.blocks.material.supplies import numbered
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.wording import fact

_FEW_TURNS = 20
_DAYS_BEFORE = 3
"""Most days between the first events and their statement."""
_ARRIVES_LATE = 8
"""Per cent of lines stated up to a dozen lines late."""
_BY_MACHINE = 62
"""Per cent of turns with lines in a machine's format; the others describe the lines in prose."""


class SecurityLogs(Block):
    """One to three events a turn, each with its time, type, source address, account and severity."""

    name = "security_logs"

    def drafts(self) -> list[Draft]:
        """Return turns whose events precede the day of the turn; an event's name is its number, "SEC-40718"."""
        if not self._num_turns:
            return []
        fewest = 2 if len(self._days) < _FEW_TURNS else 1
        sizes = [self._draws.between(fewest, 3) for _ in self._days]
        events = self._events(sizes)
        drafts, done = [], 0
        for size in sizes:
            told = [(self._number(len(events)), event) for event in events[done : done + size]]
            done += size
            facts = [one for number, event in told for one in _facts(number, event)]
            drafts.append(Draft(self._text(told), tuple(facts)))
        return drafts

    def _events(self, sizes: list[int]) -> list[Event]:
        """Return events in the order stated: nearly the order of time, and none before it happened."""
        first = datetime.combine(self._days[0] - timedelta(days=_DAYS_BEFORE), time(7))
        last = datetime.combine(self._days[-1], time(7))
        events = Watch(self._world, self._draws.apart("watch"), first, last, sum(sizes)).events()
        places = [
            (place + self._draws.between(2, 12) if self._draws.chance(_ARRIVES_LATE) else place, place)
            for place in range(len(events))
        ]
        events = [events[place] for _, place in sorted(places)]
        told_on = [day for day, size in zip(self._days, sizes, strict=True) for _ in range(size)]
        _move_back(events, told_on)
        return events

    def _number(self, num_events: int) -> str:
        return numbered(self._world, self._draws, "SEC", num_events, at_least=5)

    def _text(self, told: list[tuple[str, Event]]) -> str:
        """Return the lines of a turn, all of one host, and machine lines in one format."""
        host = self._draws.one(self._world.vocabulary("host_names"))
        form = self._telling.log_form() if self._draws.chance(_BY_MACHINE) else None
        texts = [self._line(_facts(number, event), host, form) for number, event in told]
        if self._draws.chance(75 if form else 30):
            texts.insert(0, self._telling.one("log_openings", host=host))
        return "\n".join(texts)

    def _line(self, facts: list[Fact], host: str, form: Mapping[str, str] | None) -> str:
        if form is None:
            return self._telling.facts(facts, again=False)
        values = [str(one["value"]) for one in facts]
        return self._telling.log_line(facts, [f"{values[0].replace(' ', 'T')}Z", *values[1:]], host, form)


def _move_back(events: list[Event], told_on: list[date]) -> None:
    """Move all events into the past, so that none is stated before it happened."""
    days = max((event.at.date() - day).days for event, day in zip(events, told_on, strict=True))
    if days > 0:
        for event in events:
            event.at -= timedelta(days=days)


def _facts(number: str, event: Event) -> list[Fact]:
    day = event.at.date().isoformat()
    values = {
        "event_at": f"{event.at:%Y-%m-%d %H:%M}",
        "event_type": event.type,
        "source_ip": event.address,
        "user": event.user,
        "severity": event.severity,
    }
    return [fact(number, attribute, value, day) for attribute, value in values.items() if value is not None]
