"""Agents that any memory has to beat, and one that shows what a dump is worth: `baseline:bm25`.

`nothing` keeps nothing and says so. `transcript` answers every question with the whole dialogue: what the memory would
have to hold, and no answer. `bm25` and `embeddings` keep every turn, find the turns that fit a question by words or by
meaning, and pick an answer out of them. None of them knows anything of the examination.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.memory_eval.adapters.adapter import AgentAdapter, AgentResponse
from assay.memory_eval.adapters.options import AgentOptions
from assay.memory_eval.errors import AgentCallFailed, UnknownAdapter
from assay.memory_eval.extracting.answering import NEVER_TOLD, looked_up
from assay.memory_eval.extracting.clauses import Passage
from assay.memory_eval.extracting.retrieval import Index, Kind

MOST_BYTES = 64 * 2**20
"""Of dialogue a baseline keeps; 20,000 turns are about 5 MB."""


class Nothing(AgentAdapter):
    """Learns nothing, and says of everything that it was never told."""

    name = "baseline:nothing"

    def learn(self, content: str) -> None:
        """Forget it at once."""

    def answer(self, question: str) -> AgentResponse:  # noqa: ARG002 - that is the point of it
        return AgentResponse(NEVER_TOLD, confidence=0.0)

    def reset(self) -> None:
        """There is nothing to forget."""

    def stats(self) -> dict[str, int]:
        return {"entries": 0, "bytes": 0}


class Keeping(AgentAdapter):
    """Keeps every turn as it was said, up to a bound it says so at."""

    def __init__(self) -> None:
        self._turns: list[str] = []
        self._num_bytes = 0

    def learn(self, content: str) -> None:
        size = len(content.encode("utf-8", "surrogatepass"))
        if self._num_bytes + size > MOST_BYTES:
            raise AgentCallFailed(f"this baseline keeps {MOST_BYTES >> 20} MB of dialogue and no more")
        self._turns.append(content)
        self._num_bytes += size

    def reset(self) -> None:
        self._turns = []
        self._num_bytes = 0

    def stats(self) -> dict[str, int]:
        return {"entries": len(self._turns), "bytes": self._num_bytes}


class Transcript(Keeping):
    """Answers with all that was ever said."""

    name = "baseline:transcript"

    def answer(self, question: str) -> AgentResponse:  # noqa: ARG002 - whatever is asked
        return AgentResponse("\n".join(self._turns))


class Retrieving(Keeping):
    """Finds the turns that fit, by words or by meaning, and picks the answer out of them."""

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.name = f"baseline:{kind}"
        self._index = Index([], kind)

    def learn(self, content: str) -> None:
        super().learn(content)
        self._index.add(content)

    def reset(self) -> None:
        super().reset()
        self._index = Index([], self._index.kind)

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
    """The baseline of a name; UnknownAdapter where there is none."""
    if rest not in BASELINES:
        known = ", ".join(f"baseline:{name}" for name in BASELINES)
        raise UnknownAdapter(f"no baseline is called {rest[:40]!r}; there are {known}")
    return BASELINES[rest]()
