"""Go's coverage profiles (`go test -coverprofile`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from assay.validators.tools.coverage.coverage_reader import MOST_LINES, Reported, ran

_BLOCK = re.compile(rb"(.{1,4000}):(\d{1,8})\.\d{1,8},(\d{1,8})\.(\d{1,8}) \d{1,8} (\d{1,18})\s*")


class GoProfile:
    """`mode: set`, then `package/file.go:first.column,last.column statements count` for each block."""

    name = "go_profile"

    def recognises(self, head: bytes) -> bool:
        """Return whether the first line is the one every profile begins with."""
        return re.match(rb"\s*mode: (set|count|atomic)\b", head) is not None

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files of a profile; paths begin with the module's name."""
        files: dict[bytes, dict[int, bool]] = defaultdict(dict)
        left = MOST_LINES
        for line in data.split(b"\n"):
            match = _BLOCK.fullmatch(line)
            if match is None:
                continue
            first, last, column, count = (int(match[group]) for group in (2, 3, 4, 5))
            # A block that ends in the first columns of a line ends with a closing brace alone.
            last -= column <= 2 and last > first
            left -= last - first
            if last < first or left < 0:
                raise ValueError("a block without end")
            for number in range(first, last + 1):
                ran(files[match[1]], number, count > 0)
        for path, lines in files.items():
            yield Reported(path.decode("utf-8", "surrogateescape"), lines)


go_profile = GoProfile()
