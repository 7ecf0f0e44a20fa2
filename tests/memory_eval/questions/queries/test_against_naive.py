"""The engine against the same queries written down naively, on facts that collide as often as they can."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.questions.queries.answering import find_answer, find_with_evidence
from assay.memory_eval.questions.queries.record import Record
from assay.memory_eval.truth import Turn

ENTITIES, ATTRIBUTES, SOURCES = ["a", "b", "c"], ["x", "y"], [None, "s", "t"]
DAYS = [f"2025-01-0{day}" for day in range(1, 6)]

facts = st.fixed_dictionaries(
    {
        "entity": st.sampled_from(ENTITIES),
        "attribute": st.sampled_from(ATTRIBUTES),
        "value": st.integers(1, 3),
        "source": st.sampled_from(SOURCES),
        "valid_from": st.sampled_from(DAYS),
    }
)
turns = st.lists(st.lists(facts, max_size=3), max_size=8).map(
    lambda told: [Turn(number, "", 1, "people", some) for number, some in enumerate(told, start=1)]
)
plain = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["value", "first", "previous", "as_of", "num_changes"]),
        "entity": st.sampled_from(ENTITIES),
        "attribute": st.sampled_from(ATTRIBUTES),
        "day": st.sampled_from(DAYS),
    }
)
claims = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["claims", "claim_of", "source_of", "extreme_source"]),
        "entity": st.sampled_from(ENTITIES),
        "attribute": st.sampled_from(ATTRIBUTES),
        "source": st.sampled_from(["s", "t"]),
        "value": st.integers(1, 3),
        "most": st.booleans(),
    }
)
conditions = st.lists(
    st.fixed_dictionaries({"attribute": st.sampled_from(ATTRIBUTES)}).flatmap(
        lambda one: st.sampled_from([{**one, way: number} for way in ("is", "at_least") for number in (1, 2, 3)])
    ),
    min_size=1,
    max_size=2,
)
many = st.fixed_dictionaries(
    {
        "op": st.sampled_from("list_where count_where values_where most_common end_where".split()),
        "where": conditions,
        "attribute": st.sampled_from(ATTRIBUTES),
        "by": st.sampled_from(ATTRIBUTES),
        "last": st.booleans(),
    }
)
named = st.fixed_dictionaries(
    {
        "op": st.sampled_from("inverse order told_of".split()),
        "attribute": st.sampled_from(ATTRIBUTES),
        "value": st.integers(1, 3),
        "among": st.permutations(ENTITIES).map(lambda some: some[:2]),
    }
)
simple = plain | claims | many | named
combined = st.fixed_dictionaries(
    {"op": st.sampled_from(["difference", "sum", "is_more"]), "of": st.lists(plain, min_size=2, max_size=2)}
)


def naive_history(told: list[Turn], entity: str, attribute: str) -> list[Any]:
    """The values one after the other: of each day the last told, without repetitions."""
    own = [fact for turn in told for fact in turn.facts if (fact["entity"], fact["attribute"]) == (entity, attribute)]
    last = {day: [fact["value"] for fact in own if fact["valid_from"] == day] for day in DAYS}
    values: list[Any] = []
    for day in DAYS:
        if last[day] and (not values or values[-1] != last[day][-1]):
            values.append(last[day][-1])
    return values


def naive_now(told: list[Turn], attribute: str) -> dict[str, Any]:
    histories = {entity: naive_history(told, entity, attribute) for entity in ENTITIES}
    return {entity: values[-1] for entity, values in histories.items() if values}


def naive_of_one(told: list[Turn], query: dict[str, Any]) -> Any:
    values = naive_history(told, query["entity"], query["attribute"])
    if query["op"] == "as_of":
        until = [
            Turn(turn.turn_number, "", 1, "", [fact for fact in turn.facts if fact["valid_from"] <= query["day"]])
            for turn in told
        ]
        values = naive_history(until, query["entity"], query["attribute"])
    if not values:
        return None
    return {
        "value": values[-1],
        "as_of": values[-1],
        "first": values[0],
        "previous": values[-2] if len(values) > 1 else None,
        "num_changes": len(values) - 1,
    }[query["op"]]


def naive_of_claims(told: list[Turn], query: dict[str, Any]) -> Any:
    said: dict[str, Any] = {}
    for fact in (fact for turn in told for fact in turn.facts):
        if (fact["entity"], fact["attribute"]) == (query["entity"], query["attribute"]) and fact["source"]:
            said[fact["source"]] = fact["value"]
    if query["op"] == "claims":
        return [[source, value] for source, value in said.items()] or None
    if query["op"] == "claim_of":
        return said.get(query["source"])
    if query["op"] == "source_of":
        sources = [source for source, value in said.items() if value == query["value"]]
        return sources[0] if len(sources) == 1 else None
    if len(said) < 2:
        return None
    end = (max if query["most"] else min)(said.values())
    sources = [source for source, value in said.items() if value == end]
    return sources[0] if len(sources) == 1 else None


def naive_of_many(told: list[Turn], query: dict[str, Any]) -> Any:
    now = {attribute: naive_now(told, attribute) for attribute in ATTRIBUTES}

    def meets(entity: str, condition: dict[str, Any]) -> bool:
        value = now[condition["attribute"]].get(entity)
        if value is None:
            return False
        return bool(value == condition["is"] if "is" in condition else value >= condition["at_least"])

    met = [entity for entity in ENTITIES if all(meets(entity, condition) for condition in query["where"])]
    if query["op"] in ("list_where", "count_where"):
        return (met if query["op"] == "list_where" else len(met)) if met else None
    by = query["by"] if query["op"] == "end_where" else query["attribute"]
    values = {entity: now[by][entity] for entity in met if entity in now[by]}
    if not values:
        return None
    if query["op"] == "values_where":
        return sorted(set(values.values()))
    if query["op"] == "most_common":
        often = [list(values.values()).count(value) for value in sorted(set(values.values()))]
        most = [value for value, num in zip(sorted(set(values.values())), often, strict=True) if num == max(often)]
        return most[0] if len(most) == 1 else None
    end = (max if query["last"] else min)(values.values())
    ends = [entity for entity, value in values.items() if value == end]
    return ends[0] if len(ends) == 1 else None


def naive_of_named(told: list[Turn], query: dict[str, Any]) -> Any:
    now = naive_now(told, query["attribute"])
    if query["op"] == "inverse":
        holders = [entity for entity, value in now.items() if value == query["value"]]
        return holders[0] if len(holders) == 1 else None
    if query["op"] == "told_of":
        return [entity for entity in query["among"] if entity in now] or None
    if not set(query["among"]) <= set(now) or len({now[entity] for entity in query["among"]}) < len(query["among"]):
        return None
    return sorted(query["among"], key=lambda entity: int(now[entity]))


def naive(told: list[Turn], query: dict[str, Any]) -> Any:
    if "of" in query:
        values = [naive(told, part) for part in query["of"]]
        if None in values:
            return None
        one, other = values
        return {"difference": abs(one - other), "sum": one + other, "is_more": one > other}[query["op"]]
    if "where" in query:
        return naive_of_many(told, query)
    if "among" in query:
        return naive_of_named(told, query)
    return naive_of_claims(told, query) if "source" in query else naive_of_one(told, query)


@given(turns, simple | combined)
def test_the_engine_finds_what_a_naive_reader_finds(told: list[Turn], query: dict[str, Any]):
    assert find_answer(query, Record.of(told)).value == naive(told, query)


@given(turns, simple | combined)
def test_the_evidence_alone_gives_the_same_answer(told: list[Turn], query: dict[str, Any]):
    whole = find_with_evidence(query, Record.of(told))
    assert whole is not None
    alone = find_answer(query, Record.of(turn for turn in told if turn.turn_number in whole.turns))
    assert alone.value == whole.value
    assert list(whole.turns) == sorted(set(whole.turns))


@given(turns, plain)
def test_a_chain_is_its_links(told: list[Turn], query: dict[str, Any]):
    """An entity given by a query is the entity that the query finds."""
    holder = {"op": "inverse", "attribute": "y", "value": 1}
    name = find_answer(holder, Record.of(told)).value
    chained = find_answer({**query, "entity": holder}, Record.of(told)).value
    assert chained == (None if name is None else find_answer({**query, "entity": name}, Record.of(told)).value)
