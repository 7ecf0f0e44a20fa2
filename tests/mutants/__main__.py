"""Run mutants: `python -m tests.mutants SEED COUNT`."""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import itertools
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.mutants.drawn import Mutant, drawn, lines_of
from tests.mutants.measured import FOLDER, SECONDS, SUITE, measure, seconds, tests_of

QUIET = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
"""Options for a fork that has imported libraries already."""
SURVIVED = (0, 5)
"""Exit codes of pytest: all passed, none selected."""
Key = tuple[str, str, int]


def tried(mutant: Mutant, code: str, first: str, limit: float) -> dict[str, Any]:
    """Run the tests of a mutant, `first` before the others, for `limit` seconds; return what became of it."""
    path = ROOT / mutant.module
    source = path.read_bytes()
    begun = time.monotonic()
    tests = _within(tests_of(mutant.module, lines_of(mutant)), limit)
    returned: int | None = SURVIVED[0]
    printed = ""
    try:
        path.write_text(code, encoding="utf-8")
        if first in seconds():
            returned, printed = _pytest([first], 30 + 4 * seconds()[first])
        if returned in SURVIVED and tests:
            returned, printed = _pytest(tests, 30 + 4 * sum(seconds()[test] for test in tests))
            if returned == 4:  # parameters of a test come from the module
                files = list(dict.fromkeys(test.partition("::")[0] for test in tests))[:3]
                returned, printed = _pytest(files, 30 + 4 * limit)
    finally:
        path.write_bytes(source)
    result = "survived" if returned in SURVIVED else "timeout" if returned is None else "killed"
    by = re.findall(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", printed, re.MULTILINE)
    return asdict(mutant) | {
        "result": result,
        "by": by[0] if by else printed[-300:] if result == "killed" else "",
        "tests": len(tests),
        "seconds": round(time.monotonic() - begun, 1),
        "was": source.decode().splitlines()[mutant.start[0] - 1].strip(),
        "is": code.splitlines()[mutant.start[0] - 1].strip(),
    }


def _within(tests: list[str], limit: float) -> list[str]:
    picked: list[str] = []
    total = 0.0
    for test in tests:
        if not picked or total + seconds()[test] <= limit:
            picked.append(test)
            total += seconds()[test]
    return picked


def preload() -> None:
    """Import the libraries the tests use, so that a process forked for a mutant need not."""
    names = FOLDER / "libraries.txt"
    child = os.fork()
    if child == 0:
        pytest.main(["--collect-only", "-qq", "--no-summary", "-m", SUITE, *QUIET])
        loaded = [name for name in sys.modules if name.partition(".")[0] not in {"assay", "tests", "__main__"}]
        names.write_text("\n".join(loaded), encoding="utf-8")
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
    for name in names.read_text("utf-8").splitlines():
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.freeze()


def _pytest(tests: list[str], limit: float) -> tuple[int | None, str]:
    """Run pytest in a fork; return its exit code, None when time is up, and what it printed."""
    arguments = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-m", SUITE, *QUIET]
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.setsid()
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            code = 3
            try:
                code = int(pytest.main([*arguments, "-o", "timeout=60", *tests]))
            finally:
                sys.stdout.flush()
                os._exit(code)
        returned = _ended(child, limit)
        output.seek(0)
        return returned, output.read().decode(errors="replace")


def _ended(child: int, limit: float) -> int | None:
    end = time.monotonic() + limit
    interrupted = False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return None if interrupted else os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
        if time.monotonic() > end:
            if interrupted:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return None
            os.kill(child, signal.SIGINT)  # lets fixtures end their servers
            interrupted, end = True, time.monotonic() + 20


def read(file: Path) -> dict[Key, dict[str, Any]]:
    """Return the results of a file by their mutants."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return {(each["module"], each["operator"], each["occurrence"]): each for each in map(json.loads, lines)}


def run(seed: int, count: int, first: Mapping[Key, dict[str, Any]], limit: float) -> None:
    """Try the first mutants of a seed that were not tried yet, and print the figures."""
    file = FOLDER / f"{seed}.jsonl"
    results = read(file)
    for number, (mutant, code) in enumerate(itertools.islice(drawn(seed), count), 1):
        key = mutant.module, mutant.operator, mutant.occurrence
        if key in results:
            continue
        results[key] = tried(mutant, code, first.get(key, {}).get("by", ""), limit)
        print(number, results[key]["result"], mutant.module, mutant.start[0], mutant.operator, flush=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(results[key]) + "\n")
    report(seed, list(results.values()))


def report(seed: int, done: list[dict[str, Any]]) -> None:
    """Print the figures as Markdown."""
    by_room: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in done:
        by_room["/".join(each["module"].split("/")[1:3])][each["result"]] += 1
    total = sum(by_room.values(), Counter[str]())
    print(f"\nseed {seed}: {len(done)} mutants, {dict(total)}\n\n| Room | Killed | Survived |\n|---|---:|---:|")
    for room, counts in sorted(by_room.items()):
        print(f"| {room} | {counts['killed'] + counts['timeout']} | {counts['survived']} |")
    print("\n| Place | Was | Became |\n|---|---|---|")
    for each in sorted(done, key=lambda each: (each["module"], each["start"])):
        if each["result"] == "survived":
            print(f"| {each['module'].removeprefix('assay/')}:{each['start'][0]} | `{each['was']}` | `{each['is']}` |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Run mutants against the tests.")
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=Path, metavar="FILE", help="results whose killers are tried first")
    about = "seconds of tests that a mutant meets, as measured under coverage (default: 10)"
    parser.add_argument("--seconds", type=float, default=10.0, metavar="N", help=about)
    options = parser.parse_args()
    # Compiled within the same second, a mutant of the same size would be taken for the source in all later tests.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    earlier = read(options.first) if options.first else {}
    if not SECONDS.exists():
        measure()
    os.chdir(ROOT)
    preload()
    run(options.seed, options.count, earlier, options.seconds)
