"""Symbols broken on purpose, and the test files that fail because of each.

The checkout has a prepared environment: `.venv` with pytest and pytest-timeout, or `node_modules` with vitest. Every
break is undone, also after an interruption by the keyboard.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import signal
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from assay.validators.languages.engine.rows import script_row

BROKEN = "broken on purpose"
MOST_RUNS_EACH = 4
"""Maximum runs for each symbol that is wanted: many symbols have no failing test."""

SECONDS_OF_A_TEST = 30
SECONDS_OF_A_RUN = 240
_SUMMARY = re.compile(r"^(?:FAILED|ERROR) ([^\s:]+)(::.*?)?(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Suite:
    """How to run the tests of a checkout: `sources` are the folders whose symbols are broken."""

    sources: Sequence[str]
    arguments: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the suite: seconds of each test file, and the failing tests of each."""

    seconds: Mapping[str, float]
    failed: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Broken:
    """One broken symbol and the test files that failed because of it."""

    path: str
    name: str
    failed: Sequence[str]


@dataclass(slots=True)
class Truth:
    """Result of breaking the symbols of one checkout; `seconds` is of each test file of the whole suite."""

    seconds: dict[str, float] = field(default_factory=dict)
    broken: list[Broken] = field(default_factory=list)
    num_without_failure: int = 0

    @classmethod
    def read(cls, file: Path) -> Truth:
        """Return the truth of an earlier run."""
        data = json.loads(file.read_text())
        return cls(data["seconds"], [Broken(**one) for one in data["broken"]], data["num_without_failure"])

    def write(self, file: Path) -> None:
        """Keep the truth for later runs."""
        file.write_text(json.dumps(asdict(self), indent=1))


class Unfinished(Exception):
    """Run without a result: a broken symbol can make the suite wait, loop or use up the memory."""


def truth_of(root: Path, suite: Suite, count: int, seed: int) -> Truth:
    """Break symbols in a seeded order until `count` of them had a failing test."""
    whole = run_suite(root, suite)
    truth = Truth(dict(whole.seconds))
    candidates = sorted(_candidates(root, suite))
    random.Random(seed).shuffle(candidates)
    for path, name, begin, end, body in candidates[: count * MOST_RUNS_EACH]:
        file = root / path
        before = file.read_bytes()
        try:
            file.write_bytes(before[:begin] + body.encode() + before[end:])
            broken = run_suite(root, suite)
        except Unfinished:
            print(f"{root.name}: {path} {name}: no result, left out", flush=True)
            continue
        finally:
            file.write_bytes(before)
        failed = sorted(
            test for test, names in broken.failed.items() if test in whole.seconds and _is_new(names, whole, test)
        )
        if not broken.seconds and not broken.failed:
            failed = sorted(whole.seconds)  # the suite does not even start
        if failed:
            truth.broken.append(Broken(path, name, failed))
        else:
            truth.num_without_failure += 1
        print(f"{root.name}: {path} {name}: {len(failed)} of {len(whole.seconds)}", flush=True)
        if len(truth.broken) == count:
            break
    return truth


def run_suite(root: Path, suite: Suite, prefix: Sequence[str] = ()) -> Run:
    """Run the whole suite once, as a single process of low priority."""
    if (root / "node_modules" / ".bin" / "vitest").exists():
        return _vitest(root, suite)
    return _pytest(root, suite, prefix)


def _is_new(names: Sequence[str], whole: Run, test: str) -> bool:
    return bool(set(names) - set(whole.failed.get(test, ())))


def _pytest(root: Path, suite: Suite, prefix: Sequence[str]) -> Run:
    report = root / ".venv" / "assay-bench.xml"
    report.unlink(missing_ok=True)
    options = [
        "-q",
        "--tb=no",
        "-rfE",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
        f"--timeout={SECONDS_OF_A_TEST}",
        "--color=no",
        "--rootdir=.",
    ]
    options += [f"--junitxml={report}", "-o", "junit_family=xunit1"]
    command = [".venv/bin/python", *(prefix or ("-m",)), "pytest", *options, *suite.arguments]
    output = _output(root, command)
    failed: dict[str, list[str]] = defaultdict(list)
    for path, test in _SUMMARY.findall(output):
        failed[path].append(test)
    seconds: dict[str, float] = defaultdict(float)
    if report.exists():
        for case in ET.parse(report).iter("testcase"):
            seconds[case.get("file") or ""] += float(case.get("time") or 0)
    seconds.pop("", None)
    return Run(seconds, failed)


def _vitest(root: Path, suite: Suite) -> Run:
    report = root / "node_modules" / "assay-bench.json"
    report.unlink(missing_ok=True)
    options = ["run", "--reporter=json", f"--outputFile={report}", f"--testTimeout={SECONDS_OF_A_TEST * 1000}"]
    _output(root, ["node_modules/.bin/vitest", *options, *suite.arguments])
    if not report.exists():
        raise Unfinished
    failed: dict[str, list[str]] = {}
    seconds: dict[str, float] = {}
    for file in json.loads(report.read_text())["testResults"]:
        path = os.path.relpath(file["name"], root)
        seconds[path] = (file["endTime"] - file["startTime"]) / 1000
        names = [case["fullName"] for case in file["assertionResults"] if case["status"] == "failed"]
        if names or file["status"] == "failed":
            failed[path] = names or ["the file"]
    return Run(seconds, failed)


def _output(root: Path, command: Sequence[str]) -> str:
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "CI": "1", "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONPATH", None)
    process = subprocess.Popen(
        ["nice", "-n", "10", *command],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.communicate(timeout=SECONDS_OF_A_RUN)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise Unfinished from None


def _candidates(root: Path, suite: Suite) -> Iterator[tuple[str, str, int, int, str]]:
    """Yield (path, name, begin, end, new text) of every function and method below the source folders, in bytes."""
    for folder in suite.sources:
        for file in sorted((root / folder).rglob("*")):
            path = str(file.relative_to(root))
            if re.search(r"(?:^|/)(?:tests?|__tests__|benchmarks?)/|\.(?:test|spec)\.|(?:^|/)test\.ts$|\.d\.ts$", path):
                continue
            if file.suffix == ".py":
                yield from ((path, *one) for one in _of_python(file.read_bytes()))
            elif file.suffix in (".ts", ".js", ".mjs"):
                yield from ((path, *one) for one in _of_script(path, file.read_bytes()))


def _of_python(content: bytes) -> Iterator[tuple[str, int, int, str]]:
    starts = [0]
    for line in content.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for node in ast.parse(content).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in inner:
            if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) or _is_overload(one):
                continue
            first, last = one.body[0], one.body[-1]
            if first.lineno == one.lineno:
                continue
            begin, end = starts[first.lineno - 1], starts[last.end_lineno or last.lineno] - 1
            yield owner + one.name, begin, end, " " * first.col_offset + f"raise RuntimeError({BROKEN!r})"


def _is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("overload" in ast.unparse(one) for one in node.decorator_list)


def _of_script(path: str, content: bytes) -> Iterator[tuple[str, int, int, str]]:
    for node in script_row(path).parser.parse(content).root_node.children:
        inner = node.child_by_field_name("declaration") if node.type == "export_statement" else node
        if inner is None:
            continue
        parts = [inner]
        owner = ""
        if inner.type in ("class_declaration", "abstract_class_declaration"):
            body = inner.child_by_field_name("body")
            parts = body.named_children if body is not None else []
            name = inner.child_by_field_name("name")
            owner = f"{(name.text or b'').decode()}." if name is not None else ""
        elif inner.type in ("lexical_declaration", "variable_declaration"):
            parts = inner.named_children
        for part in parts:
            value = part.child_by_field_name("value") if part.type == "variable_declarator" else part
            name = part.child_by_field_name("name")
            body = value.child_by_field_name("body") if value is not None else None
            if name is not None and body is not None and body.type == "statement_block":
                text = f'{{ throw new Error("{BROKEN}") }}'
                yield owner + (name.text or b"").decode(), body.start_byte, body.end_byte, text
