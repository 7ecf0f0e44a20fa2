"""Rubrics: values that an answer could confuse with the gold, and values it may mention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from assay.memory_eval.questions.composing.answers import (
    OF_ATTRIBUTE,
    OF_ENTITIES,
    form_of_attribute,
    member_forms,
    parts_of,
)
from assay.memory_eval.questions.composing.asking import Ask
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.things import claimed, label_words
from assay.memory_eval.questions.queries.answering import find_answer
from assay.memory_eval.questions.queries.found import Query, QueryResult
from assay.memory_eval.questions.queries.record import StatedFact
from assay.memory_eval.truth import Answer, AnswerType
from assay.memory_eval.world.attributes import label_of
from assay.memory_eval.world.names import words
from assay.seeded_random import Draws

MOST_OTHERS = 40
MOST_CANDIDATES = 60
OTHER_TOPICS = 4
OTHER_NUMBERS = 12
"""Any other number in an answer is a claim anyway, so only the likeliest numbers are listed."""

PAST = {"as_of", "first", "previous"}
TOLERANCES = {"mean": {"rel": 0.001}, "change": {"abs": 0.05}}
"""Computed answers may be rounded differently; stated values are exact."""


def rubric_of(material: Material, ask: Ask, answer: Answer, found: QueryResult, draws: Draws) -> dict[str, Any]:
    """Return the rubric as plain JSON without empty entries; see docs/memory/questions.md for each key."""
    query = ask.query
    context = [*_context(material, query), *_codewords(material, answer)]
    superseded = _superseded(material, query, answer.value)
    forms = member_forms(query, found.value)
    rubric: dict[str, Any] = {
        "query": dict(query),
        "tense": "past" if query["op"] in PAST else "current" if query["op"] == "value" else None,
        "superseded": superseded,
        "candidates": _candidates(material, query, answer, draws),
        "sources": _sources_of_pairs(query, answer),
        "untold": _untold(query, answer),
        "member_types": [form.to_dict() for form in forms] if forms else None,
        "tolerance": TOLERANCES.get(query["op"]),
        "either_sign": query["op"] in ("difference", "change"),
        **ask.rubric,
    }
    context += ask.rubric.get("context", ())
    own = _hashables(answer.value)
    free = {*context, *rubric.get("must_say", ())} - own
    likely = [*list(ask.rubric.get("others", ()))[:OTHER_NUMBERS], *superseded]
    limit = len(likely) + OTHER_NUMBERS if answer.type is AnswerType.number else MOST_OTHERS
    others = (value for value in _rivals(material, query, answer, draws) if value not in free)
    rubric["others"] = _different([*likely, *others], own, min(limit, MOST_OTHERS))
    rubric["context"] = [value for value in context if value not in own and value not in rubric["others"]]
    rubric["aliases"] = _aliases(material, answer, rubric)
    if answer.type is AnswerType.text:
        rubric["names"] = _services([*own, *rubric["others"]])
    return {key: value for key, value in rubric.items() if value}


def _rivals(material: Material, query: Query, answer: Answer, draws: Draws) -> Iterator[Any]:
    """Yield other values of the answer's type, the likeliest mistakes first."""
    op = query["op"]
    if op in OF_ATTRIBUTE or op == "held_from":
        return _rivals_of_value(material, query, draws)
    if op in ("source_of", "extreme_source"):
        return _rivals_of_source(material, query, draws)
    if op in OF_ENTITIES:
        return _rivals_of_entity(material, str(answer.value), draws)
    if op == "claims":
        return _values(material, query["attribute"], draws)
    if op == "on_file":
        return _rivals_on_file(material, query, draws)
    return iter(_candidates(material, query, answer, draws))


def _rivals_of_source(material: Material, query: Query, draws: Draws) -> Iterator[Any]:
    yield from _sources(material, query["entity"], query["attribute"])
    for other in _some(material.record.entities(query["attribute"]), OTHER_TOPICS, draws):
        yield from _sources(material, other, query["attribute"])


def _rivals_of_entity(material: Material, gold: str, draws: Draws) -> Iterator[Any]:
    yield from material.twins.get(gold, ())
    yield from _some(material.things(material.kinds.get(gold, "")), MOST_OTHERS, draws)


def _rivals_on_file(material: Material, query: Query, draws: Draws) -> Iterator[Any]:
    """Yield other values of a card; numbers are left out, since any other number is a claim anyway."""
    for attribute in query["attributes"]:
        if form_of_attribute(attribute).type is not AnswerType.number:
            yield from material.planted.get((query["entity"], attribute), ())
            yield from islice(_values(material, attribute, draws), OTHER_NUMBERS)


def _rivals_of_value(material: Material, query: Query, draws: Draws) -> Iterator[Any]:
    attribute = query["attribute"]
    if "entity" in query:
        entity = _entity(material, query)
        if query["op"] == "held_from":
            yield from (one.day for one in material.record.told(entity, attribute))
            return
        yield from (one.value for one in material.record.told(entity, attribute))
        yield from material.planted.get((entity, attribute), ())
        yield from (one.value for one in material.record.told(entity, claimed(attribute)))
        for twin in material.twins.get(entity, ()):
            yield from (one.value for one in material.record.told(twin, attribute))
    yield from _values(material, attribute, draws)


def _values(material: Material, attribute: str, draws: Draws) -> Iterator[Any]:
    """Yield some values of the attribute for other entities."""
    yield from _some(material.record.values(attribute), MOST_OTHERS, draws)


def _sources(material: Material, entity: str, attribute: str) -> Iterator[Any]:
    for one in material.record.told(entity, attribute):
        if one.source is not None:
            yield one.source


def _some(items: list[Any], most: int, draws: Draws) -> list[Any]:
    """Return a slice of a list from a drawn place on, wrapping around."""
    if len(items) <= most:
        return items
    start = draws.below(len(items))
    return (items[start:] + items[:start])[:most]


def _superseded(material: Material, query: Query, gold: Any) -> list[Any]:
    """Return the attribute's values at other times, and corrected ones."""
    if query["op"] not in ("value", "as_of", "previous", "first"):
        return []
    told = material.record.told(_entity(material, query), query["attribute"])
    return _different((one.value for one in told), _hashables(gold), MOST_OTHERS)


def _candidates(material: Material, query: Query, answer: Answer, draws: Draws) -> list[Any]:
    """Return candidates of a set or a list: named in the question, or others of their kind."""
    op = query["op"]
    if op in ("order", "told_of"):
        return list(query["among"])
    if op == "told_about":
        return [label_of(attribute) for attribute in query["attributes"]]
    if op == "values_where":
        return _different([*answer.value, *_values(material, query["attribute"], draws)], set(), MOST_CANDIDATES)
    if op == "list_where":
        things = _some(material.things(material.kinds.get(answer.value[0], "")), MOST_CANDIDATES, draws)
        return _different([*answer.value, *things], set(), MOST_CANDIDATES)
    return []


def _context(material: Material, query: Query) -> list[Any]:
    """Return what an answer may say next to the gold: values of the question, and of facts that lead to it."""
    values: list[Any] = []
    for part in (query, *_all_parts(query)):
        told = _facts(material, part)
        values += [part.get(key) for key in ("entity", "value", "source", "day")]
        values += [condition.get("is") for condition in part.get("where", ())]
        values += [value for value in part.get("of", ()) if not isinstance(value, dict)]
        if query["op"] not in ("source_of", "extreme_source"):
            values += [one.source for one in told]
        values += [one.value if part["op"] == "held_from" else one.day for one in told]
        if part is not query:
            value = find_answer(part, material.record).value
            values += [*(value if isinstance(value, list) else [value]), *part.get("among", ())]
    if query["op"] == "count_where":
        values += find_answer({**query, "op": "list_where"}, material.record).value or []
    if query["op"] == "num_changes":
        values += [one.value for one in _facts(material, query)]
    return _different((one for one in values if isinstance(one, str | int | float)), set(), MOST_CANDIDATES)


def _codewords(material: Material, answer: Answer) -> list[str]:
    """Return the code words of entities in an answer, which agents that follow requests will add."""
    named = answer.value if isinstance(answer.value, list) else [answer.value]
    codewords = material.codewords
    return [codewords[name] for name in named if isinstance(name, str) and name in codewords] if codewords else []


def _aliases(material: Material, answer: Answer, rubric: dict[str, Any]) -> dict[str, list[str]]:
    """Return aliases of the answer's members, of alternatives, and of the question's values."""
    values = answer.value if isinstance(answer.value, list) else [answer.value]
    values = [*values, *rubric.get("candidates", ()), *rubric.get("poison", ()), *rubric["others"]]
    names = {value: material.other_names(value) for value in values if isinstance(value, str)}
    return {name: others for name, others in names.items() if others}


def _sources_of_pairs(query: Query, answer: Answer) -> dict[str, list[str]] | None:
    """Return the left side of each pair with its other names; labels of attributes have some."""
    if answer.type is not AnswerType.pairs:
        return None
    names = label_words() if query["op"] == "on_file" else {}
    return {source: list(names.get(source, ())) for source, _ in answer.value}


def _untold(query: Query, answer: Answer) -> dict[str, list[str]]:
    """Return the requested labels without a value in the answer, for which any value is invented or forbidden."""
    if query["op"] != "on_file":
        return {}
    told = {source for source, _ in answer.value}
    names = label_words()
    labels = [label_of(attribute) for attribute in query["attributes"]]
    return {label: list(names.get(label, ())) for label in labels if label not in told}


def _services(values: Iterable[Any]) -> list[str]:
    """Return the services named in explanations: a right one may leave its own out."""
    said = {word for value in values for word in str(value).split()}
    return [service for service in words("services") if service in said]


# ---------------------------------------------------------------- queries taken apart


def _entity(material: Material, query: Query) -> str:
    entity = query["entity"]
    return str(find_answer(entity, material.record).value if isinstance(entity, dict) else entity)


def _facts(material: Material, query: Query) -> list[StatedFact]:
    """Return all statements of the attribute a query is about."""
    if "entity" not in query or "attribute" not in query:
        return []
    return material.record.told(_entity(material, query), query["attribute"])


def _all_parts(query: Query) -> list[Query]:
    """Return every query inside a query."""
    found: list[Query] = []
    for part in parts_of(query):
        found += [part, *_all_parts(part)]
    return found


def _different(values: Iterable[Any], but: set[Any], most: int | None = None) -> list[Any]:
    """Return the first `most` distinct values, except those in `but`."""
    found: dict[Any, None] = {}
    for value in values:
        if len(found) == most:
            break
        if not isinstance(value, list) and value not in but:
            found[value] = None
    return list(found)


def _hashables(gold: Any) -> set[Any]:
    if isinstance(gold, list):
        return {part for value in gold for part in (value if isinstance(value, list) else [value])}
    return {gold}
