"""Run mutants: `python -m tests.mutants SEED COUNT`."""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import asdict
from typing import Any

import pytest

from tests.mutants.chosen import TIME_FOR_FILES, chosen, wider
from tests.mutants.drawn import Mutant, drawn, mutated
from tests.mutants.measured import FOLDER, ROOT, SECONDS, measure, named_tests, seconds

SURVIVED = (0, 5)
"""Exit codes of pytest: all passed, none selected."""


def tried(mutant: Mutant, code: str) -> dict[str, Any]:
    """Run the tests of a mutant; return what became of it."""
    path = ROOT / mutant.module
    source = path.read_bytes()
    begun = time.monotonic()
    try:
        path.write_text(code, encoding="utf-8")
        tests = chosen(mutant)
        returned: int | None = SURVIVED[0]
        printed = ""
        if tests:
            returned, printed = _pytest(tests, 30 + 4 * sum(seconds()[test] for test in tests))
        if returned == 4 or returned in SURVIVED:  # 4: parameters of a test come from the module
            tests = wider(mutant)
            returned, printed = _pytest(tests, 4 * TIME_FOR_FILES)
    finally:
        path.write_bytes(source)
    result = "survived" if returned in SURVIVED else "timeout" if returned is None else "killed"
    by = re.findall(r"^(?:FAILED|ERROR) (.+)", printed, re.MULTILINE)
    lines = code.splitlines()[mutant.start[0] - 1 : mutant.end[0]]
    return asdict(mutant) | {
        "result": result,
        "by": by[0] if by else printed[-300:] if result == "killed" else "",
        "tests": len(tests),
        "seconds": round(time.monotonic() - begun, 1),
        "was": source.decode().splitlines()[mutant.start[0] - 1].strip(),
        "is": lines[0].strip() if lines else "",
    }


def preload() -> None:
    """Import the libraries the tests use, so that a process forked for a mutant need not."""
    names = FOLDER / "libraries.txt"
    child = os.fork()
    if child == 0:
        files = sorted({test.partition("::")[0] for tests in named_tests().values() for test in tests})
        pytest.main(["--collect-only", "-qq", "--no-summary", *files])
        for module in named_tests():
            importlib.import_module(module.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
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
    arguments = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-m", "not soak and not bench"]
    arguments += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # libraries are imported already
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


def run(seed: int, count: int, *, is_again: bool = False) -> None:
    """Try the first mutants of a seed that were not tried yet, or survived before, and print the figures."""
    file = FOLDER / f"{seed}.jsonl"
    written = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    results = {(each["module"], each["operator"], each["occurrence"]): each for each in written}
    taken, left_out = 0, 0
    for mutant in drawn(seed):
        if taken == count:
            break
        code = mutated(mutant)
        if code is None:
            left_out += 1
            continue
        taken += 1
        key = mutant.module, mutant.operator, mutant.occurrence
        if key in results and not (is_again and results[key]["result"] == "survived"):
            continue
        results[key] = tried(mutant, code)
        print(taken, results[key]["result"], mutant.module, mutant.start[0], mutant.operator, flush=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(results[key]) + "\n")
    report(seed, left_out, list(results.values()))


def report(seed: int, left_out: int, done: list[dict[str, Any]]) -> None:
    """Print the figures as Markdown."""
    by_module: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in done:
        by_module[each["module"]][each["result"]] += 1
    total = sum(by_module.values(), Counter[str]())
    print(f"\nseed {seed}: {len(done)} mutants, {left_out} left out, {dict(total)}\n")
    print("| Module | Killed | Survived |\n|---|---:|---:|")
    for module, counts in sorted(by_module.items(), key=lambda item: item[0]):
        print(f"| {module} | {counts['killed'] + counts['timeout']} | {counts['survived']} |")
    print("\n| Place | Was | Became |\n|---|---|---|")
    for each in done:
        if each["result"] == "survived":
            print(f"| {each['module']}:{each['start'][0]} | `{each['was']}` | `{each['is']}` |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Run mutants against named tests.")
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--survivors", action="store_true", help="try those again that survived")
    options = parser.parse_args()
    if not SECONDS.exists():
        measure()
    os.chdir(ROOT)
    preload()
    run(options.seed, options.count, is_again=options.survivors)
