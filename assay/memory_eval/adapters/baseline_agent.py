"""Baseline agents for comparison, such as `baseline:bm25`.

`nothing` keeps nothing and abstains. `transcript` answers every question with the whole dialogue. `bm25` and
`embeddings` keep every turn, find the turns that match a question by words or by meaning, and extract an answer from
them. No baseline has access to the questions or gold answers in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.memory_eval.adapters.adapter import AgentAdapter, AgentOptions, AgentResponse, Retrieved
from assay.memory_eval.adapters.extracting.reader import NEVER_TOLD, READER, Passage, looked_up
from assay.memory_eval.adapters.extracting.retrieval import Index, Kind
from assay.memory_eval.adapters.snapshots.snapshot import Entry
from assay.memory_eval.errors import AgentCallFailed, UnknownAdapter

MOST_BYTES = 64 * 2**20
"""The largest dialogue a baseline keeps, in bytes; 20,000 turns are about 5 MB."""


class Nothing(AgentAdapter):
    """Baseline that learns nothing and abstains from every question."""

    name = "baseline:nothing"

    def learn(self, content: str) -> None:
        """Discard the turn."""

    def answer(self, question: str) -> AgentResponse:  # noqa: ARG002 - that is the point of it
        return AgentResponse(NEVER_TOLD, confidence=0.0)

    def reset(self) -> None:
        """Do nothing: no state is kept."""

    def entries(self) -> Sequence[Entry]:
        """Return nothing: an empty store."""
        return ()

    def stats(self) -> dict[str, int]:
        return {"entries": 0, "bytes": 0}


class Keeping(AgentAdapter):
    """Baseline that keeps every turn verbatim, up to `MOST_BYTES`."""

    def __init__(self) -> None:
        self._turns: list[str] = []
        self._num_bytes = 0

    def learn(self, content: str) -> None:
        size = len(content.encode("utf-8", "surrogatepass"))
        if self._num_bytes + size > MOST_BYTES:
            raise AgentCallFailed(
                f"this baseline keeps {MOST_BYTES >> 20} MB of dialogue and no more", code="agent.full"
            )
        self._turns.append(content)
        self._num_bytes += size

    def entries(self) -> Sequence[Entry]:
        """Return the turns verbatim."""
        return [Entry(turn, f"turn {number}", "turn") for number, turn in enumerate(self._turns, start=1)]

    def reset(self) -> None:
        self._turns = []
        self._num_bytes = 0

    def stats(self) -> dict[str, int]:
        return {"entries": len(self._turns), "bytes": self._num_bytes}


class Transcript(Keeping):
    """Baseline that answers with the whole dialogue."""

    name = "baseline:transcript"

    def answer(self, question: str) -> AgentResponse:  # noqa: ARG002 - whatever is asked
        return AgentResponse("\n".join(self._turns))


class Retrieving(Keeping):
    """Baseline that retrieves matching turns and extracts the answer from them."""

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.reader = READER
        self.name = f"baseline:{kind}"
        self._index = Index([], kind)

    def learn(self, content: str) -> None:
        super().learn(content)
        self._index.add(content)

    def reset(self) -> None:
        super().reset()
        self._index = Index([], self._index.kind)

    def retrieve(self, question: str, k: int) -> Sequence[Retrieved]:
        found = self._index.search(question, k)
        return [Retrieved(self._turns[place], f"turn {place + 1}", score) for place, score in found]

    def answer(self, question: str) -> AgentResponse:
        picked = looked_up(question, self._index, lambda place: Passage(place, self._turns[place]))
        sources = tuple(f"turn {place + 1}" for place in picked.places)
        return AgentResponse(picked.answer, confidence=picked.confidence, sources=sources)


BASELINES: dict[str, Callable[[], AgentAdapter]] = {
    "nothing": Nothing,
    "transcript": Transcript,
    "bm25": lambda: Retrieving("bm25"),
    "embeddings": lambda: Retrieving("embeddings"),
}


def named_baseline(rest: str, _options: AgentOptions) -> AgentAdapter:
    """Return the baseline of this name; raise UnknownAdapter if there is none."""
    if rest not in BASELINES:
        known = ", ".join(f"baseline:{name}" for name in BASELINES)
        raise UnknownAdapter(f"unknown baseline {rest[:40]!r}; supported: {known}")
    return BASELINES[rest]()
