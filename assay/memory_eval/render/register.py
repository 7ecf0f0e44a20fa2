"""The register of `FORMATS`; the order is meaningful."""

from __future__ import annotations

from collections.abc import Mapping

from assay.memory_eval.render import html, json, markdown, terminal
from assay.memory_eval.render.format import Format

FORMATS: Mapping[str, Format] = {
    "terminal": terminal,
    "json": json,
    "markdown": markdown,
    "html": html,
}
