"""Typed answers from query results, and their wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.questions.queries.found import Query
from assay.memory_eval.truth import Answer, AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES, label_of
from assay.memory_eval.world.wording import said

ABSTENTION = "You never told me that."
"""Expected answer of questions the dialogue does not answer."""

OF_ATTRIBUTE = {"value", "first", "previous", "as_of", "claim_of", "most_common"}
OF_ENTITIES = {"source_of", "extreme_source", "inverse", "end_where"}
SETS = {"list_where", "values_where", "told_of", "told_about"}
COUNTS = {"num_changes", "count_where"}
TRUTHS = {"is_more", "same"}
EXPLAINED = {"symptom", "cause", "fix", "root_cause"}
"""Attributes whose values are sentences: they are graded by what they claim, not by their wording."""


@dataclass(frozen=True, slots=True)
class Form:
    """Type of an answer or member, and the unit of numbers."""

    type: AnswerType
    unit: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the form as the JSON of a rubric."""
        return {"type": str(self.type), "unit": self.unit}


def form_of(query: Query) -> Form:
    """Return the form of a query's answer, from its `op` and attributes."""
    op = query["op"]
    if op in OF_ATTRIBUTE:
        return form_of_attribute(query["attribute"])
    if op in COUNTS:
        return Form(AnswerType.number)
    if op in ("difference", "sum", "mean"):
        return form_of(query["of"][0])
    fixed = {
        "held_from": Form(AnswerType.date),
        "change": Form(AnswerType.number, "%"),
        "duration": Form(AnswerType.number, query.get("unit")),
        "claims": Form(AnswerType.pairs, _unit(query)),
        "on_file": Form(AnswerType.pairs),
        "order": Form(AnswerType.ordered_list),
    }
    if op in fixed:
        return fixed[op]
    if op in SETS:
        return Form(AnswerType.set)
    return Form(AnswerType.yes_no if op in TRUTHS else AnswerType.entity)


def _unit(query: Query) -> str | None:
    return ATTRIBUTES[query["attribute"]].unit if "attribute" in query else None


def form_of_attribute(attribute: str) -> Form:
    """Return the form of an attribute's values."""
    row = ATTRIBUTES[attribute]
    return Form(AnswerType.text if attribute in EXPLAINED else row.type, row.unit)


def member_forms(query: Query, value: Any) -> list[Form] | None:
    """Return the form of each member of a set, a list, or of each pair's value; None for a single value."""
    op = query["op"]
    if op == "on_file":
        return [form_of_attribute(attribute) for attribute, _ in value]
    if op in ("claims", "values_where"):
        return [form_of_attribute(query["attribute"])] * len(value)
    return [Form(AnswerType.entity)] * len(value) if op in SETS or op == "order" else None


def answer_of(query: Query, value: Any) -> Answer:
    """Return the typed answer of a query result, with labels for attributes."""
    form = form_of(query)
    if value is None:
        return Answer(AnswerType.abstain, None)
    if query["op"] == "told_about":
        value = [label_of(attribute) for attribute in value]
    if query["op"] == "on_file":
        value = [[label_of(attribute), kept] for attribute, kept in value]
    if form.type is AnswerType.text:
        value = [[value]]
    return Answer(form.type, value, form.unit)


def worded(answer: Answer, forms: Sequence[Form] | None = None, must_say: Sequence[str] = ()) -> str:
    """Return the answer in words, as briefly as possible."""
    text = _worded(answer, forms or ())
    return f"{text} ({', '.join(must_say)})" if must_say else text


def _worded(answer: Answer, forms: Sequence[Form]) -> str:
    if answer.type is AnswerType.abstain:
        return ABSTENTION
    if answer.type is AnswerType.pairs:
        pairs = zip(answer.value, forms, strict=True)
        return "; ".join(f"{source}: {said(value, form.type, form.unit)}" for (source, value), form in pairs)
    if answer.type in (AnswerType.set, AnswerType.ordered_list):
        members = zip(answer.value, forms, strict=True)
        return joined([said(value, form.type, form.unit) for value, form in members])
    if answer.type is AnswerType.text:
        return "; ".join(str(wordings[0]) for wordings in answer.value)
    return said(answer.value, answer.type, answer.unit)


def joined(items: Sequence[str]) -> str:
    """Return ["a", "b", "c"] as "a, b and c"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def parts_of(query: Query) -> list[Query]:
    """Return the queries inside a query, one level down."""
    inside = [query.get("entity"), query.get("value"), *query.get("of", ())]
    inside += [condition.get("is") for condition in query.get("where", ())]
    return [part for part in inside if isinstance(part, Mapping)]
