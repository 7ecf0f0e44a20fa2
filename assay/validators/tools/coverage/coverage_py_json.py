"""coverage.py's JSON report."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.tools.coverage.coverage_reader import Reported, json_object, ran
from assay.validators.tools.readers.json_text import inner, number


class CoveragePyJson:
    """`files` -> path -> `executed_lines`, `missing_lines`."""

    name = "coverage_py_json"

    def recognises(self, head: bytes) -> bool:
        """Return whether an object has executed lines or begins with coverage.py's own `meta`."""
        return head.lstrip().startswith(b"{") and (b'"executed_lines"' in head or b'"branch_coverage"' in head)

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files of a report."""
        files = json_object(data).get("files")
        for path, entry in files.items() if isinstance(files, dict) else ():
            lines: dict[int, bool] = {}
            for key, has_run in (("executed_lines", True), ("missing_lines", False)):
                numbers = inner(entry, key)
                for line in numbers if isinstance(numbers, list) else ():
                    ran(lines, number(line), has_run)
            yield Reported(path, lines)


coverage_py_json = CoveragePyJson()
