"""Annotations of report fields: their limits, and their form in JSON where it is not the value's own."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, Field, GetPydanticSchema, PlainSerializer, PlainValidator

from assay.validators.changes.change import path_of, shown

T = TypeVar("T")


def only(*words: str) -> Any:
    """Return the annotation of a field that holds one of these words."""
    return GetPydanticSchema(lambda _, handler: handler(Literal[words]))


def _refuse(_: object) -> None:
    raise ValueError("unexpected key")


Path = Annotated[str, AfterValidator(path_of), PlainSerializer(shown)]
"""Path relative to the repository; JSON holds it as `shown` writes it."""
Line = Annotated[int, Field(ge=1), PlainSerializer(lambda line: line if line > 0 else None)]
"""Line number from 1; a tool reports line 0 for a whole file, which JSON holds as null."""
Count = Annotated[int, Field(ge=0)]
Range = Annotated[list[Count], Field(min_length=2, max_length=2)]
"""First and last line."""
Percent = Annotated[float, Field(ge=0, le=100)]
Share = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0)]
Sha = Annotated[str, Field(pattern="^[0-9a-f]{40}([0-9a-f]{24})?$")]
FindingId = Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
Hidden: TypeAlias = Annotated[T, Field(exclude=True), PlainValidator(_refuse)]
"""Field that JSON does not hold."""
