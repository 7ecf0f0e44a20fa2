"""The rule `design` on real repositories: landed changes with every hit read, and planted faults.

    ASSAY_BENCH_REPOSITORIES=/mirrors/pypa+pip/repo:… pytest -m soak -s tests/validators/quality/test_design_replay.py

`ASSAY_BENCH_REPOSITORIES` names clones or mirrors called `owner+name`, separated by colons; nothing of them is kept.
`ASSAY_BENCH_CHANGES` bounds the newest changes of each. `design_hits.yaml` holds the verdict on each hit: repository,
commit, rule, file, and whether it is true, with the reason.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from assay.statistics import percentile
from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph.import_graph import Graphs, build_graph
from assay.validators.graph.scan_cache import default_cache
from assay.validators.policy.natures import declared
from assay.validators.progress import Deadline
from assay.validators.quality.design.design import Design
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.tables import read_yaml
from tests.validators.quality.design_plants import KINDS, Ground, Plant, plants

REPOSITORIES = [Path(one) for one in os.environ.get("ASSAY_BENCH_REPOSITORIES", "").split(":") if one]
NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "600"))
NUM_PLANTS = 20
MOST_OF_ONE = 7
SOURCES = ("*.py", "*.js", "*.ts", "*.tsx")
HITS = Path(__file__).parent / "design_hits.yaml"
CONFIG = ValidationConfig()
needs_repositories = pytest.mark.skipif(not REPOSITORIES, reason="ASSAY_BENCH_REPOSITORIES names no repository")


def found(change: ChangeSet) -> list[Finding]:
    change = declared(change, CONFIG)
    graphs = Graphs(change.base, change.head, default_cache(), change.nature_of)
    findings = list(Design().check(QualityContext(change, CONFIG, Deadline(300), graphs)))
    assert all(isinstance(one, Finding) for one in findings)
    return [one for one in findings if isinstance(one, Finding)]


def named(path: Path) -> str:
    return path.parent.name if path.name == "repo" else path.name


def landed(path: Path) -> Iterator[tuple[str, ChangeSet]]:
    command = ["git", "-C", str(path), "log", "--first-parent", "--format=%H %P", f"-{NUM_CHANGES}", "--", *SOURCES]
    with Repository(path) as repository:
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            commit, *parents = line.split()
            if parents:
                yield commit, read_change(repository, parents[0], commit)


@pytest.mark.soak
@pytest.mark.timeout(36000)
@needs_repositories
def test_most_hits_on_landed_changes_are_true():
    known = {(one["repository"], one["commit"], one["rule"], one["file"], one["line"]): one for one in judged()}
    num_changes, hits, unread, seconds = 0, Counter[str](), [], []
    true: Counter[str] = Counter()
    for path in REPOSITORIES:
        for commit, change in landed(path):
            num_changes += 1
            started = time.process_time()
            for one in found(change):
                verdict = known.get((named(path), commit[:10], one.rule, one.file, one.line))
                print(
                    named(path),
                    commit[:10],
                    one.rule,
                    f"{one.file}:{one.line}",
                    verdict and verdict["is_true"],
                    one.message,
                )
                hits[one.rule] += 1
                true[one.rule] += bool(verdict and verdict["is_true"])
                if verdict is None:
                    unread.append((named(path), commit[:10], one.rule, one.file))
            seconds.append(time.process_time() - started)
    table = Table("kind", "hits", "true", "share", title=f"{num_changes} landed changes")
    for rule, num in sorted(hits.items()):
        table.add_row(rule, str(num), str(true[rule]), f"{true[rule] / num:.2f}")
    table.add_row("all", str(hits.total()), str(true.total()), f"{true.total() / max(1, hits.total()):.2f}")
    Console(width=100).print(
        table, f"processor time: p50 {percentile(seconds, 50):.3f} s, p95 {percentile(seconds, 95):.3f} s"
    )
    assert unread == []
    assert true.total() >= 0.8 * hits.total()


def judged() -> list[dict[str, Any]]:
    return list(read_yaml(HITS))


def test_the_table_of_hits_names_each_once_and_holds_no_code():
    rows = judged()
    keys = [(one["repository"], one["commit"], one["rule"], one["file"], one["line"]) for one in rows]
    assert len(keys) == len(set(keys)) >= 20
    for one in rows:
        assert set(one) == {"repository", "commit", "rule", "file", "line", "is_true", "why"}
        assert isinstance(one["is_true"], bool)
        assert one["rule"].startswith("design.")
        assert 0 < len(one["why"]) <= 160


# ------------------------------------------------------------------ planted faults


class Beds:
    """Commits with plants: written through an index of their own into a repository that shares the mirror's objects."""

    def __init__(self, mirror: Path, folder: Path) -> None:
        self.path = folder / "bed"
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", mirror, self.path], check=True)
        self.start = self._git("rev-parse", "HEAD")

    def commit(self, plant: Plant) -> tuple[str, str]:
        """Commit the base and the head of a plant; their ids."""
        base = self._commit(self.start, dict(plant.base))
        return base, self._commit(base, {**plant.base, **plant.head})

    def _commit(self, parent: str, files: dict[str, str]) -> str:
        self._git("read-tree", parent)
        for path, text in files.items():
            blob = self._git("hash-object", "-w", "--stdin", data=text.encode("utf-8", "surrogateescape"))
            self._git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        return self._git("commit-tree", self._git("write-tree"), "-p", parent, "-m", "Plant")

    def _git(self, *arguments: str, data: bytes = b"") -> str:
        who = {f"GIT_{role}_{what}": "a@b.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, input=data, capture_output=True, check=True, env={**os.environ, **who}
        )
        return done.stdout.decode().strip()


def is_found(repository: Repository, commits: tuple[str, str], plant: Plant) -> bool:
    findings = found(read_change(repository, *commits))
    return any(one.rule == f"design.{plant.kind}" and one.file == plant.file for one in findings)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@needs_repositories
def test_most_planted_faults_are_found(tmp_path: Path):
    planted: Counter[str] = Counter()
    detected: Counter[str] = Counter()
    for mirror in REPOSITORIES:
        (tmp_path / named(mirror)).mkdir()
        beds = Beds(mirror, tmp_path / named(mirror))
        with Repository(beds.path) as repository:
            tree = read_change(repository, beds.start, beds.start).head
            ground = Ground(build_graph(tree, None, default_cache()))
            for kind in KINDS:
                for plant in plants(ground, kind, min(MOST_OF_ONE, NUM_PLANTS + 4 - planted[kind])):
                    planted[kind] += 1
                    if is_found(repository, beds.commit(plant), plant):
                        detected[kind] += 1
                    else:
                        print("missed", named(mirror), kind, plant.file, flush=True)
    table = Table("kind", "planted", "found", "recall", title="planted faults")
    for kind in KINDS:
        table.add_row(kind, str(planted[kind]), str(detected[kind]), f"{detected[kind] / max(1, planted[kind]):.2f}")
    Console(width=100).print(table)
    for kind in KINDS:
        assert planted[kind] >= NUM_PLANTS, kind
        assert detected[kind] >= 0.9 * planted[kind], kind
