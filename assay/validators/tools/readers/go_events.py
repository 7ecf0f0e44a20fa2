"""The events of `go test -json`, parsed as they arrive: every test by name, and the plain text of the run.

Go frames the output of its test programs, so that a test cannot forge results of others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from assay.validators.io.json_parts import text
from assay.validators.tools.readers.json_text import json_of
from assay.validators.tools.tool import Ended, TestId

OPTION = "-json"
MOST_TESTS = 500_000
MOST_BYTES_OF_A_TEST = 200_000
MOST_TEXT = 8 * 1024 * 1024
_STATES = {"pass": Ended.passed, "fail": Ended.failed, "skip": Ended.skipped}


class GoEvents:
    """Collector of one run's events; drops the output of passing tests, as go does without `-v`."""

    def __init__(self) -> None:
        self._rest = b""
        self._said: dict[TestId, list[str]] = defaultdict(list)
        self._size: dict[TestId, int] = defaultdict(int)
        self._ended: dict[TestId, Ended] = {}
        self._text: list[bytes] = []
        self._num_text = 0
        self._has_events = False

    def feed(self, data: bytes) -> bytes:
        """Process the next piece of output; return the new text to show."""
        whole, newline, self._rest = (self._rest + data).rpartition(b"\n")
        if not newline:
            return b""
        output = b"".join(self._line(line) for line in whole.split(b"\n"))
        if self._num_text < MOST_TEXT:
            self._text.append(output)
            self._num_text += len(output)
        return output

    def end(self) -> bytes:
        """Return the remaining output of packages and tests that never ended."""
        left = self._rest + b"\n" if self._rest else b""
        self._rest = b""
        output = b"".join((left, *("".join(words).encode() for words in self._said.values())))
        self._said.clear()
        self._text.append(output[:MOST_TEXT])
        return output

    @property
    def text(self) -> bytes:
        """The output as `go test` prints it without `-v`, except for the names of failures."""
        return b"".join(self._text)

    @property
    def results(self) -> dict[TestId, Ended] | None:
        """The tests by package and name; None where go printed no events."""
        return self._ended if self._has_events else None

    def _line(self, line: bytes) -> bytes:
        event = json_of(line) if line.startswith(b"{") and b'"Action"' in line else None
        if not isinstance(event, dict):
            return line + b"\n"
        self._has_events = True
        return self._event(event).encode("utf-8", "surrogatepass")

    def _event(self, event: dict[str, Any]) -> str:
        package = text(event.get("Package")) or text(event.get("ImportPath"))
        key = (package, text(event.get("Test")))
        action = text(event.get("Action"))
        if action in ("output", "build-output"):
            said = text(event.get("Output"))
            if not key[1]:
                return said
            if self._size[key] < MOST_BYTES_OF_A_TEST:
                self._size[key] += len(said)
                self._said[key].append(said)
            return ""
        if action in _STATES and key[1]:
            if len(self._ended) < MOST_TESTS:
                self._ended[key] = _STATES[action]
            words = "".join(self._said.pop(key, []))
            return words if action == "fail" else ""
        if action == "fail":
            return "".join("".join(self._said.pop(other)) for other in list(self._said) if other[0] == package)
        return ""


def leaves(tests: Mapping[TestId, Ended]) -> dict[TestId, Ended]:
    """Return the tests without those that only hold subtests."""
    parents = {(package, name.rpartition("/")[0]) for package, name in tests if "/" in name}
    return {test: ended for test, ended in tests.items() if test not in parents}
