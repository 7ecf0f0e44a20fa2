"""A simulated production memory: entries that are added, replaced, deleted, merged, renamed and lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.drift.record import Key, record_of
from assay.memory_eval.holding.told import Stored
from assay.memory_eval.report.drift import Record
from assay.seeded_random import Draws
from tests.memory_eval.holding import stores

KEY = Key("tests", is_secret=False)
START = datetime(2026, 6, 1, 3, tzinfo=UTC)
WEEK = timedelta(days=7)
SECRET = "The deploy token is ghp_abcdefghijklmnop1234567890."
FORMS: dict[str, Callable[[stores.Known], list[Stored]]] = {
    "one fact an entry": stores.complete,
    "reworded": stores.complete_reworded,
    "turns verbatim": stores.verbatim,
    "a document an entity": stores.documents,
}


class Memory:
    """A memory that records what it replaces and deletes, as mem0 and Chroma do, unless told otherwise."""

    def __init__(self, seed: int, form: str = "one fact an entry", num: int | None = None) -> None:
        self.draws = Draws(f"memory:{seed}:{form}")
        known = stores.world(seed)
        texts = list(dict.fromkeys(one.text for one in FORMS[form](known)))
        self.draws.shuffle(texts)
        num = num if num is not None else len(texts) * 4 // 5
        self.waiting = texts[num:]
        self.now = START
        self.gone: list[Entry] = []
        self.live: dict[str, Entry] = {}
        for text in texts[:num]:
            self.add(text)

    def add(self, text: str) -> str:
        name = f"m-{len(self.live) + len(self.gone)}-{self.draws.below(10**9)}"
        self.live[name] = Entry(text, name, "memory", created=self.now, updated_at=self.now.date())
        return name

    def replace(self, name: str, text: str) -> None:
        old = self.live[name]
        self.gone.append(replace(old, state="history", valid_to=self.now))
        self.live[name] = replace(old, text=text, updated=self.now, updated_at=self.now.date())

    def delete(self, name: str, *, on_record: bool = True) -> Entry:
        old = self.live.pop(name)
        if on_record:
            self.gone.append(replace(old, state="history", valid_to=self.now))
        return old

    def some(self, share: float, at_least: int = 1) -> list[str]:
        names = sorted(self.live)
        self.draws.shuffle(names)
        return names[: max(at_least, round(share * len(names)))]

    # ------------------------------------------------------------------ weeks

    def quiet_week(self) -> None:
        """A few entries are new, one in fifty has another number, one in a hundred is deleted on record."""
        self.now += WEEK
        for text in self.waiting[:5]:
            self.add(text)
        del self.waiting[:5]
        for name in self.some(0.02):
            self.replace(name, another_number(self.live[name].text, self.draws))
        for name in self.some(0.01):
            self.delete(name)

    def week_of_growth(self) -> None:
        """Many new entries, pairs merged into one with both texts, and new ids for a tenth."""
        self.now += WEEK
        for text in self.waiting[:100]:
            self.add(text)
        del self.waiting[:100]
        names = self.some(0.1, at_least=4)
        for one, two in zip(names[::2], names[1::2], strict=False):
            self.replace(one, f"{self.live[one].text}\n{self.live[two].text}")
            self.delete(two)
        for name in self.some(0.1):
            self.add(self.delete(name, on_record=False).text)

    def lose(self, share: float) -> None:
        for name in self.some(share):
            self.delete(name, on_record=False)

    # ------------------------------------------------------------------ what a run sees

    def record(self, key: Key = KEY) -> Record:
        entries = (*self.live.values(), *self.gone)
        return record_of(Snapshot("simulated", entries, 1000), key, taken_at=self.now)


def another_number(text: str, draws: Draws) -> str:
    """A text with another last number; without a number, with another sentence."""
    found = list(re.finditer(r"(?<![\w.-])\d{2,}(?![\w-]|\.\d)", text))
    if not found:
        return f"{text} Checked in {draws.below(900) + 100} hours."
    last = found[-1]
    return f"{text[: last.start()]}{int(last[0][-6:]) + 1 + draws.below(50)}{text[last.end() :]}"
