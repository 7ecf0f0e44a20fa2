"""Questions made from the memory itself, and the rank of the entry each was made from.

A question is a sentence with its value blanked. Subject and value occur in one live entry only, which is the gold. The
choice depends on the hashes of the questions alone, so the same questions are asked as long as their entries are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from assay.memory_eval.adapters.adapter import AgentAdapter
from assay.memory_eval.adapters.extracting.retrieval import Index
from assay.memory_eval.adapters.snapshots.health import plain_of
from assay.memory_eval.adapters.snapshots.snapshot import Entry
from assay.memory_eval.drift.facts import Part
from assay.memory_eval.drift.marks import Key
from assay.memory_eval.report.drift import AskedMark

DEPTH = 20
MOST_QUESTIONS = 200
OWN = "assay (words and meaning)"
"""Name of Assay's own retriever, which searches the texts and not the store's index."""

Retrieve = Callable[[str, int], Sequence[int]]
"""The places of live entries found for a question, best first; -1 for a text that is none of them."""


def asked_of(
    live: Sequence[tuple[Entry, Sequence[Part]]], key: Key, retrieve: Retrieve | None
) -> tuple[AskedMark, ...]:
    """Ask at most `MOST_QUESTIONS` questions of the live entries, in the order of their hashes."""
    questions = _questions(live, key)
    if questions and retrieve is None:
        retrieve = own_retriever([entry for entry, _ in live])
    return tuple(AskedMark(name, _rank(retrieve(text, DEPTH), place)) for name, text, place in questions if retrieve)


def own_retriever(live: Sequence[Entry]) -> Retrieve:
    """Return Assay's retriever over the texts of live entries."""
    index = Index([entry.text for entry in live], "both")
    return lambda question, k: [place for place, _ in index.search(question, k)]


def retriever_of(agent: AgentAdapter, live: Sequence[Entry]) -> Retrieve:
    """Return a live memory's own retriever; its results are recognized by id, else by text."""
    ids = {entry.id: place for place, entry in reversed(list(enumerate(live)))}
    ids |= {entry.id.rpartition("/")[2]: place for place, entry in reversed(list(enumerate(live)))}
    texts = {plain_of(entry.text): place for place, entry in reversed(list(enumerate(live)))}

    def retrieve(question: str, k: int) -> list[int]:
        found = []
        for one in list(agent.retrieve(question, k))[:k]:
            place = ids.get(one.id) if one.id is not None else None
            found.append(place if place is not None else texts.get(plain_of(one.text), -1))
        return found

    return retrieve


def _questions(live: Sequence[tuple[Entry, Sequence[Part]]], key: Key) -> list[tuple[str, str, int]]:
    """Return (hash, text, place of the gold), with the smallest hashes first."""
    holding = Counter(value for _, parts in live for value in {value for part in parts for value in part.keys})
    found: dict[str, tuple[str, int] | None] = {}
    for place, (_, parts) in enumerate(live):
        for fact in (fact for part in parts for fact in part.facts):
            if fact.value.is_weak or not fact.subject or holding[fact.value.keys[0]] > 1:
                continue
            text = fact.cloze
            if not any(word in text.casefold() for word in fact.subject):
                text = f"{' '.join(fact.subject)}: {text}"
            name = key.hashed("question", plain_of(text))
            # Two entries with the same question have no single gold.
            found[name] = None if name in found else (text, place)
    rows = [(name, *row) for name, row in found.items() if row is not None]
    return sorted(rows)[:MOST_QUESTIONS]


def _rank(places: Sequence[int], gold: int) -> int | None:
    return places.index(gold) + 1 if gold in places else None
