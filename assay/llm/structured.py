"""Answers of a given form: what is asked of the model, and whether what it said is that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from assay.llm.language_model import Completion, LanguageModel, ModelUnavailable, WhyUnavailable

if TYPE_CHECKING:
    from pydantic import BaseModel

    M = TypeVar("M", bound=BaseModel)


def complete_as(
    model: LanguageModel, form: type[M], prompt: str, *, system: str = "", max_tokens: int = 4096
) -> tuple[M, Completion]:
    """Ask any model for an answer of a pydantic form. Raises `ModelUnavailable` where it does not fit."""
    from pydantic import ValidationError

    completion = model.complete(prompt, system=system, schema=form.model_json_schema(), max_tokens=max_tokens)
    try:
        return form.model_validate(completion.value), completion
    except ValidationError as error:
        places = ", ".join(".".join(map(str, one["loc"])) or "the whole" for one in error.errors()[:3])
        raise ModelUnavailable(
            f"the model's answer does not have the form asked for: {places}", WhyUnavailable.unfit
        ) from None


def parsed(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The object a model answered with, if it fits the schema; raises `ModelUnavailable` if not.

    The API keeps to types and names but not to ranges and lengths, so all of it is looked at again.
    """
    import jsonschema

    try:
        value = json.loads(text, parse_constant=_no_number)
        jsonschema.Draft202012Validator(schema).validate(value)
    except jsonschema.ValidationError as error:
        place = ".".join(map(str, error.absolute_path)) or "the whole"
        raise ModelUnavailable(
            f"the model's answer does not have the form asked for: {place}", WhyUnavailable.unfit
        ) from None
    except (ValueError, RecursionError):
        raise ModelUnavailable("the model's answer is no JSON", WhyUnavailable.unfit) from None
    if not isinstance(value, dict):
        raise ModelUnavailable("the model's answer is no object", WhyUnavailable.unfit)
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
