"""A report, written down: one file per format, `FORMATS` is the register. Rendering never decides anything."""

from __future__ import annotations

from collections.abc import Mapping

from assay.validators.render import json, junit, markdown, sarif, terminal
from assay.validators.render.fix_prompt import fix_prompt
from assay.validators.render.format import Format

FORMATS: Mapping[str, Format] = {
    "terminal": terminal,
    "markdown": markdown,
    "json": json,
    "sarif": sarif,
    "junit": junit,
}

__all__ = ["FORMATS", "Format", "fix_prompt", "terminal"]
