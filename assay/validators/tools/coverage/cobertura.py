"""Cobertura XML: coverage.py, coverlet, gcovr, pytest-cov, istanbul and many more."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.tools.coverage.coverage_reader import Reported, ran
from assay.validators.tools.coverage.xml_events import root_tag, whole, xml_events


class Cobertura:
    """`<coverage><sources/><packages><package><classes><class filename><lines><line number hits>`."""

    name = "cobertura"

    def recognises(self, head: bytes) -> bool:
        """Return whether the root is a `coverage` that is not Clover's."""
        return root_tag(head) == b"coverage" and b"<project" not in head and b"clover=" not in head

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files of a report; a file with several classes appears several times."""
        sources: list[str] = []
        lines: dict[int, bool] = {}
        in_method = False
        for event, tag, element in xml_events(data):
            if event == "start" and tag == "class":
                lines = {}
            elif event == "end" and tag == "source":
                sources.append((element.text or "").strip())
            elif tag == "methods":
                # The same lines again, and with istanbul those of the declarations, which hold no statement.
                in_method = event == "start"
            elif event == "end" and tag == "line" and not in_method:
                ran(lines, whole(element.get("number")), (whole(element.get("hits")) or 0) > 0)
            elif event == "end" and tag == "class" and element.get("filename"):
                yield Reported(element.get("filename"), lines, tuple(source for source in sources if source))


cobertura = Cobertura()
