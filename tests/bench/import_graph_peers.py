"""Other programs that draw import graphs, run on a checkout: grimp, ruff and dependency-cruiser."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

DEPENDENCY_CRUISER = ("dependency-cruiser@17.4.3", "typescript@6.0.3")

Result = TypeVar("Result")
Edges = set[tuple[str, str]]


@dataclass(frozen=True, order=True)
class Seconds:
    """How long something took: by the clock, and of all processors together (which a busy machine changes less)."""

    wall_s: float
    cpu_s: float

    def __str__(self) -> str:
        return f"{self.wall_s:.2f} / {self.cpu_s:.2f}"


@dataclass(frozen=True)
class Drawn:
    """What a peer found: edges between files, the files it looked at, seconds without and with its cache."""

    name: str
    edges: Edges
    files: set[str]
    cold: Seconds
    warm: Seconds | None


def best(work: Callable[[], Result], own: bool = True) -> tuple[Seconds, Result]:
    """The least of three, and what came of it; `own` counts this process, else the processes it starts."""
    found: list[Seconds] = []
    for _ in range(3):
        wall_s, cpu_s = time.perf_counter(), _cpu_s(own)
        result = work()
        found.append(Seconds(time.perf_counter() - wall_s, _cpu_s(own) - cpu_s))
    return Seconds(min(one.wall_s for one in found), min(one.cpu_s for one in found)), result


def _cpu_s(own: bool) -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF if own else resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def grimp(root: Path, files: Iterable[str], scratch: Path) -> Drawn | None:
    """The packages at the top and in `src`, built in a process of its own; the time is that of the call alone."""
    names = _packages(files)
    if not names:
        return None
    script = _GRIMP.format(roots=[str(root / "src"), str(root)], names=names, cache=str(scratch / "grimp"))
    done = run([sys.executable, "-P", "-c", script], scratch)
    cold, warm, edges, modules = json.loads(done)
    known = {_file(root, module): module for module in modules}
    found = {(_file(root, one), _file(root, other)) for one, other in edges}
    return Drawn(
        "grimp", {(a, b) for a, b in found if a and b and a != b}, set(known) - {""}, Seconds(*cold), Seconds(*warm)
    )


def ruff(root: Path, files: Iterable[str], scratch: Path) -> Drawn | None:
    """`ruff analyze graph`, which reads the whole tree and keeps no cache; the time is that of the process."""
    python = {path for path in files if path.endswith((".py", ".pyi"))}
    if not python:
        return None
    command: list[str | Path] = [
        Path(sys.executable).with_name("ruff"),
        "analyze",
        "graph",
        "--quiet",
        "--isolated",
        "--preview",
        ".",
    ]
    seconds, text = best(lambda: run(command, root), own=False)
    listed = json.loads(text)
    edges = {(one, other) for one, others in listed.items() for other in others if one != other}
    return Drawn("ruff", edges, python, seconds, None)


def dependency_cruiser(root: Path, files: Iterable[str], scratch: Path) -> Drawn | None:
    """dependency-cruiser on the whole tree, type imports included; the time is that of the process."""
    if not any(path.endswith((".ts", ".tsx", ".js", ".mjs", ".jsx")) for path in files):
        return None
    program = _installed(scratch / "node")
    config = ["--ts-config", "tsconfig.json"] if (root / "tsconfig.json").is_file() else []
    command: list[str | Path] = ["node", program, "--no-config", "--ts-pre-compilation-deps", *config]
    command += ["--do-not-follow", "node_modules", "--output-type", "json"]
    cold, text = best(lambda: run([*command, "."], root), own=False)
    cached = [*command, "--cache", str(scratch / "cruiser"), "."]
    run(cached, root)
    warm, _ = best(lambda: run(cached, root), own=False)
    modules = json.loads(text)["modules"]
    edges = {
        (module["source"], one["resolved"])
        for module in modules
        for one in module["dependencies"]
        if not one["couldNotResolve"] and not one["coreModule"] and one["resolved"] != module["source"]
    }
    return Drawn("dependency-cruiser", edges, {module["source"] for module in modules}, cold, warm)


_GRIMP = """
import json, sys, time
sys.path[:0] = {roots!r}
import grimp
def build(cache):
    wall, cpu = time.perf_counter(), time.process_time()
    graph = grimp.build_graph(*{names!r}, include_external_packages=False, cache_dir=cache)
    return time.perf_counter() - wall, time.process_time() - cpu, graph
def best(cache):
    found = [build(cache) for _ in range(3)]
    return [min(one[0] for one in found), min(one[1] for one in found)], found[0][2]
cold, graph = best(None)
build({cache!r})
warm, _ = best({cache!r})
edges = [(one, other) for one in graph.modules for other in graph.find_modules_directly_imported_by(one)]
print(json.dumps([cold, warm, edges, sorted(graph.modules)]))
"""


def _packages(files: Iterable[str]) -> list[str]:
    """The top-level packages at the top of a tree and in its `src`, each name once."""
    found: dict[str, None] = {}
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        if name == "__init__.py" and folder.removeprefix("src/").isidentifier():
            found[folder.removeprefix("src/")] = None
    return list(found)


def _file(root: Path, module: str) -> str:
    """The file of a module, from the top of the tree; "" for a folder without `__init__`."""
    path = module.replace(".", "/")
    places = (f"{start}{path}{end}" for start in ("src/", "") for end in ("/__init__.py", ".py"))
    return next((place for place in places if (root / place).is_file()), "")


def _installed(folder: Path) -> str:
    """The path of dependency-cruiser, installed by npm into `folder`."""
    program = folder / "node_modules/dependency-cruiser/bin/dependency-cruise.mjs"
    if not program.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        node = Path(shutil.which("node") or "node")
        npm = node.resolve().parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
        run([node, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", *DEPENDENCY_CRUISER], folder)
    return str(program)


def run(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """What a program writes, run in `folder`; it must succeed."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ if environment is None else environment)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[:3]}: {done.stderr[-2000:]}"
    return done.stdout
