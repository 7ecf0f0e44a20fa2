"""LCOV tracefiles: gcov, istanbul, cargo llvm-cov, Dart, and nearly everything else."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.tools.coverage.coverage_reader import Reported, ran


class Lcov:
    """`SF:path`, `DA:line,hits`, `end_of_record`."""

    name = "lcov"

    def recognises(self, head: bytes) -> bool:
        """Return whether the first line is LCOV's and a source file follows soon."""
        first = head.lstrip()[:3]
        return first in (b"TN:", b"SF:") and b"SF:" in head

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files of a report; a file tested by several programs appears several times."""
        path, lines = "", dict[int, bool]()
        for raw in data.split(b"\n"):
            line = raw.strip()
            if line.startswith(b"SF:"):
                path, lines = line[3:].decode("utf-8", "surrogateescape"), {}
            elif line.startswith(b"DA:"):
                number, _, hits = line[3:].partition(b",")
                if number.isdigit() and len(number) < 9:
                    # Old files write `=====` for none, and hits may exceed a plain number.
                    ran(lines, int(number), hits.split(b",")[0].lstrip(b"0") not in (b"", b"=====", b"#####", b"-"))
            elif line == b"end_of_record" and path:
                yield Reported(path, lines)
                path = ""


lcov = Lcov()
