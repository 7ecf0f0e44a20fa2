"""Validation of agents' replies, the same for every adapter.

A reply may hold anything, so every field is checked, and an invalid one is reported in a line its author can act on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from assay.memory_eval.adapters.adapter import AgentResponse, Retrieved
from assay.memory_eval.errors import AgentCallFailed
from assay.memory_eval.truth import NOT_GIVEN, has_implausible_number

MOST_CHARACTERS = 8 * 1024 * 1024
"""The longest answer accepted from an agent, in characters."""

MOST_SOURCES = 100
MOST_RETRIEVED = 1000
"""Texts of one retrieval that are read."""
_MOST_OF_STATS = 64 * 1024
MOST_OF_A_VALUE = 20_000
"""The longest typed value, in characters of its JSON."""


def _cleaned(value: object) -> object:
    return clean(value) if isinstance(value, str) else value


def _as_list(value: object) -> object:
    return list(map(_cleaned, value)) if isinstance(value, list | tuple) else [] if value is None else value


_Count = Annotated[int, Field(ge=0, lt=2**53)]


class _Reply(BaseModel):
    """The fields of a response in every protocol; others are ignored."""

    model_config = ConfigDict(strict=True, from_attributes=True)

    answer: Annotated[str, BeforeValidator(_cleaned), Field(max_length=MOST_CHARACTERS)]
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    tokens_in: _Count | None = None
    tokens_out: _Count | None = None
    context_tokens: _Count | None = None
    sources: Annotated[list[str], BeforeValidator(_as_list)] = []
    value: Any = NOT_GIVEN


def response_from(value: object) -> AgentResponse:
    """Return what `answer()` gave as a response: a text, an `AgentResponse`, a mapping or an object with these fields.

    Raises `AgentCallFailed` for anything else, including None and bytes, and for an invalid field.
    """
    given = {"answer": value} if isinstance(value, str) else value
    if isinstance(given, Mapping) and "answer" not in given:
        raise AgentCallFailed(f"the reply has no `answer`: {shortly(dict(given))}", code="agent.invalid-reply")
    if not isinstance(given, Mapping) and (not hasattr(given, "answer") or callable(given.answer)):
        raise AgentCallFailed(
            f"answered with {_kind(value)}; expected a text or a response", code="agent.invalid-reply"
        )
    try:
        reply = _Reply.model_validate(dict(given) if isinstance(given, Mapping) else given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        is_what = f"its {first['loc'][0]} is {_kind(first['input'])[:100]}"
        raise AgentCallFailed(f"{is_what}: {first['msg']}", code="agent.invalid-reply") from None
    sources = tuple(one[:1000] for one in reply.sources[:MOST_SOURCES])
    return AgentResponse(**{**reply.__dict__, "sources": sources, "value": _value(reply.value)})


def retrieved_from(value: object) -> list[Retrieved]:
    """Return what `retrieve()` gave: a list of texts, or of objects with `text`, `id` and `score`.

    Raises `AgentCallFailed` for anything else. Texts beyond `MOST_RETRIEVED` are left out.
    """
    if not isinstance(value, list | tuple):
        raise AgentCallFailed(f"retrieved {_kind(value)}; expected a list", code="agent.invalid-reply")
    return [_one_retrieved(one) for one in value[:MOST_RETRIEVED]]


def _one_retrieved(one: object) -> Retrieved:
    if isinstance(one, str):
        return Retrieved(clean(one[:MOST_CHARACTERS]))
    fields = one if isinstance(one, Mapping) else {key: getattr(one, key, None) for key in ("text", "id", "score")}
    text, name, score = fields.get("text"), fields.get("id"), fields.get("score")
    if not isinstance(text, str):
        raise AgentCallFailed(f"retrieved {_kind(one)}; expected a text", code="agent.invalid-reply")
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    return Retrieved(
        clean(text[:MOST_CHARACTERS]),
        clean(str(name)[:1000]) if name is not None else None,
        float(score) if is_number else None,  # type: ignore[arg-type]
    )


def stats_from(value: object) -> dict[str, Any]:
    """Return an agent's memory statistics as plain data; raises `AgentCallFailed` if they are invalid or too large."""
    if not isinstance(value, Mapping):
        raise AgentCallFailed(f"its stats are {_kind(value)}; expected an object", code="agent.invalid-stats")
    try:
        text = json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise AgentCallFailed("its stats cannot be written as JSON", code="agent.invalid-stats") from None
    if len(text) > _MOST_OF_STATS:
        raise AgentCallFailed(
            f"its stats are {len(text)} characters long; {_MOST_OF_STATS} are the most", code="agent.invalid-stats"
        )
    plain: dict[str, Any] = json.loads(clean(text))
    return plain


def shortly(value: object) -> str:
    """Return any value as one short line for an error."""
    text = value if isinstance(value, str) else repr(value)
    line = " ".join(clean(text[:400]).split())
    return line if len(line) <= 200 else line[:199] + "…"


def clean(text: str) -> str:
    """Remove lone surrogates, which cannot be encoded in a file."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _value(value: object) -> Any:
    """Return a typed value as plain JSON; dates of Python become ISO texts, sets and tuples lists."""
    if value is NOT_GIVEN:
        return NOT_GIVEN
    try:
        text = json.dumps(value, allow_nan=False, default=_as_json)
    except (TypeError, ValueError, RecursionError):
        text = ""
    if not text or len(text) > MOST_OF_A_VALUE:
        raise AgentCallFailed(
            f"its value is {shortly(value)}; expected a number, a text, true, false, null, a list or an object",
            code="agent.invalid-reply",
        )
    plain = json.loads(clean(text))
    if has_implausible_number(plain):
        raise AgentCallFailed(f"its value has too large a number: {shortly(text)}", code="agent.invalid-reply")
    return plain


def _as_json(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, set | frozenset):
        return list(value)
    raise TypeError


def _kind(value: object) -> str:
    return "nothing (None)" if value is None else f"{type(value).__name__} {shortly(value)}"
