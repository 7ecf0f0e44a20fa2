"""Ask a model several questions at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

from assay.llm import ModelUnavailable

AT_ONCE = 4
"""Conversations at the same time."""


class Question(NamedTuple):
    """Question on facts, whose text is the part that is cached, with the schema of its answer."""

    facts: str
    text: str
    schema: Mapping[str, Any]


class Asker(Protocol):
    """Connection to a model that can read both trees by tools; thread-safe."""

    def ask(self, facts: str, question: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a question in a new conversation; `facts` is the part that is cached.

        Raises:
            ModelUnavailable: no complete answer.
        """


def ask_all(asker: Asker, questions: Sequence[Question]) -> list[Mapping[str, Any] | ModelUnavailable]:
    """Return the answer of each question, or why there is none, in their order.

    The first question on each text of facts is asked before the others on it, which then read it from the cache.
    """
    first = {question.facts: number for number, question in reversed(list(enumerate(questions)))}
    leading = sorted(first.values())
    following = [number for number in range(len(questions)) if number not in leading]
    answers: dict[int, Mapping[str, Any] | ModelUnavailable] = {}

    def ask(number: int) -> None:
        try:
            answers[number] = asker.ask(*questions[number])
        except ModelUnavailable as error:
            answers[number] = error

    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="review") as pool:
        for numbers in (leading, following):
            list(pool.map(ask, numbers))
    return [answers[number] for number in range(len(questions))]
