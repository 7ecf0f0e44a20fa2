"""Annotations of report fields: their limits in the JSON schema, and which are paths and lines."""

from __future__ import annotations

from typing import Annotated, NamedTuple


class Mark(NamedTuple):
    """Limits of a field in the JSON schema, and its form in JSON."""

    minimum: int | None = None
    maximum: int | None = None
    pattern: str | None = None
    enum: tuple[str | None, ...] | None = None
    size: int | None = None
    is_path: bool = False
    is_line: bool = False
    is_null_if_empty: bool = False


Path = Annotated[str, Mark(is_path=True)]
"""Path relative to the repository; JSON holds it as `shown` writes it."""
Line = Annotated[int, Mark(minimum=1, is_line=True)]
"""Line number from 1; JSON holds null for 0."""
Count = Annotated[int, Mark(minimum=0)]
Percentile = Annotated[float, Mark(minimum=0, maximum=100)]
Share = Annotated[float, Mark(minimum=0, maximum=1)]
Seconds = Annotated[float, Mark(minimum=0)]
Sha = Annotated[str, Mark(pattern="^[0-9a-f]{40}([0-9a-f]{24})?$")]
FindingId = Annotated[str, Mark(pattern="^[0-9a-f]{12}$")]
