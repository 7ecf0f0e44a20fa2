"""go: build, vet and test, as text with and without `-v`, and as `-json` events."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.validators.report.model import Counts, Finding, ToolKind
from assay.validators.tools.parsers.go_events import OPTION, leaves
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.json_text import json_of, text
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, could_not_look, finding
from assay.validators.tools.tool import Ended, Reading, TestId
from assay.validators.vcs.trees import read_regular

_STATES = {"PASS": Ended.passed, "FAIL": Ended.failed, "SKIP": Ended.skipped}
_CHECKS = frozenset(("build", "vet", "test", "install"))
_COMPILER = re.compile(r"(?:vet: )?(\.{0,2}[\w./@+-]{1,500}\.go):(\d{1,7})(?::\d{1,7})?: (.*)")
_SAYS = re.compile(r"\s+([\w.-]{1,200}\.go):(\d{1,7}): (.*)")
_RESULT = re.compile(r" {0,80}--- (PASS|FAIL|SKIP): (\S{1,500})")
_RUNNING = re.compile(r"=== (?:RUN|CONT|NAME) +(\S{1,500})")
_PACKAGE = re.compile(r"(ok  |FAIL|\?   |panic)\t(\S{1,500})(?:\t| \[|$)(.*)")
_NOT_BUILT = re.compile(r"FAIL\t(\S{1,500}) \[(build|setup) failed\]")
_NO_PACKAGE = re.compile(
    r"pattern .{1,500}: (?:lstat|directory prefix|no matching)|no required module provides|go: (?!downloading)"
    r"|package .{1,500} is not in"
)


def look(output: Output) -> Reading | None:
    """Return compiler messages and test results, whichever are there."""
    lines = _event_lines(output) or output.lines
    packages = list(_packages(lines))
    compiler = tuple(dict.fromkeys(_compiler(output, lines)))
    not_built = [match[1] for line in lines if (match := _NOT_BUILT.match(line))]
    if not packages and not compiler and not not_built:
        return None
    if not packages and not not_built:
        return Reading(Counts(errors=len(compiler)), compiler[:MOST_FINDINGS])
    reading = _tests(output, packages, compiler, not_built)
    return reading if output.piped is None else _named(output, reading, leaves(output.piped))


def _named(output: Output, reading: Reading, tests: Mapping[TestId, Ended]) -> Reading:
    """Return the reading with every test by name, and counts of them."""
    ends = list(tests.values())
    failed = max(ends.count(Ended.failed), reading.counts.failed or 0)
    counts = replace(reading.counts, passed=ends.count(Ended.passed), failed=failed, skipped=ends.count(Ended.skipped))
    folders = {package: _folder(output, package) for package, _ in tests}
    named = {(folders[package], name): ended for (package, name), ended in tests.items()}
    if not tests and reading.looked:
        return replace(could_not_look("no tests ran", reading.findings, counts), is_reported=True)
    return replace(reading, counts=counts, tests=named, is_reported=True)


@dataclass
class _Package:
    """Output of `go test` about one package."""

    name: str = ""
    state: str = ""
    results: dict[str, str] = field(default_factory=dict)
    said: dict[str, list[tuple[str, int, str]]] = field(default_factory=lambda: defaultdict(list))
    panic: list[str] = field(default_factory=list)

    def leaves(self, outcome: str) -> list[str]:
        """Return the tests with this outcome that have no subtests."""
        parents = {name.rpartition("/")[0] for name in self.results}
        return [name for name, found in self.results.items() if found == outcome and name not in parents]


def _packages(lines: Sequence[str]) -> Iterator[_Package]:
    package, current = _Package(), ""
    for line in lines:
        result, running, said = _RESULT.match(line), _RUNNING.match(line), _SAYS.match(line)
        end = _PACKAGE.match(line)
        if result:
            current = result[2]
            package.results[current] = result[1]
        elif running:
            current = running[1]
        elif package.panic or line.startswith("panic: "):
            package.panic.append(line)
        elif said and len(package.said[current]) < 50:
            package.said[current].append((said[1], int(said[2]), said[3]))
        if end and "[build failed]" not in line and "[setup failed]" not in line:
            package.name, package.state = end[2], end[1].strip()
            if "[no test files]" in line:
                package.state = "?"
            yield package
            package, current = _Package(), ""


def _tests(output: Output, packages: list[_Package], compiler: tuple[Finding, ...], not_built: list[str]) -> Reading:
    failed = [(package, name) for package in packages for name in package.leaves("FAIL")]
    findings = [_failure(output, package, name) for package, name in failed]
    findings += [_panic(output, package) for package in packages if package.panic and not package.leaves("FAIL")]
    is_verbose = any("PASS" in package.results.values() for package in packages)
    counts = Counts(
        passed=sum(len(package.leaves("PASS")) for package in packages) if is_verbose else None,
        failed=len(findings),
        skipped=sum(len(package.leaves("SKIP")) for package in packages) if is_verbose else None,
        errors=len(not_built),
    )
    findings = [*findings, *compiler][:MOST_FINDINGS]
    if not_built:
        return could_not_look(f"could not build {not_built[0]}", findings, counts)
    if all(package.state == "?" for package in packages):
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, tuple(findings), tests=dict(_printed(output, packages)) if is_verbose else {})


def _printed(output: Output, packages: Sequence[_Package]) -> Iterator[tuple[TestId, Ended]]:
    """Return the tests that `-v` names."""
    for package in packages:
        folder = _folder(output, package.name)
        for state, ended in _STATES.items():
            yield from (((folder, name), ended) for name in package.leaves(state))


def _failure(output: Output, package: _Package, name: str) -> Finding:
    folder = _folder(output, package.name)
    said = package.said.get(name) or [("", 0, package.panic[0] if package.panic else "failed")]
    path, line, message = said[0]
    file = output.places.file(path, folder) if path else None
    place: tuple[str, int | None] = (file, line) if file else _panic_place(output, package)
    return finding("go", "test_failed", f"{name}: {message}", place, context=f"{package.name} {name}")


def _panic(output: Output, package: _Package) -> Finding:
    return finding("go", "test_error", package.panic[0], _panic_place(output, package), context=package.name)


def _panic_place(output: Output, package: _Package) -> tuple[str, int | None]:
    frames = list(output.places.frames("\n".join(package.panic)))
    own = [frame for frame in frames if frame[0].endswith("_test.go")]
    return own[0] if own else frames[0] if frames else ("", None)


def _compiler(output: Output, lines: Sequence[str]) -> Iterator[Finding]:
    """Yield messages of the compiler and of vet; paths are relative to where go ran, or to the package's folder."""
    folder = "."
    for line in lines:
        if line.startswith("# "):
            folder = _folder(output, line[2:].split(" ")[0])
        match = _COMPILER.match(line)
        file = output.places.file(match[1], folder) if match else None
        if match and file is not None:
            yield finding("go", "go", match[3], (file, int(match[2])))


def _folder(output: Output, package: str) -> str:
    """Return the folder of a package, as far as the module's name in front of it shows."""
    manifest = read_regular(os.path.join(output.places.root, output.places.directory, "go.mod"), 1 << 20) or b""
    for line in manifest.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["module"] and len(words) > 1:
            inner = package.removeprefix(words[1].strip('"')).strip("/")
            return os.path.normpath(os.path.join(output.places.directory, inner))
    return output.places.directory


def _event_lines(output: Output) -> list[str]:
    """Return the text inside `-json` events, package by package, [] where there are none."""
    if '"Action":"' not in output.text:
        return []
    outputs: dict[str, list[str]] = defaultdict(list)
    for line in output.lines:
        event = json_of(line) if line.startswith("{") and '"Output"' in line else None
        if isinstance(event, dict):
            outputs[text(event.get("Package")) or text(event.get("ImportPath"))].append(text(event.get("Output")))
    return [line for words in outputs.values() for line in "".join(words).split("\n")]


def _asking(words: Sequence[str], _scratch: Path) -> Sequence[str]:
    """Add the option that names every test to `go test`; leave other commands unchanged."""
    at = next((index for index, word in enumerate(words) if word == "test" and words[index - 1].endswith("go")), None)
    if at is None or OPTION in words:
        return words
    return (*words[: at + 1], OPTION, *words[at + 1 :])


go = TextTool(
    "go",
    ToolKind.test,
    frozenset(("go", "gotestsum", "richgo")),
    look,
    only_with={"go": _CHECKS},
    gave_up=_NO_PACKAGE,
    asking=_asking,
    # For a `go test` inside make or a script, where no option can be added.
    variables={"GOFLAGS": f"{os.environ.get('GOFLAGS', '')} -v".strip()},
)
