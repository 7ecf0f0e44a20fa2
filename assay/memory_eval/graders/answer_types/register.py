"""The register of `GRADERS`; the order is meaningful."""

from collections.abc import Mapping

from assay.memory_eval.graders.answer_types.abstain import AbstainGrader
from assay.memory_eval.graders.answer_types.date import DateGrader
from assay.memory_eval.graders.answer_types.entity import EntityGrader
from assay.memory_eval.graders.answer_types.number import NumberGrader
from assay.memory_eval.graders.answer_types.ordered_list import OrderedListGrader
from assay.memory_eval.graders.answer_types.pairs import PairsGrader
from assay.memory_eval.graders.answer_types.set import SetGrader
from assay.memory_eval.graders.answer_types.text import TextGrader
from assay.memory_eval.graders.answer_types.yes_no import YesNoGrader
from assay.memory_eval.graders.grader import Grader
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
