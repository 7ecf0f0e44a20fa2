"""Structured answers: schema in the request, validation of the response."""

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
    """Complete a prompt with an answer of a pydantic model.

    Raises:
        ModelUnavailable: no answer, or one that does not validate.
    """
    completion = model.complete(prompt, system=system, schema=form.model_json_schema(), max_tokens=max_tokens)
    return validated(form, completion), completion


def validated(form: type[M], completion: Completion) -> M:
    """Return the answer as a pydantic model.

    Raises:
        ModelUnavailable: it does not validate.
    """
    from pydantic import ValidationError

    try:
        return form.model_validate(completion.value)
    except ValidationError as error:
        places = ", ".join(".".join(map(str, one["loc"])) or "root" for one in error.errors()[:3])
        raise ModelUnavailable(
            f"the model's answer does not match the schema: {places}", WhyUnavailable.unfit
        ) from None


def parsed(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Parse and validate a model's answer.

    The API enforces types and names, but not ranges and lengths, so the whole schema is checked here.

    Raises:
        ModelUnavailable: the answer is not a JSON object of the schema.
    """
    import jsonschema

    try:
        value = json.loads(text, parse_constant=_no_number)
        jsonschema.Draft202012Validator(schema).validate(value)
    except jsonschema.ValidationError as error:
        place = ".".join(map(str, error.absolute_path)) or "root"
        raise ModelUnavailable(f"the model's answer does not match the schema: {place}", WhyUnavailable.unfit) from None
    except (ValueError, RecursionError):
        raise ModelUnavailable("the model's answer is not JSON", WhyUnavailable.unfit) from None
    if not isinstance(value, dict):
        raise ModelUnavailable("the model's answer is not an object", WhyUnavailable.unfit)
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
