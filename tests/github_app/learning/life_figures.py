"""What a simulated life comes to: repeats before and after delivery, and what Assay itself saw of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.github_app.learning.handout.delivery import AGENTS_MD
from assay.github_app.learning.handout.managed_block import ids_in
from assay.github_app.learning.rules.effect import effect_of
from assay.github_app.store import RuleState
from assay.statistics import Interval, interval_of_rate_difference
from tests.fakes.front.mirror import git
from tests.github_app.learning.simulated_life import BETWEEN, FILE, OPENED, START, Life, Script

Places = frozenset[tuple[int, str]]
"""Turns and names of rules."""


@dataclass(frozen=True)
class Rates:
    """Hits among all, before something and after it."""

    before: tuple[int, int]
    after: tuple[int, int]

    def __add__(self, other: Rates) -> Rates:
        (a, b), (c, d), (e, f), (g, h) = self.before, other.before, self.after, other.after
        return Rates((a + c, b + d), (e + g, f + h))

    @property
    def values(self) -> tuple[float, float]:
        return self.before[0] / max(1, self.before[1]), self.after[0] / max(1, self.after[1])

    @property
    def difference(self) -> Interval | None:
        return interval_of_rate_difference(*self.before, *self.after)

    def __str__(self) -> str:
        (a, b), (c, d), found = self.before, self.after, self.difference
        interval = f" ({found.low:+.2f} to {found.high:+.2f})" if found else ""
        return f"{a}/{b} -> {c}/{d}" + interval


NOTHING = Rates((0, 0), (0, 0))


def unaided(script: Script) -> Places:
    """What reviewers ask for if the agent never learns."""
    return frozenset(place for place, is_broken in script.broken.items() if is_broken)


def asked(life: Life) -> Places:
    """What reviewers asked for, as the simulation knows."""
    turns = {number: turn for turn, number in life.pulls.items()}
    return frozenset((turns[one.number], one.rule) for one in life.said if one.rule is not None)


def repeated(places: Places) -> Places:
    """Those that were asked for on an earlier pull request."""
    first = first_asked(places)
    return frozenset((turn, name) for turn, name in places if turn > first[name])


def first_asked(places: Places) -> dict[str, int]:
    return {name: min(turn for turn, one in places if one == name) for _, name in places}


def delivered(life: Life) -> dict[str, int]:
    """The first pull request whose author was given a rule."""
    names = {name for known in life.known.values() for name in known}
    return {name: min(turn for turn, known in life.known.items() if name in known) for name in names}


def halves(places: Places, num_pulls: int) -> Rates:
    """Pull requests with a repeated request, in the first half and in the second."""
    hit, middle = {turn for turn, _ in repeated(places)}, num_pulls // 2
    return Rates(
        (sum(turn <= middle for turn in hit), middle), (sum(turn > middle for turn in hit), num_pulls - middle)
    )


def around(places: Places, since: dict[str, int], num_pulls: int) -> Rates:
    """Of each rule the pull requests after the first with its request: those with one, before and after delivery."""
    first, again = first_asked(places), repeated(places)
    chances = [(turn, name) for name in first for turn in range(first[name] + 1, num_pulls + 1)]
    early = [place for place in chances if place[0] < since.get(place[1], num_pulls + 1)]
    late = [place for place in chances if place not in set(early)]
    return Rates((len(again.intersection(early)), len(early)), (len(again.intersection(late)), len(late)))


# ------------------------------------------------------------------ what Assay saw


@dataclass(frozen=True)
class Seen:
    """Comments that repeat, by the simulation: all, and those that Assay joined to a rule of theirs.

    `wrong` were joined to another rule; `by_hand` began a rule that the maintainer joined into theirs. Of the remarks
    that ask for nothing, some wait as candidates.
    """

    repeats: int
    joined: int
    wrong: int
    by_hand: int
    remarks: int
    remarks_waiting: int
    replies: int

    def __add__(self, other: Seen) -> Seen:
        pairs = zip(self._all(), other._all(), strict=True)
        return Seen(*(one + more for one, more in pairs))

    def _all(self) -> tuple[int, ...]:
        return self.repeats, self.joined, self.wrong, self.by_hand, self.remarks, self.remarks_waiting, self.replies


def seen(life: Life) -> Seen:
    """How much of it Assay noticed."""
    sources = {one.comment_id: one for one in life.store.rules.sources_in(life.repository_id)}
    about = {one.comment_id: one.rule for one in life.said}
    began: dict[str, set[str | None]] = {}
    for one in sources.values():
        if one.score is None:
            began.setdefault(one.rule_id, set()).add(about[one.comment_id])
    again = repeated(asked(life))
    turns = {number: turn for turn, number in life.pulls.items()}
    joined = wrong = by_hand = repeats = 0
    for said in life.said:
        source, is_repeat = sources.get(said.comment_id), (turns[said.number], said.rule) in again
        repeats += is_repeat
        if source is None:
            continue
        if source.score is None:  # it began a rule
            first = life.store.rules.sources(life.repository_id, source.rule_id)[0]
            by_hand += is_repeat and first.comment_id != said.comment_id
        else:
            wrong += began.get(source.rule_id) != {said.rule}
            joined += began.get(source.rule_id) == {said.rule} and is_repeat
    remarks = [one.comment_id in sources for one in life.said if one.rule is None]
    return Seen(repeats, joined, wrong, by_hand, len(remarks), sum(remarks), len(life.replies()))


NONE_SEEN = Seen(0, 0, 0, 0, 0, 0, 0)


def effects(life: Life, rule_id: str | None = None) -> tuple[Rates, Rates]:
    """The product's effects of its confirmed rules (or of one), added up; and what the simulation knows of them."""
    product, truth = NOTHING, NOTHING
    for row in life.store.rules.of(life.repository_id, [RuleState.confirmed]):
        effect = effect_of(life.store, row)
        if effect is None or rule_id not in (None, row.rule_id):
            continue
        (name,) = (rule.name for rule in life.script.rules if rule.is_in(row.text))
        first = life.store.rules.sources(life.repository_id, row.rule_id)[0].at
        opened = {turn: START + BETWEEN * turn + OPENED for turn in life.pulls}
        early = [turn for turn, at in opened.items() if first <= at < effect.since]
        late = [turn for turn, at in opened.items() if at >= max(first, effect.since)]
        hits = {turn for turn, one in asked(life) if one == name}
        product += Rates((effect.asked_before, effect.pulls_before), (effect.asked_after, effect.pulls_after))
        truth += Rates((len(hits.intersection(early)), len(early)), (len(hits.intersection(late)), len(late)))
    return product, truth


def asked_after_confirmation(life: Life) -> Places:
    """What reviewers asked for after Assay knew it as a rule."""
    confirmed = {
        rule.name: row.confirmed_at
        for row in life.store.rules.of(life.repository_id, [RuleState.confirmed])
        for rule in life.script.rules
        if rule.is_in(row.text) and row.confirmed_at is not None
    }
    opened = {turn: START + BETWEEN * turn + OPENED for turn in life.pulls}
    return frozenset((turn, name) for turn, name in asked(life) if name in confirmed and opened[turn] > confirmed[name])


# ------------------------------------------------------------------ promises


def check_promises(life: Life) -> None:
    """Nobody is told twice, or of what is not confirmed, or for having said something else."""
    said = {one.comment_id: one for one in life.said}
    rules = {row.rule_id: row for row in life.store.rules.of(life.repository_id)}
    replies = life.replies()
    most(Counter(one["in_reply_to_id"] for one in replies))
    most(Counter((one["number"], said[one["in_reply_to_id"]].reviewer, named(one["body"])) for one in replies))
    for one in replies:
        rule = rules[named(one["body"])]
        assert rule.confirmed_at is not None, "a reply names a rule that waits"
        assert f"{rule.confirmed_at:%Y-%m-%dT%H:%M:%SZ}" <= one["created_at"]
        assert said[one["in_reply_to_id"]].rule is not None, "a remark that asks for nothing was answered"
    handouts = life.store.rules.handouts(life.repository_id)
    most(Counter((one.rule_id, one.task_id or one.how) for one in handouts))
    assert {one.rule_id for one in handouts} <= {one.rule_id for one in rules.values() if one.confirmed_at}
    on_base = git(life.github.bare(), "show", f"refs/heads/main:{FILE}")
    most(Counter(re.findall(r"`([0-9a-f]{12})`", on_base.decode())))
    assert ids_in(on_base) == {one.rule_id for one in handouts if one.how == AGENTS_MD}


def named(body: str) -> str:
    """The rule that a reply names."""
    (found,) = re.findall(r"/assay rule show ([0-9a-f]{12})", body)
    return str(found)


def most(counted: Counter, number: int = 1) -> None:
    """Nothing is there more often."""
    assert {what: num for what, num in counted.items() if num > number} == {}


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lines of equal columns."""
    lines = [tuple(map(str, one)) for one in (heads, *rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in lines)
