"""The register of `FORMATS`; the order is meaningful."""

from __future__ import annotations

from collections.abc import Mapping

from assay.validators.render.format import Format, Formats

FORMATS: Mapping[str, Format] = Formats("terminal", "markdown", "json", "sarif")
