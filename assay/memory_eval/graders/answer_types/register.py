"""The register of `GRADERS`; the order is meaningful."""

from collections.abc import Mapping

from assay.memory_eval.graders.answer_types import abstain, date, entity, number, ordered_list, pairs, text, yes_no
from assay.memory_eval.graders.answer_types import set as members
from assay.memory_eval.graders.grader import Grader
from assay.memory_eval.truth import AnswerType

GRADERS: Mapping[AnswerType, Grader] = {
    AnswerType.number: number.read,
    AnswerType.date: date.read,
    AnswerType.entity: entity.read,
    AnswerType.set: members.read,
    AnswerType.ordered_list: ordered_list.read,
    AnswerType.pairs: pairs.read,
    AnswerType.yes_no: yes_no.read,
    AnswerType.abstain: abstain.read,
    AnswerType.text: text.read,
}
