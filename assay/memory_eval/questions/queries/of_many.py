"""Queries over many entities: who has a value, how many, which of these, the most, the first, in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from assay.memory_eval.questions.queries.found import NOTHING, Find, Op, Query, QueryResult, found, inner
from assay.memory_eval.questions.queries.record import Record, StatedFact


def _inverse(query: Query, record: Record, find: Find) -> QueryResult:
    """Return the one entity whose attribute has a value now; no result for none or more than one."""
    value = inner(query["value"], record, find)
    told = record.holding(query["attribute"], value.value)
    return found(told[0].entity, told, value.turns) if len(told) == 1 else NOTHING


def _matching(query: Query, record: Record, find: Find) -> tuple[dict[str, list[StatedFact]], set[int]]:
    """Return the facts by which each entity meets every condition of `where`, and the turns of the conditions.

    A condition is `{"attribute": …}` and `"is": value` or `"at_least": number`.
    """
    turns: set[int] = set()
    conditions = []
    for condition in query["where"]:
        wanted = inner(condition.get("is"), record, find)
        turns.update(wanted.turns)
        conditions.append({**condition, "is": wanted.value} if "is" in condition else condition)
    told = min((_meeting(condition, record) for condition in conditions), key=len)
    met: dict[str, list[StatedFact]] = {}
    for entity in [one.entity for one in told]:
        facts = [record.latest(entity, condition["attribute"]) for condition in conditions]
        pairs = zip(facts, conditions, strict=True)
        if all(one is not None and _meets(one.value, condition) for one, condition in pairs):
            met[entity] = [one for one in facts if one is not None]
    return met, turns


def _meeting(condition: Mapping[str, Any], record: Record) -> list[StatedFact]:
    """Return the facts that meet one condition."""
    attribute = condition["attribute"]
    if "is" in condition:
        return record.holding(attribute, condition["is"])
    return [one for one in record.all_latest(attribute) if _meets(one.value, condition)]


def _meets(value: Any, condition: Mapping[str, Any]) -> bool:
    return bool(value == condition["is"] if "is" in condition else value >= condition["at_least"])


def _list_where(query: Query, record: Record, find: Find) -> QueryResult:
    """Return all that meet the conditions, sorted; `unless_forgotten` excludes those with a forget request for it."""
    met, turns = _matching(query, record, find)
    if query.get("unless_forgotten"):
        for entity in list(met):
            requests = [record.forgotten(entity, condition["attribute"]) for condition in query["where"]]
            if asked := [request for request in requests if request is not None]:
                turns.update(request.turn for request in asked)
                del met[entity]
    return found(sorted(met), turns, *met.values()) if met else NOTHING


def _count_where(query: Query, record: Record, find: Find) -> QueryResult:
    met, turns = _matching(query, record, find)
    return found(len(met), turns, *met.values()) if met else NOTHING


def _values_where(query: Query, record: Record, find: Find) -> QueryResult:
    """Return the different values of an attribute among those that meet the conditions, sorted."""
    met, turns = _matching(query, record, find)
    told = [one for entity in met if (one := record.latest(entity, query["attribute"])) is not None]
    return found(sorted({one.value for one in told}), told, turns, *met.values()) if told else NOTHING


def _most_common(query: Query, record: Record, find: Find) -> QueryResult:
    """Return the most frequent value of an attribute among those that meet the conditions; no result for ties."""
    met, turns = _matching(query, record, find)
    told = [one for entity in met if (one := record.latest(entity, query["attribute"])) is not None]
    ranked = Counter(one.value for one in told).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return NOTHING
    return found(ranked[0][0], told, turns, *met.values())


def _end_where(query: Query, record: Record, find: Find) -> QueryResult:
    """Return the one that meets the conditions and has the first (`last`: true, last) attribute `by`; no ties."""
    met, turns = _matching(query, record, find)
    told = [one for entity in met if (one := record.latest(entity, query["by"])) is not None]
    ranked = sorted(told, key=lambda one: one.value, reverse=query["last"])
    if not ranked or (len(ranked) > 1 and ranked[0].value == ranked[1].value):
        return NOTHING
    return found(ranked[0].entity, ranked[:1], turns, met[ranked[0].entity])


def _order(query: Query, record: Record, _find: Find) -> QueryResult:
    """Return the named entities, from the least of an attribute (the earliest) to the most; no ties."""
    told = [one for entity in query["among"] if (one := record.latest(entity, query["attribute"])) is not None]
    if not told or len({one.value for one in told}) < len(query["among"]):
        return NOTHING
    return found([one.entity for one in sorted(told, key=lambda one: one.value)], told)


def _told_of(query: Query, record: Record, _find: Find) -> QueryResult:
    """Return the named entities for which an attribute is stated."""
    told = {entity: record.told(entity, query["attribute"]) for entity in query["among"]}
    return _those_told(told)


def _told_about(query: Query, record: Record, _find: Find) -> QueryResult:
    """Return the named attributes that are stated for one entity."""
    told = {attribute: record.told(query["entity"], attribute) for attribute in query["attributes"]}
    return _those_told(told)


def _those_told(told: Mapping[str, list[StatedFact]]) -> QueryResult:
    """Return the entities with any statement, preferring evidence that also covers another entity."""
    known = {name: tellings for name, tellings in told.items() if tellings}
    turns: set[int] = set()
    for tellings in sorted(known.values(), key=len):
        if not any(one.turn in turns for one in tellings):
            turns.add(tellings[0].turn)
    return found(list(known), turns) if known else NOTHING


OF_MANY: dict[str, Op] = {
    "inverse": _inverse,
    "list_where": _list_where,
    "count_where": _count_where,
    "values_where": _values_where,
    "most_common": _most_common,
    "end_where": _end_where,
    "order": _order,
    "told_of": _told_of,
    "told_about": _told_about,
}
"""The keys of each operation are documented with its function."""
