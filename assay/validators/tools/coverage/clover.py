"""Clover XML: PHPUnit, istanbul, OpenClover."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.tools.coverage.coverage_reader import Reported, ran
from assay.validators.tools.coverage.xml_events import root_tag, whole, xml_events


class Clover:
    """`<coverage><project><package><file path name><line num count type>`."""

    name = "clover"

    def recognises(self, head: bytes) -> bool:
        """Return whether the root is a `coverage` with a project or a Clover attribute."""
        return root_tag(head) == b"coverage" and (b"<project" in head or b"clover=" in head)

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files of a report."""
        lines: dict[int, bool] = {}
        for event, tag, element in xml_events(data):
            if event == "start" and tag == "file":
                lines = {}
            elif event == "end" and tag == "line":
                ran(lines, whole(element.get("num")), (whole(element.get("count")) or 0) > 0)
            elif event == "end" and tag == "file" and (element.get("path") or element.get("name")):
                yield Reported(element.get("path") or element.get("name"), lines)


clover = Clover()
