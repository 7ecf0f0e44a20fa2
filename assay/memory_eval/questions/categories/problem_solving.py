"""Questions about recurring problems: what solved it last time, what caused it, who fixed it."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.direct import asked_directly, value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn

WANTED = ("fix", "cause", "fixed_by", "fix_time")


def candidates(asking: Asking) -> Asks:
    """Yield questions mostly by the symptom alone, as problems occur, sometimes by the problem's name."""
    by_symptom = _by_symptom(asking)
    by_name = asked_directly(asking, asking.keys(["symptom", *WANTED]))
    return in_turn([by_symptom, by_symptom, by_name])


def _by_symptom(asking: Asking) -> Asks:
    for wanted in asking.draws.some(WANTED, len(WANTED)):
        for problem, attribute in asking.keys(["symptom"]):
            if asking.is_free(problem, wanted):
                symptom = asking.record.history(problem, attribute)[-1].value
                holder = {"op": "inverse", "attribute": attribute, "value": symptom}
                yield asking.ask("again", wanted, value_of(holder, wanted), symptom=symptom, ask=asking.plain(wanted))
