"""The blast radius by symbols: who uses a change, how surely, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph import symbol_graph, tree_facts
from assay.validators.graph.blast_radius import FARTHEST_FIRST, blast_radius
from assay.validators.graph.contexts import Contexts, contexts_of
from assay.validators.graph.import_graph import build_graph
from assay.validators.graph.scan_cache import ScanCache
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import Deadline, OutOfTime
from assay.validators.report.model import ToolsResult
from assay.validators.report.risk_facts import Affected
from assay.validators.risk.assess import assess_risk
from assay.validators.risk.dependents import DependentsSignal
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.conftest import ROOT
from tests.repositories import RealRepository
from tests.tables import read_yaml
from tests.validators.languages.trees import graph_of, tree_of

CASES = read_yaml(ROOT / "tests" / "cases" / "graph" / "blast_radius.yml")


def radius_of(files: Mapping[str, str | bytes], folder: Path, changed: str) -> dict[str, str]:
    """File -> its reason and cost, in their order, for a changed `path symbol …`."""
    path, *names = changed.split()
    graph = graph_of(files, folder)
    return {
        one.path: f"{one.reason}{'' if one.cost is None else f' {one.cost:g}'}"
        + "".join(f", {entry}" for entry in one.entry_points)
        for one in blast_radius(graph, {path: names}, [path]).affected
    }


@pytest.mark.parametrize("name", CASES)
def test_a_change_reaches_whom_its_case_says(name: str, tmp_path: Path):
    case = CASES[name]
    for changed, expected in case["expect"].items():
        found = radius_of(case["files"], tmp_path, changed)
        assert list(found.items()) == list(expected.items()), changed


def test_a_chain_that_is_too_long_does_not_run_first(tmp_path: Path):
    files = {"m0.py": "def f0():\n    pass\n"}
    for number in range(1, 12):
        files[f"m{number}.py"] = (
            f"from m{number - 1} import f{number - 1}\ndef f{number}():\n    return f{number - 1}()\n"
        )
    affected = blast_radius(graph_of(files, tmp_path), {"m0.py": ("f0",)}, ["m0.py"]).affected
    assert [one.path for one in affected] == [f"m{number}.py" for number in range(1, 12)]
    assert [one.runs_first for one in affected] == [one.distance <= FARTHEST_FIRST for one in affected]


def test_facts_are_read_once_and_kept_for_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = {"a.py": "def f():\n    pass\n", "b.py": "import a\na.f()\n", "c.ts": "export const x = 1\n"}
    tree = tree_of(files, tmp_path)
    store = ScanCache(tmp_path / "cache.sqlite")
    first = blast_radius(build_graph(tree, store=store), {"a.py": ("f",)}, ["a.py"])
    read: list[str] = []
    for language in LANGUAGES.values():
        monkeypatch.setattr(type(language), "facts", lambda _self, _content, path: read.append(path))
    again = blast_radius(build_graph(tree, store=store), {"a.py": ("f",)}, ["a.py"])
    assert again == first
    assert read == []
    assert [(one.path, one.reason) for one in first.affected] == [("b.py", "uses")]


def test_files_above_the_limit_are_named_and_still_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tree_facts, "MOST_READ", 2)
    files = {"a.py": "def f():\n    pass\n", "b.py": "import a\na.f()\n", "c.py": "import b\nb.a.f()\n"}
    found = blast_radius(graph_of(files, tmp_path), {"a.py": ("f",)}, ["a.py"])
    assert found.not_read == ("c.py",)
    assert [(one.path, one.reason) for one in found.affected] == [("b.py", "uses"), ("c.py", "uses")]


def test_the_deadline_ends_the_search(tmp_path: Path):
    graph = graph_of({"a.py": "def f():\n    pass\n", "b.py": "import a\na.f()\n"}, tmp_path)
    with pytest.raises(OutOfTime):
        blast_radius(graph, {"a.py": ("f",)}, ["a.py"], Deadline(0))


HOSTILE: dict[str, str | bytes] = {
    "a.py": "class C(C):\n    x = x.x\n    def f(self):\n        return self.f().f().f()\ndef g():\n    return g()\n",
    "deep.py": "import a\nx = " + "(" * 5000,
    "nested.py": "from a import C\nC" + ".f()" * 3000,
    "lists.py": "from a import g\n" + "x = " + "[" * 150 + "g()" + "]" * 150,
    "ring1.py": "from ring2 import *\nfrom a import C\nclass D(E): pass\n",
    "ring2.py": "from ring1 import *\nclass E(D): pass\n",
    "many.py": "from a import C\n" + "".join(f"def f{n}(x): x.f()\n" for n in range(6000)),
    "nul.py": b"import a\na.g()\0\n",
    "half.py": "from a import C\nclass H(C):\n    def f(self, x):\n        x.f(\n",
    "open.js": "import {x} from './c'\n" + "{" * 50_000,
    "balanced.js": "import {x} from './c'\n" + "{" * 3000 + "x()" + "}" * 3000,
    "c.js": "export function x() { return x() }\n",
    "words.ts": "import {x} from './c'\n" + "a.b.c.d;\n" * 20_000,
}


@pytest.mark.cpu(30)
def test_hostile_files_are_read_in_bounded_time(tmp_path: Path):
    graph = graph_of(HOSTILE, tmp_path)
    python = {one.path: one.reason for one in blast_radius(graph, {"a.py": ("g", "C.f")}, ["a.py"]).affected}
    assert python["lists.py"] == "uses"
    assert python["nul.py"] == "uses"
    assert python["half.py"] in ("uses", "may use")
    script = {one.path: one.reason for one in blast_radius(graph, {"c.js": ("x",)}, ["c.js"]).affected}
    assert script == dict.fromkeys(("balanced.js", "open.js", "words.ts"), "may use")


NAMES = st.from_regex(r"[a-z]{1,6}", fullmatch=True).filter(lambda name: name not in ("as", "if", "in", "is", "or"))


@settings(max_examples=15, deadline=None)
@given(st.lists(NAMES.map(lambda name: f"m{name}"), min_size=4, max_size=4, unique=True))
def test_renamed_files_keep_their_uses(tmp_path_factory: pytest.TempPathFactory, names: list[str]):
    base, middle, facade, test = names
    files = {
        f"p{base}.py": "class B:\n    def run(self):\n        pass\n",
        f"p{middle}.py": f"from p{base} import B as A\nclass M(A):\n    pass\ndef make() -> M:\n    return M()\n",
        f"p{facade}.py": f"from p{middle} import make as build\n",
        f"test_{test}.py": f"import p{facade}\ndef test_it():\n    p{facade}.build().run()\n",
    }
    found = radius_of(files, tmp_path_factory.mktemp("tree"), f"p{base}.py B.run")
    assert found[f"test_{test}.py"] == "uses 1"


def test_coverage_with_contexts_decides_for_functions_that_no_import_runs(tmp_path: Path):
    files = {
        "a.py": "def f():\n    return 1\ndef g():\n    return 2\nX = 3\n",
        "test_a.py": "import a\ndef test_f():\n    a.f()\n",
        "test_b.py": "import a\ndef test_g():\n    a.f()\n",
        "test_new.py": "import a\ndef test_new():\n    a.f()\n",
    }
    tree = tree_of(files, tmp_path)
    graph = build_graph(tree)
    lines = {"a.py": {1: {""}, 2: {"test_b.py"}, 4: {"", "test_b.py"}, 5: {""}}, "test_a.py": {3: {"test_a.py"}}}

    def reasons(*names: str) -> list[tuple[str, str, bool]]:
        symbols = {"a.py": names}
        contexts = contexts_of(lines, tree, symbols)
        found = blast_radius(graph, symbols, ["a.py"], contexts=contexts).affected
        return [(one.path, one.reason, one.runs_first) for one in found]

    assert reasons("f") == [
        ("test_b.py", "covered", True),
        ("test_new.py", "uses", True),
        ("test_a.py", "not covered", False),
    ]
    assert {path: reason for path, reason, _ in reasons("g")} == {
        "test_b.py": "covered",
        "test_a.py": "may use",
        "test_new.py": "may use",
    }
    assert {reason for _, reason, _ in reasons("X")} == {"may use"}
    assert Contexts({}, {}, frozenset(("t.py",))).covers("t.py", {}) is None


def test_contexts_of_tier_1_rank_the_dependents_of_the_report(repository: RealRepository):
    files = {
        "a.py": "def f():\n    return 1\n",
        "tests/test_a.py": "import a\ndef test_a():\n    a.f()\n",
        "tests/test_b.py": "import a\ndef test_b():\n    a.f()\n",
    }
    repository.commit("Start", files)
    repository.commit("Change", {"a.py": "def f():\n    return 2\n"})
    lines = {"a.py": {2: {"tests/test_b.py"}}, "tests/test_a.py": {3: {"tests/test_a.py"}}}
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD~1", "HEAD")
        found = [
            assess_risk(change, ValidationConfig(), tools=tools, signals=[DependentsSignal()]).dependents
            for tools in (None, ToolsResult(line_contexts=lines))
        ]
    assert [[(one.path, one.affected, one.rank) for one in dependents] for dependents in found] == [
        [("tests/test_a.py", Affected.run_first, 1), ("tests/test_b.py", Affected.run_first, 2)],
        [("tests/test_b.py", Affected.run_first, 1), ("tests/test_a.py", Affected.may_be_affected, 2)],
    ]


def test_an_unknown_receiver_means_only_what_the_file_can_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = {
        "a.py": "class A:\n    def fly(self): pass\n",
        "use.py": "import a\ndef go(x):\n    x.fly()\n",
        "other.py": "def go(x):\n    x.fly()\n",
    }
    assert radius_of(files, tmp_path, "a.py A.fly") == {"use.py": "may use 2.5"}
    monkeypatch.setattr(symbol_graph, "MOST_CANDIDATES", 0)
    assert radius_of(files, tmp_path, "a.py A.fly") == {"use.py": "may use 5"}
