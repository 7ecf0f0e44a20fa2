"""istanbul's coverage-final.json: jest, vitest, nyc, c8."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.tools.coverage.coverage_reader import Reported, json_object, ran
from assay.validators.tools.readers.json_text import inner, number


class Istanbul:
    """Path -> `statementMap` (where each statement is) and `s` (how often it ran)."""

    name = "istanbul"

    def recognises(self, head: bytes) -> bool:
        """Return whether the first entries of an object are istanbul's."""
        return head.lstrip().startswith(b"{") and b'"statementMap"' in head

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files of a report; a line has run if a statement that begins on it has."""
        for path, entry in json_object(data).items():
            statements, counts = inner(entry, "statementMap"), inner(entry, "s")
            if not isinstance(statements, dict) or not isinstance(counts, dict):
                continue
            lines: dict[int, bool] = {}
            for key, place in statements.items():
                ran(lines, number(inner(place, "start", "line")), (number(counts.get(key)) or 0) > 0)
            yield Reported(str(inner(entry, "path") or path), lines)


istanbul = Istanbul()
