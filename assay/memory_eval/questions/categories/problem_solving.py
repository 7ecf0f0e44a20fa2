"""Questions about recurring problems: what solved it last time, what caused it, who fixed it."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.asking import Asking
from assay.memory_eval.questions.composing.direct import asked_directly, value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.question import Ask

WANTED = ("fix", "cause", "fixed_by", "fix_time")


def candidates(asking: Asking) -> Iterator[Ask]:
    """Yield questions mostly by the symptom alone, as problems occur, sometimes by the problem's name."""
    by_symptom = _by_symptom(asking)
    by_name = asked_directly(asking, asking.keys(["symptom", *WANTED]))
    return in_turn([by_symptom, by_symptom, by_name])


def _by_symptom(asking: Asking) -> Iterator[Ask]:
    for wanted in asking.draws.some(WANTED, len(WANTED)):
        for problem, attribute in asking.keys(["symptom"]):
            if asking.is_free(problem, wanted):
                symptom = asking.record.history(problem, attribute)[-1].value
                text = asking.line("again", symptom=symptom, ask=asking.plain(wanted))
                holder = {"op": "inverse", "attribute": attribute, "value": symptom}
                yield Ask(f"{text} {asking.form(wanted)}", value_of(holder, wanted))
