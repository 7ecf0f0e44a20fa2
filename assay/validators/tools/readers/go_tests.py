"""Results of `go test`, as text with and without `-v`, and as `-json` events."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.validators.report.model import Counts, Finding
from assay.validators.tools.readers.go_events import GoEvents, leaves
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, could_not_look, finding
from assay.validators.tools.tool import Ended, Reading, TestId
from assay.validators.vcs.trees import read_regular

_STATES = {"PASS": Ended.passed, "FAIL": Ended.failed, "SKIP": Ended.skipped}
_SAYS = re.compile(r"\s+([\w.-]{1,200}\.go):(\d{1,7}): (.*)")
_RESULT = re.compile(r" {0,80}--- (PASS|FAIL|SKIP): (\S{1,500})")
_RUNNING = re.compile(r"=== (?:RUN|CONT|NAME) +(\S{1,500})")
_PACKAGE = re.compile(r"(ok  |FAIL|\?   |panic)\t(\S{1,500})(?:\t| \[|$)(.*)")
_NOT_BUILT = re.compile(r"^FAIL\t\S{1,500} \[(?:build|setup) failed\]", re.MULTILINE)


@dataclass
class _Package:
    """Output of `go test` about one package: the results, and the first message of each test."""

    name: str = ""
    state: str = ""
    results: dict[TestId, Ended] = field(default_factory=dict)
    said: dict[str, tuple[str, int, str]] = field(default_factory=dict)
    panic: list[str] = field(default_factory=list)

    def ended(self, how: Ended) -> list[str]:
        """Return the tests with this outcome that have no subtests."""
        return [name for (_, name), ended in leaves(self.results).items() if ended is how]


def go_reading(output: Output) -> Reading | None:
    """Return the results of the tests; None where none were run."""
    events = GoEvents() if output.piped is None and '"Action":"' in output.text else None
    text = (events.feed(f"{output.text}\n".encode()) + events.end()).decode("utf-8", "replace") if events else ""
    packages = list(_packages(text.split("\n") if events else output.lines))
    not_built = len(_NOT_BUILT.findall(text or output.text))
    if not packages and not not_built:
        return None
    named = output.piped if events is None else events.results
    reading = _read(output, packages, not_built)
    return reading if named is None else _named(output, reading, leaves(named))


def _read(output: Output, packages: Sequence[_Package], not_built: int) -> Reading:
    findings = [_failure(output, package, name) for package in packages for name in package.ended(Ended.failed)]
    for package in packages:
        if package.panic and not package.ended(Ended.failed):
            place = _panic_place(output, package)
            findings.append(finding("go", "test_error", package.panic[0], place, context=package.name))
    names = {
        (_folder(output, package.name), name): ended
        for package in packages
        for (_, name), ended in leaves(package.results).items()
    }
    # Without `-v` go prints the failures alone.
    ends = list(names.values()) if Ended.passed in names.values() else None
    counts = Counts(
        passed=ends.count(Ended.passed) if ends else None,
        failed=len(findings),
        skipped=ends.count(Ended.skipped) if ends else None,
        errors=not_built,
    )
    if not not_built and all(package.state == "?" for package in packages):
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, tuple(findings[:MOST_FINDINGS]), tests=names if ends else {})


def _named(output: Output, reading: Reading, tests: Mapping[TestId, Ended]) -> Reading:
    """Return the reading with every test by name, and counts of them."""
    ends = list(tests.values())
    failed = max(ends.count(Ended.failed), reading.counts.failed or 0)
    counts = replace(reading.counts, passed=ends.count(Ended.passed), failed=failed, skipped=ends.count(Ended.skipped))
    folders = {package: _folder(output, package) for package, _ in tests}
    named = {(folders[package], name): ended for (package, name), ended in tests.items()}
    is_reported = output.piped is not None or None
    if not tests and reading.looked:
        return replace(could_not_look("no tests ran", reading.findings, counts), is_reported=is_reported)
    return replace(reading, counts=counts, tests=named, is_reported=is_reported)


def _packages(lines: Sequence[str]) -> Iterator[_Package]:
    package, current = _Package(), ""
    for line in lines:
        if result := _RESULT.match(line):
            current = result[2]
            package.results["", current] = _STATES[result[1]]
        elif running := _RUNNING.match(line):
            current = running[1]
        elif package.panic or line.startswith("panic: "):
            package.panic.append(line)
        elif said := _SAYS.match(line):
            package.said.setdefault(current, (said[1], int(said[2]), said[3]))
        if (end := _PACKAGE.match(line)) and not line.endswith(("[build failed]", "[setup failed]")):
            package.name, package.state = end[2], "?" if "[no test files]" in line else end[1].strip()
            yield package
            package, current = _Package(), ""


def _failure(output: Output, package: _Package, name: str) -> Finding:
    path, line, message = package.said.get(name) or ("", 0, package.panic[0] if package.panic else "failed")
    file = output.places.file(path, _folder(output, package.name)) if path else None
    place: tuple[str, int | None] = (file, line) if file else _panic_place(output, package)
    return finding("go", "test_failed", f"{name}: {message}", place, context=f"{package.name} {name}")


def _panic_place(output: Output, package: _Package) -> tuple[str, int | None]:
    frames = list(output.places.frames("\n".join(package.panic)))
    own = [frame for frame in frames if frame[0].endswith("_test.go")]
    return next(iter(own or frames), ("", None))


def _folder(output: Output, package: str) -> str:
    """Return the folder of a package, as far as the module's name in front of it shows."""
    manifest = read_regular(os.path.join(output.places.root, output.places.directory, "go.mod"), 1 << 20) or b""
    for line in manifest.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["module"] and len(words) > 1:
            inner = package.removeprefix(words[1].strip('"')).strip("/")
            return os.path.normpath(os.path.join(output.places.directory, inner))
    return output.places.directory
