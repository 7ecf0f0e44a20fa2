"""JaCoCo XML, and Kover's: Java and Kotlin."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.tools.coverage.coverage_reader import Reported, ran
from assay.validators.tools.coverage.xml_events import root_tag, whole, xml_events


class Jacoco:
    """`<report><package name><sourcefile name><line nr mi ci>`: missed and covered instructions of a line."""

    name = "jacoco"

    def recognises(self, head: bytes) -> bool:
        """Return whether the root is a `report` of JaCoCo or Kover."""
        return root_tag(head) == b"report" and (b"JACOCO" in head or b"<sessioninfo" in head or b"<package" in head)

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files of a report as `com/shop/Cart.java`: the format does not record the source folder."""
        package = ""
        lines: dict[int, bool] = {}
        for event, tag, element in xml_events(data):
            if event == "start" and tag == "package":
                package = element.get("name") or ""
            elif event == "start" and tag == "sourcefile":
                lines = {}
            elif event == "end" and tag == "line":
                ran(lines, whole(element.get("nr")), (whole(element.get("ci")) or 0) > 0)
            elif event == "end" and tag == "sourcefile" and element.get("name"):
                yield Reported(f"{package}/{element.get('name')}".lstrip("/"), lines)


jacoco = Jacoco()
