"""The import graph as a whole: who depends on what, how far, and that no tree can break it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.validators.changes.change import READ_LIMIT
from assay.validators.graph.blast_radius import blast_radius
from assay.validators.graph.import_graph import ImportGraph, Reached, build_graph
from assay.validators.languages.register import LANGUAGES
from assay.validators.vcs.repository import Repository
from assay.validators.vcs.trees import FolderTree
from tests.repositories import RealRepository
from tests.validators.languages.trees import edges_of, graph_of, tree_of

CHAIN = {
    "p/__init__.py": "",
    "p/a.py": "",
    "p/b.py": "from p import a\n",
    "p/c.py": "from p import b\n",
    "p/d.py": "from p import b, c\n",
    "tests/test_b.py": "import p.b\n",
    "lone.py": "import os\n",
}


def test_dependents_are_found_breadth_first_with_the_way_back(tmp_path: Path):
    graph = graph_of(CHAIN, tmp_path)
    assert graph.dependents(["p/a.py"]) == [
        Reached("p/b.py", 1, "p/a.py"),
        Reached("p/c.py", 2, "p/b.py"),
        Reached("p/d.py", 2, "p/b.py"),
        Reached("tests/test_b.py", 2, "p/b.py"),
    ]
    assert [one.path for one in graph.dependents(["p/a.py", "p/b.py"])] == ["p/c.py", "p/d.py", "tests/test_b.py"]
    assert graph.dependents(["lone.py", "no such file"]) == []


def test_a_circle_of_imports_ends(tmp_path: Path):
    graph = graph_of({"a.py": "import b\n", "b.py": "import c\n", "c.py": "import a\n"}, tmp_path)
    assert graph.dependents(["a.py"]) == [Reached("c.py", 1, "a.py"), Reached("b.py", 2, "c.py")]


def test_direct_neighbours_and_fan_in(tmp_path: Path):
    graph = graph_of(CHAIN, tmp_path)
    assert graph.importers(["p/b.py"]) == {"p/c.py", "p/d.py", "tests/test_b.py"}
    assert graph.importers(["p/b.py", "p/c.py"]) == {"p/d.py", "tests/test_b.py"}
    assert graph.importers(["no such file"]) == set()
    assert graph.imported_by("p/d.py") == {"p/b.py", "p/c.py"}
    assert graph.fan_in("p/b.py") == 3
    assert graph.fan_in("lone.py") == graph.fan_in("no such file") == 0
    assert graph.files == tuple(sorted(CHAIN))


def test_fan_in_is_measured_over_source_files_that_have_importers(tmp_path: Path):
    graph = graph_of(CHAIN, tmp_path)
    # a: 1, b: 3, c: 1; tests, the package's empty init and the lone script have none.
    assert graph.busy_fan_in == pytest.approx(2.8)
    assert graph_of({"only.py": ""}, tmp_path / "other").busy_fan_in == 0.0


def test_every_edge_is_there_once_and_none_leads_to_itself(tmp_path: Path):
    files = {
        "a.py": "import a\nfrom a import x\nimport b\nimport b as c\n",
        "b.py": "",
        "c.ts": "import './c'; import './d'\n",
        "d.ts": "",
    }
    graph = graph_of(files, tmp_path)
    assert sorted(graph.graph.edges) == [("a.py", "b.py"), ("c.ts", "d.ts")]


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_graph_lends_another_what_it_knows_of_the_same_files(
    is_folder: bool, repository: RealRepository, monkeypatch: pytest.MonkeyPatch
):
    repository.commit("Start", CHAIN)
    repository.write("p/c.py", "import p.a\n")
    if not is_folder:
        repository.commit("Change")
    with Repository(repository.path) as opened:
        base = build_graph(opened.tree("HEAD" if is_folder else "HEAD~1"))
        scanned = _scanned_contents(monkeypatch)
        head = build_graph(opened.folder() if is_folder else opened.tree("HEAD"), known=base)
        assert scanned == [b"import p.a\n"]
        assert edges_of(head) == edges_of(build_graph(opened.tree("HEAD"))) | {"p/c.py": ["p/a.py"]}
        assert edges_of(base)["p/c.py"] == ["p/b.py"]


def _scanned_contents(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Everything that is scanned from here on."""
    seen: list[bytes] = []
    for language in LANGUAGES.values():
        real = type(language).scan

        def scan(self, content, dialect, real=real):
            seen.append(content)
            return real(self, content, dialect)

        monkeypatch.setattr(type(language), "scan", scan)
    return seen


def test_a_tree_of_a_commit_and_the_same_folder_give_the_same_graph(repository: RealRepository):
    repository.commit(
        "Start", {**CHAIN, "web/a.ts": "import './b'\n", "web/b.vue": "", "bin/run": "#!/usr/bin/python3\nimport p.a\n"}
    )
    with Repository(repository.path) as opened:
        folder, commit = build_graph(opened.folder()), build_graph(opened.tree("HEAD"))
    assert edges_of(folder) == edges_of(commit)
    assert folder.files == commit.files
    assert "bin/run" in folder.files


def test_files_nobody_wrote_by_hand_are_named_and_not_read(tmp_path: Path):
    graph = graph_of({"a.py": "import b\n", "b.py": "import a\n" + "#" * READ_LIMIT}, tmp_path)
    assert graph.not_read == ("b.py",)
    assert edges_of(graph) == {"a.py": ["b.py"]}


def test_names_that_are_no_text_are_files_like_others(tmp_path: Path):
    odd = os.fsdecode(b"caf\xe9")
    files = {
        f"{odd}.ts": "import './b'\n",
        "b.ts": f"import './{odd}'\n",
        "new\nline.py": "",
        "a'\"b.py": "import os\n",
        "-x.py": "",
    }
    graph = graph_of(files, tmp_path)
    assert edges_of(graph) == {f"{odd}.ts": ["b.ts"], "b.ts": [f"{odd}.ts"]}
    assert set(files) == set(graph.files)


def test_links_are_not_followed(repository: RealRepository, tmp_path: Path):
    outside = tmp_path / "outside.py"
    outside.write_text("import p.a\n")
    repository.write_all(CHAIN)
    repository.link("p/link.py", str(outside))
    repository.link("loop", ".")
    repository.write("use.py", "from p import link\n")
    repository.commit()
    with Repository(repository.path) as opened:
        for tree in (opened.folder(), opened.tree("HEAD")):
            graph = build_graph(tree)
            assert "p/link.py" not in graph.files
            assert graph.imported_by("use.py") == {"p/__init__.py"}


HOSTILE: dict[str, str | bytes] = {
    "deep.py": "x = " + "(" * 100_000,
    "nested.py": "".join(" " * depth + "if x:\n" for depth in range(900)) + " " * 900 + "import a\n",
    "nul.py": b"import a\0\nimport b\n",
    "utf16.py": "import a\n".encode("utf-16"),
    "many.py": "import a, b\n" * 30_000,
    "dots.py": "from " + "." * 50_000 + " import a\n",
    "long.py": "import " + "a." * 50_000 + "b\n",
    "names.py": "from a import (" + ", ".join(f"n{number}" for number in range(50_000)) + ")\n",
    "deep.go": "package a\nvar x = " + "(" * 100_000 + "1" + ")" * 100_000 + "\n",
    "broken.go": "package a\nfunc (" + "{" * 100_000,
    "chain.go": "package a\nvar x = a" + ".b()" * 20_000 + "\n",
    "many.go": "package a\n" + "".join(f"func f{n}(x int) int {{ y := x; return f{n}(y) }}\n" for n in range(5_000)),
    "nul.go": b"package a\0\nfunc Nul() { f1(2) }\n",
    "Nested.java": "class A {" * 3_000 + "}" * 3_000,
    "Long.java": "class L { " + "A<" * 5_000 + "A" + ">" * 5_000 + " x; }\n",
    "go.mod": "module " + "a/" * 50_000 + "\nreplace " + "x => ./y\n" * 10_000,
    "a.py": "from b import *\n",
    "b.py": "from a import *\n",
    "one_line.js": "import './c';" * 60_000,
    "c.js": "import '" + "../" * 20_000 + "c'; import './" + "x/../" * 20_000 + "c'\n",
    "template.js": "`${" * 50_000,
    "star1.ts": "export * from './star2'; export * from './star1'\n",
    "star2.ts": "export * from './star1'\nexport { x } from './star1'\n",
    "use.ts": "import { x } from './star1'\n",
    "tsconfig.json": '{"extends": ["./tsconfig.json", "./other.json"], "compilerOptions": {"paths": {"*": ["*/*"]}}}',
    "other.json": '{"extends": "./tsconfig.json"}',
    "package.json": "[" * 100_000,
    "deep/package.json": '{"name": "deep", "exports": ' + '{"a":' * 500 + "1" + "}" * 500 + "}",
    "deep/a.ts": "import 'deep'; import 'deep/x'; import '#y'\n",
    "pnpm-workspace.yaml": "a: &a0 [x]\n"
    + "".join(f"k{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 50))
    + "packages: ['**/**/**/**/**', *a49]\n",
    "pyproject.toml": "[" * 1000,
    "one/pyproject.toml": "a." * 200_000 + "b = 1\n",
    "two/pyproject.toml": "a = " + "{b=" * 100_000 + "\n",
    "setup.cfg": "[metadata\n= =\n",
    "one/setup.cfg": "[options]\na" + " " * 400_000 + "b\n",
    "two/tox.ini": ("[pytest]\na" + " " * 290 + "b\n") * 1500,
}


@pytest.mark.soak
@pytest.mark.cpu(60)
def test_a_hostile_tree_is_read_to_the_end(tmp_path: Path):
    graph = graph_of(HOSTILE, tmp_path)
    assert {"a.py", "b.py", "nul.py", "c.js"} <= set(graph.files)
    assert edges_of(graph)["many.py"] == ["a.py", "b.py"]
    assert edges_of(graph)["names.py"] == ["a.py"]
    assert edges_of(graph)["nested.py"] == ["a.py"]
    assert edges_of(graph)["nul.py"] == ["b.py"]
    assert edges_of(graph)["one_line.js"] == ["c.js"]
    assert edges_of(graph)["use.ts"] == ["star1.ts"]
    assert edges_of(graph)["nul.go"] == ["many.go"]
    assert len(graph.dependents(["a.py"])) > 2
    changed = {"star2.ts": ["x", "*"], "a.py": ["n1"], "deep/a.ts": ["z"]}
    assert any(one.uses for one in blast_radius(graph, changed, list(changed)).affected)


def test_an_empty_tree_and_one_without_source_have_empty_graphs(tmp_path: Path):
    assert build_graph(FolderTree("tree", str(tmp_path), [])).files == ()
    assert graph_of({"README.md": "x", "main.swift": "run()"}, tmp_path).files == ()


def test_an_unreadable_file_is_named(tmp_path: Path):
    tree = tree_of({"a.py": "import b\n", "b.py": ""}, tmp_path)
    assert tree.paths
    (tmp_path / "b.py").unlink()
    graph: ImportGraph = build_graph(tree)
    assert graph.not_read == ("b.py",)
