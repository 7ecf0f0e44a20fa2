"""A report, written down: one file per format, `FORMATS` is the register. Rendering never decides anything."""

from __future__ import annotations

from collections.abc import Mapping

from assay.validators.render.fix_prompt import fix_prompt
from assay.validators.render.format import Format, Formats

FORMATS: Mapping[str, Format] = Formats("terminal", "markdown", "json", "sarif", "junit")

__all__ = ["FORMATS", "Format", "fix_prompt"]
