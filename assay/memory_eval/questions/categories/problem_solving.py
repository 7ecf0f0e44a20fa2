"""Questions about recurring problems: what solved it last time, what caused it, who fixed it."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.direct import asked_directly, value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension

WANTED = ("fix", "cause", "fixed_by", "fix_time")


class ProblemSolving:
    """Questions mostly by the symptom alone, as problems occur, sometimes by the problem's name."""

    name = "problem_solving"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        by_symptom = self._by_symptom(material, speech, draws)
        by_name = asked_directly(speech, material.keys(["symptom", *WANTED], draws))
        return in_turn([by_symptom, by_symptom, by_name])

    def _by_symptom(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for wanted in draws.some(WANTED, len(WANTED)):
            for problem, attribute in material.keys(["symptom"], draws):
                if material.is_free(problem, wanted):
                    symptom = material.record.history(problem, attribute)[-1].value
                    text = speech.line("again", symptom=symptom, ask=speech.plain(wanted))
                    holder = {"op": "inverse", "attribute": attribute, "value": symptom}
                    yield Ask(f"{text} {speech.form(wanted)}", value_of(holder, wanted))
