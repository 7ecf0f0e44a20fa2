"""Queries about one attribute of one entity: current, earlier and previous value, since when, and who claimed what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.memory_eval.questions.queries.found import NOTHING, Find, Op, Query, QueryResult, found, inner
from assay.memory_eval.questions.queries.record import Record, StatedFact

_Pick = Callable[[list[StatedFact], Any], tuple[Any, list[StatedFact]] | None]
"""From a history that is not empty: the value and the facts it is based on."""


def _of_history(pick: _Pick) -> Op:
    def answer(query: Query, record: Record, find: Find) -> QueryResult:
        entity = inner(query["entity"], record, find)
        history = record.history(entity.value, query["attribute"]) if entity.value is not None else []
        picked = pick(history, inner(query.get("value", query.get("day")), record, find).value) if history else None
        return NOTHING if picked is None else found(picked[0], picked[1], entity.turns)

    return answer


def _previous(history: list[StatedFact], _: Any) -> tuple[Any, list[StatedFact]] | None:
    return (history[-2].value, history[-2:]) if len(history) > 1 else None


def _as_of(history: list[StatedFact], day: Any) -> tuple[Any, list[StatedFact]] | None:
    held = [one for one in history if one.day <= day]
    return (held[-1].value, held[-1:]) if held else None


def _held_from(history: list[StatedFact], value: Any) -> tuple[Any, list[StatedFact]] | None:
    """Return the day from which a value held (by default the present one); the last if it came twice."""
    wanted = history[-1].value if value is None else value
    holding = [one for one in history if one.value == wanted]
    return (holding[-1].day, holding[-1:]) if holding else None


def _num_changes(history: list[StatedFact], _: Any) -> tuple[Any, list[StatedFact]]:
    return len(history) - 1, history


def _claims(query: Query, record: Record, _find: Find) -> QueryResult:
    """Return [[source, value], …] in the order of the sources' first claims."""
    told = record.claims(query["entity"], query["attribute"])
    return found([[one.source, one.value] for one in told], told) if told else NOTHING


def _claim_of(query: Query, record: Record, _find: Find) -> QueryResult:
    told = [one for one in record.claims(query["entity"], query["attribute"]) if one.source == query["source"]]
    return found(told[0].value, told) if told else NOTHING


def _source_of(query: Query, record: Record, find: Find) -> QueryResult:
    """Return who claimed a value; no result for none or more than one."""
    value = inner(query["value"], record, find)
    told = [one for one in record.claims(query["entity"], query["attribute"]) if one.value == value.value]
    return found(told[0].source, told, value.turns) if len(told) == 1 else NOTHING


def _extreme_source(query: Query, record: Record, _find: Find) -> QueryResult:
    """Return whose claim is the most (`most`: false, the least) of all; no result for ties or a single source."""
    told = record.claims(query["entity"], query["attribute"])
    ranked = sorted(told, key=lambda one: one.value, reverse=query["most"])
    if len(ranked) < 2 or ranked[0].value == ranked[1].value:
        return NOTHING
    return found(ranked[0].source, told)


def _on_file(query: Query, record: Record, _find: Find) -> QueryResult:
    """Return [[attribute, value], …] of the named attributes that are stated and not to be forgotten."""
    kept: list[list[Any]] = []
    turns: list[int] = []
    for attribute in query["attributes"]:
        request = record.forgotten(query["entity"], attribute)
        latest = record.latest(query["entity"], attribute)
        if request is not None:
            turns.append(request.turn)
        elif latest is not None:
            kept.append([attribute, latest.value])
            turns.append(latest.turn)
    return found(kept, turns) if kept else NOTHING


OF_ONE: dict[str, Op] = {
    "value": _of_history(lambda history, _: (history[-1].value, history[-1:])),
    "first": _of_history(lambda history, _: (history[0].value, history[:1])),
    "previous": _of_history(_previous),
    "as_of": _of_history(_as_of),
    "held_from": _of_history(_held_from),
    "num_changes": _of_history(_num_changes),
    "claims": _claims,
    "claim_of": _claim_of,
    "source_of": _source_of,
    "extreme_source": _extreme_source,
    "on_file": _on_file,
}
"""`as_of` takes a `day`, `held_from` may take a `value`; the other keys are documented with each function."""
