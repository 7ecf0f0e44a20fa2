"""Words of strangers made harmless, under the names this room's renderings and its face know them by."""

from __future__ import annotations

from assay.escape import code, fenced, fitting, prose, utf8, visible, visible_lines, xml_text

__all__ = ["code", "fenced", "fitting", "prose", "utf8", "visible", "visible_lines", "xml_text"]
