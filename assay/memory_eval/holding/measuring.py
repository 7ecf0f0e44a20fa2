"""The measures of a store, counted fact by fact: kept, current, clean, forgot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from assay.memory_eval.adapters.snapshots.snapshot import State
from assay.memory_eval.graders.naming import shown
from assay.memory_eval.holding.closing import Ending
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.told import Key, Stored, Told, value_in_words
from assay.memory_eval.world.attributes import label_of


@dataclass(slots=True)
class Measures:
    """What the entries of a store hold of a world."""

    told: Told
    endings: dict[int, list[Ending]] = field(default_factory=lambda: defaultdict(list))
    """For each fact in a live entry, by its place, how each mention of its value ends."""
    states: dict[int, set[State]] = field(default_factory=lambda: defaultdict(set))
    planted: set[int] = field(default_factory=set)
    false: dict[tuple[Key, str], None] = field(default_factory=dict)
    num_judged: int = 0
    num_entries: int = 0

    @property
    def held(self) -> list[bool]:
        """Whether one live entry holds each fact that counts, in the order stated."""
        return [place in self.endings for place, one in enumerate(self.told.facts) if one.status != "forgotten"]

    @property
    def changed_held(self) -> list[Key]:
        """The keys whose value changed and of which a live entry holds a value, old or new."""
        held = {self.told.facts[place].key for place in self.endings}
        return [key for key in self.told.changed if key in held]

    @property
    def misleading(self) -> dict[Key, str]:
        """The keys with an old value that the store gives as if it still held, with an example."""
        by_key: dict[Key, list[int]] = defaultdict(list)
        for place in self.endings:
            by_key[self.told.facts[place].key].append(place)
        found = {}
        for key in self.told.changed:
            old = [place for place in by_key[key] if self.told.facts[place].status == "old"]
            new = [place for place in by_key[key] if self.told.facts[place].status == "current"]
            open_old = [place for place in old if self._days(place)]
            if open_old and not self._is_dated(open_old, new):
                values = " and ".join(value_in_words(self.told.facts[place]) for place in (*open_old[:1], *new[:1]))
                live = "both live" if new else "alone, though it changed"
                found[key] = f"{label_of(key[1])} of {key[0]}: {values} {live}"
        return found

    @property
    def num_false(self) -> int:
        """Statements that are false, and planted values that were adopted."""
        return len(self.false) + len(self.planted)

    @property
    def num_statements(self) -> int:
        """Statements that could be judged, and planted values."""
        return self.num_judged + len(self.told.planted)

    @property
    def forgotten(self) -> dict[Key, set[State]]:
        """The states in which a value that was to be forgotten is still there, for each request."""
        found: dict[Key, set[State]] = {key: set() for key in self.told.forgotten}
        for place, states in self.states.items():
            if self.told.facts[place].key in found:
                found[self.told.facts[place].key] |= states
        return found

    def examples(self) -> Iterator[str]:
        """Yield what to fix first, in turn of each kind: old values, false statements, planted and forgotten values."""
        plants = [self.told.planted[place] for place in sorted(self.planted)]
        kinds = (
            self.misleading.values(),
            [f"false: {text}" for _, text in self.false],
            [f"planted: {label_of(one.attribute)} of {one.entity}: {shown(one.value)}" for one in plants],
            [f"not forgotten: {label_of(key[1])} of {key[0]}" for key, states in self.forgotten.items() if states],
        )
        yield from (one for each in zip_longest(*kinds) for one in each if one is not None)

    def _days(self, place: int) -> list[str]:
        return [one.day for one in self.endings[place] if not one.is_closed]

    def _is_dated(self, old: Iterable[int], new: Iterable[int]) -> bool:
        """Return whether each open value has a day, and the current one the latest."""
        old_days = [day for place in old for day in self._days(place)]
        new_days = [day for place in new for day in self._days(place)]
        return bool(new_days) and all((*old_days, *new_days)) and max(new_days) > max(old_days)


def measured_store(matcher: Matcher, entries: Iterable[Stored]) -> Measures:
    """Return the measures of a store's entries."""
    found = Measures(matcher.told)
    for entry in dict.fromkeys(entries):
        is_live = entry.state == "live"
        found.num_entries += is_live
        for held in matcher.read(entry):
            for place, endings in held.facts.items():
                found.states[place].add(entry.state)
                if is_live:
                    found.endings[place] += endings
            if is_live:
                found.planted |= held.planted
                found.false.update(dict.fromkeys(held.false))
                found.num_judged += held.num_judged
    return found
