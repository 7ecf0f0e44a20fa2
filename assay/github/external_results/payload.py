"""Strict models of uploads, which code of the change may have written: bounded, typed, and never quoted in errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from assay.validators import NotStrict, ReportUnreadable, read_strict_json, strict_values

M = TypeVar("M", bound=BaseModel)


class StrictModel(BaseModel):
    """Strict model: no type conversion, no unknown keys, no values in errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


def read_payload(model: type[M], body: bytes | Mapping[str, Any], most_bytes: int, what: str) -> M:
    """Parse an upload, as bytes or as stored data.

    Raises:
        ReportUnreadable: the payload is invalid; the message quotes nothing from it.
    """
    if isinstance(body, bytes) and len(body) > most_bytes:
        raise ReportUnreadable(what, f"more than {most_bytes // 1024} KiB")
    try:
        data = read_strict_json(body) if isinstance(body, bytes) else body
        strict_values(data)
        return model.model_validate(data)
    except NotStrict as error:
        raise ReportUnreadable(what, str(error)) from None
    except ValidationError as error:
        raise ReportUnreadable(what, first_of(error, model)) from None


def first_of(error: ValidationError, model: type[BaseModel]) -> str:
    """Return the first error; only the model's own field names are quoted, as unknown keys are untrusted."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = next((str(part) for part in first["loc"] if part in model.model_fields), "")
    said = first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said
