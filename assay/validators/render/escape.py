"""Escaping of untrusted text, re-exported for the report formats."""

from __future__ import annotations

from assay.escape import code, fenced, fitting, prose, utf8, visible, visible_lines, xml_text

__all__ = ["code", "fenced", "fitting", "prose", "utf8", "visible", "visible_lines", "xml_text"]
