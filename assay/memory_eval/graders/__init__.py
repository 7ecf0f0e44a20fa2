"""How answers are graded: one grader for each type of answer, and what surrounds them."""

from collections.abc import Mapping

from assay.memory_eval.graders.abstain import AbstainGrader
from assay.memory_eval.graders.date import DateGrader
from assay.memory_eval.graders.entity import EntityGrader
from assay.memory_eval.graders.grader import Grader
from assay.memory_eval.graders.number import NumberGrader
from assay.memory_eval.graders.ordered_list import OrderedListGrader
from assay.memory_eval.graders.pairs import PairsGrader
from assay.memory_eval.graders.set import SetGrader
from assay.memory_eval.graders.text import TextGrader
from assay.memory_eval.graders.yes_no import YesNoGrader
from assay.memory_eval.truth import AnswerType

GRADERS: Mapping[AnswerType, Grader] = {
    AnswerType.number: NumberGrader(),
    AnswerType.date: DateGrader(),
    AnswerType.entity: EntityGrader(),
    AnswerType.set: SetGrader(),
    AnswerType.ordered_list: OrderedListGrader(),
    AnswerType.pairs: PairsGrader(),
    AnswerType.yes_no: YesNoGrader(),
    AnswerType.abstain: AbstainGrader(),
    AnswerType.text: TextGrader(),
}

__all__ = ["GRADERS", "Grader"]
