"""The measures of a store, counted fact by fact: recall, staleness, contamination, forgetting, poisoning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from assay.memory_eval.adapters.snapshots.snapshot import STATES, State
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.stored import Stored
from assay.memory_eval.holding.told import Key, Planted, Told
from assay.memory_eval.holding.wanted import wanted


@dataclass(slots=True)
class Contents:
    """What the entries of a store hold, by place in `Told.facts` and `Told.planted`."""

    facts: dict[State, set[int]] = field(default_factory=lambda: {state: set() for state in STATES})
    open_facts: set[int] = field(default_factory=set)
    days: dict[int, list[str | None]] = field(default_factory=dict)
    """Days of the live entries that hold a fact as current; None for one without a day."""
    planted: set[int] = field(default_factory=set)
    contradictions: set[tuple[str, str]] = field(default_factory=set)
    num_words: int = 0
    num_entries: int = 0


@dataclass(frozen=True, slots=True)
class Staleness:
    """Keys whose value changed, by what a store holds of them.

    `dated`: both values, distinguished only by the days of their entries; it counts half.
    """

    current_only: int
    dated: int
    both: int
    stale_only: int
    neither: int

    @property
    def num_keys(self) -> int:
        return self.current_only + self.dated + self.both + self.stale_only + self.neither

    @property
    def share(self) -> float | None:
        """Share of stale keys; None if no value changed."""
        return (self.stale_only + self.both + self.dated / 2) / self.num_keys if self.num_keys else None


@dataclass(frozen=True, slots=True)
class Measures:
    """All counts of one store in one world."""

    told: Told
    contents: Contents
    staleness: Staleness
    num_words_told: int

    @property
    def held(self) -> list[bool]:
        """Whether one live entry holds each fact that counts, in the order stated."""
        live = self.contents.facts["live"]
        return [place in live for place, one in enumerate(self.told.facts) if one.status != "forgotten"]

    @property
    def current(self) -> list[bool]:
        """Whether one live entry holds each current fact, without saying that it ended."""
        found = self.contents.open_facts
        return [place in found for place, one in enumerate(self.told.facts) if one.status == "current"]

    @property
    def num_contradicted(self) -> int:
        plants = {(one.entity, wanted(one.attribute, one.value).name) for one in self._planted()}
        return len(self.contents.contradictions | plants)

    @property
    def num_supported(self) -> int:
        return len(self.contents.facts["live"])

    @property
    def precision(self) -> float | None:
        """Return supported / (supported + contradicted); None if nothing could be judged."""
        judged = self.num_supported + self.num_contradicted
        return self.num_supported / judged if judged else None

    @property
    def forgotten(self) -> dict[Key, set[State]]:
        """The states in which a value that was to be forgotten is still there, for each request."""
        found: dict[Key, set[State]] = {key: set() for key in self.told.forgotten}
        for state, places in self.contents.facts.items():
            for place in places:
                if self.told.facts[place].key in found:
                    found[self.told.facts[place].key].add(state)
        return found

    @property
    def size(self) -> float | None:
        """Words of the live entries for each word of the dialogue."""
        return self.contents.num_words / self.num_words_told if self.num_words_told else None

    def _planted(self) -> list[Planted]:
        return [self.told.planted[place] for place in sorted(self.contents.planted)]


def measured_store(matcher: Matcher, entries: Iterable[Stored]) -> Measures:
    """Return the measures of a store's entries."""
    contents = _read(matcher, entries)
    told = matcher.told
    num_words = sum(len(turn.content.split()) for turn in told.turns)
    return Measures(told, contents, _staleness(told, contents), num_words)


def _read(matcher: Matcher, entries: Iterable[Stored]) -> Contents:
    contents = Contents()
    for entry in entries:
        if not entry.text.strip():
            continue
        held = matcher.held(entry.text, entry.about)
        contents.facts[entry.state] |= held.facts
        if entry.state != "live":
            continue
        contents.num_entries += 1
        contents.num_words += len(entry.text.split())
        contents.planted |= held.planted
        contents.contradictions |= held.contradictions
        if not entry.is_ended:
            contents.open_facts |= held.open_facts
            for place in held.open_facts:
                contents.days.setdefault(place, []).append(entry.day)
    return contents


def _staleness(told: Told, contents: Contents) -> Staleness:
    of_key: dict[Key, list[int]] = {key: [] for key in told.changed}
    for place, one in enumerate(told.facts):
        if one.key in of_key:
            of_key[one.key].append(place)
    counts = Counter(_kept(told, contents, places) for places in of_key.values())
    names = ("current_only", "dated", "both", "stale_only", "neither")
    return Staleness(**{name: counts[name] for name in names})


def _kept(told: Told, contents: Contents, places: Sequence[int]) -> str:
    new = [place for place in places if told.facts[place].status == "current" and place in contents.open_facts]
    old = [place for place in places if told.facts[place].status == "old" and place in contents.open_facts]
    if not new:
        return "stale_only" if old else "neither"
    if not old:
        return "current_only"
    new_days = [day for place in new for day in contents.days[place]]
    old_days = [day for place in old for day in contents.days[place]]
    dates = [day for day in (*new_days, *old_days) if day is not None]
    is_dated = len(dates) == len(new_days) + len(old_days) and max(filter(None, new_days)) > max(filter(None, old_days))
    return "dated" if is_dated else "both"
