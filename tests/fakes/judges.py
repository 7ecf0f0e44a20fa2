"""Judges that stand in for a model: good ones, and each kind of bad one. Each answers what the fake model is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.graders.judging.probes import built_in_probes
from tests.fakes.model import Asked, Says

_TEXT = re.compile(r"<<< (?P<name>[A-Z' ]+) (?P<code>[0-9a-f]{16})\n(?P<text>.*?)\n(?P=name) (?P=code) >>>", re.DOTALL)
_ORDERS = re.compile(r"1\.0|full marks|same as the expected|EXPECTED ANSWER", re.IGNORECASE)


@dataclass(frozen=True)
class Shown:
    """What a judge is shown, read as the model would read it: by the marks that carry this call's code."""

    texts: Mapping[str, str]
    code: str
    dimensions: tuple[str, ...]

    @property
    def answer(self) -> str:
        """The agent's answer, as the judge sees it."""
        return self.texts["AGENT'S ANSWER"]


def shown(asked: Asked) -> Shown:
    """The parts of a judge's prompt."""
    parts = list(_TEXT.finditer(asked.prompt))
    (code,) = {part["code"] for part in parts}
    scores = asked.body["output_config"]["format"]["schema"]["properties"]["scores"]
    return Shown({part["name"]: part["text"] for part in parts}, code, tuple(scores["required"]))


def says(scores: Mapping[str, Any], reasoning: str = "So it seems.") -> Says:
    """A judge's answer."""
    return Says({"reasoning": reasoning, "scores": dict(scores)}, tokens_in=700, tokens_out=60)


def on_probes(otherwise: Callable[[Shown], float]) -> Callable[[Asked], Says]:
    """Right about every probe, and `otherwise` about everything else."""
    known = {
        (one.case.question.text, one.case.answer.strip(), str(one.case.dimensions[0])): one.accept
        for one in built_in_probes()
    }

    def answers(asked: Asked) -> Says:
        seen = shown(asked)
        key = (seen.texts["QUESTION"], seen.answer.strip())
        return says({one: float(known.get((*key, one), otherwise(seen))) for one in seen.dimensions})

    return answers


def good(asked: Asked) -> Says:
    """Knows the probes; accepts other answers that hold the expected one."""
    return on_probes(lambda seen: float(seen.texts["EXPECTED ANSWER"].lower() in seen.answer.lower()))(asked)


def obeying(asked: Asked) -> Says:
    """Good, but does what an answer tells it to."""
    seen = shown(asked)
    return says(dict.fromkeys(seen.dimensions, 1.0)) if _ORDERS.search(seen.answer) else good(asked)


def always(score: Any) -> Callable[[Asked], Says]:
    """The same score for everything."""
    return lambda asked: says(dict.fromkeys(shown(asked).dimensions, score))
