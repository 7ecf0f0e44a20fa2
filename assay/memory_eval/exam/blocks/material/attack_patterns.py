"""Security events of a company: ordinary days, and attacks that show only over many log lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from assay.memory_eval.exam.blocks.material.supplies import inside_address, outside_address
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_LETTERS = "abcdefghijklmnoprstvwz"
_MOST_STAFF = 600
_COMES_BACK = 20
"""Per cent of attacks that come from an address of an earlier attack."""
_FEW_ATTACKERS = 3
_PAUSES = 30
"""Per cent of long attacks that pause for a day or two half-way."""
_FEWEST_FOR_AN_ATTACK = 4
_SMALL, _BIG = 7, 30
"""Most steps of an attack, in a small world and in a big one."""
_FEW_EVENTS = 8
"""Up to this many events, all belong to one attack: split with ordinary ones, neither would be recognizable."""
_ORDINARY = (
    *["successful login"] * 4,
    *["logout"] * 3,
    *["failed login"] * 3,
    *["VPN connection"] * 2,
    *["token refresh"] * 2,
    "password change",
    "refused second factor",
    "key rotation",
    "policy edit",
    "remote shell",
    "bulk download",
    "new account",
    "quarantined file",
    "firewall block",
)
_NOBODY_LOGGED_IN = ("firewall block", "port probe")


@dataclass(slots=True)
class Event:
    """One line of a log before it has its number. `user` is None if no account was logged in."""

    at: datetime
    type: str
    address: str
    user: str | None
    severity: str


@dataclass(frozen=True, slots=True)
class _Act:
    """One step of an attack."""

    type: str
    user: str | None
    severities: tuple[str, ...]


class Watch:
    """A period on the machines of one company: `events()` returns its events in order of time."""

    def __init__(self, world: World, draws: Draws, first: datetime, last: datetime, num: int) -> None:
        self._world = world
        self._draws = draws
        self._first = first
        self._minutes = int((last - first).total_seconds()) // 60
        self._num = num
        self._staff = [
            (self._account(), inside_address(world, draws)) for _ in range(max(6, min(num // 12, _MOST_STAFF)))
        ]
        self._attackers: list[str] = []

    def events(self) -> list[Event]:
        """Return the events, no two in one minute; about two thirds belong to attacks."""
        found: list[Event] = []
        room = self._num if self._num <= _FEW_EVENTS else self._num * 2 // 3
        most = max(_SMALL, min(self._num // 12, _BIG))
        patterns = [*_PATTERNS[:2], *self._draws.some(_PATTERNS[2:], len(_PATTERNS) - 2)]
        turn = 0
        while room - len(found) >= _FEWEST_FOR_AN_ATTACK:
            acts = patterns[turn % len(patterns)](self, min(most, room - len(found)))
            found += self._carried_out(acts)
            turn += 1
        found += [self._ordinary() for _ in range(self._num - len(found))]
        return _one_a_minute(found)

    # ------------------------------------------------------------------ patterns

    def brute_force(self, most: int) -> list[_Act]:
        """Return login attempts on one account, until one succeeds."""
        user, _ = self._draws.one(self._staff)
        tries = [_Act("failed login", user, ("low", "medium"))] * self._size(3, most - 1)
        return [*tries, _Act("successful login", user, ("high", "critical"))]

    def password_spraying(self, most: int) -> list[_Act]:
        """Return one login attempt on each of many accounts; now and then one succeeds."""
        num = self._size(3, min(most, len(self._staff)))
        users = [user for user, _ in self._draws.some(self._staff, num)]
        acts = [_Act("failed login", user, ("low", "medium")) for user in users]
        if num < most and self._draws.chance(40):
            acts.append(_Act("successful login", self._draws.one(users), ("high", "critical")))
        return acts

    def port_scan(self, most: int) -> list[_Act]:
        """Return connections to one port after the other, without a login."""
        return [_Act("port probe", None, ("low", "medium"))] * self._size(3, most)

    def privilege_escalation(self, most: int) -> list[_Act]:
        """Return a login, a gain of rights, and their use."""
        user, _ = self._draws.one(self._staff)
        acts = [
            _Act("successful login", user, ("medium", "high")),
            _Act("privilege change", user, ("high", "critical")),
        ]
        more = self._draws.between(1, min(most - 2, 5))
        return acts + [_Act(self._draws.one(("new account", "remote shell", "policy edit")), user, ("high",))] * more

    def exfiltration(self, most: int) -> list[_Act]:
        """Return a login at an odd hour and many downloads."""
        user, _ = self._draws.one(self._staff)
        login = _Act("successful login", user, ("medium", "high"))
        return [login, *[_Act("bulk download", user, ("high", "critical"))] * self._size(2, most - 1)]

    # ------------------------------------------------------------------ events

    def _carried_out(self, acts: list[_Act]) -> list[Event]:
        """Return the steps of an attack from one address, minutes to hours apart."""
        address = self._attacker()
        at = self._some_time()
        pace = self._draws.one((4, 12, 35, 80))
        rests_at = len(acts) // 2 if len(acts) > 8 and self._draws.chance(_PAUSES) else 0
        events = []
        for place, act in enumerate(acts):
            at += timedelta(minutes=self._draws.between(1, pace))
            if place and place == rests_at:
                at += timedelta(minutes=self._draws.between(1200, 2900))
            events.append(Event(at, act.type, address, act.user, self._draws.one(act.severities)))
        return events

    def _ordinary(self) -> Event:
        """Return an ordinary event, mostly from the account's usual address."""
        user, usual = self._draws.one(self._staff)
        kind = self._draws.one(_ORDINARY)
        severity = self._draws.one(("info", "info", "info", "low", "medium"))
        if kind in _NOBODY_LOGGED_IN:
            return Event(self._some_time(), kind, outside_address(self._world, self._draws), None, severity)
        return Event(self._some_time(), kind, usual, user, severity)

    def _size(self, fewest: int, most: int) -> int:
        """Return a size, small ones more often: many attacks with different counts."""
        return min(self._draws.between(fewest, most) for _ in range(2))

    def _attacker(self) -> str:
        if len(self._attackers) < _FEW_ATTACKERS or not self._draws.chance(_COMES_BACK):
            self._attackers.append(outside_address(self._world, self._draws))
            return self._attackers[-1]
        return self._draws.one(self._attackers)

    def _some_time(self) -> datetime:
        return self._first + timedelta(minutes=self._draws.below(self._minutes))

    def _account(self) -> str:
        draws = self._draws
        return self._world.unique(lambda: f"{draws.one(_LETTERS)}.{self._world.next_of('account_names')}")


def _one_a_minute(events: list[Event]) -> list[Event]:
    """Sort events by time; move an event to the next free minute if its minute is taken."""
    events.sort(key=lambda event: event.at)
    for before, event in pairwise(events):
        event.at = max(event.at, before.at + timedelta(minutes=1))
    return events


_PATTERNS: tuple[Callable[[Watch, int], list[_Act]], ...] = (
    Watch.brute_force,
    Watch.password_spraying,
    Watch.port_scan,
    Watch.privilege_escalation,
    Watch.exfiltration,
)
"""The first two come in every dialogue that has room for two attacks."""
