"""Which names a change touches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.validators.graph.symbols import changed_symbols, definitions, quiet_lines
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.conftest import ROOT
from tests.repositories import RealRepository
from tests.tables import read_yaml

CASES = read_yaml(ROOT / "tests" / "cases" / "languages" / "definitions.yaml")


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_source_defines_what_it_says_on_the_lines_it_says(case: dict[str, Any]):
    found = definitions(case["path"], case["source"])
    said = [f"{d.name} {d.line}-{d.end_line} {d.kind}{'' if d.exported else ' private'}" for d in found]
    wanted = case["definitions"]
    if case["name"].startswith("broken TypeScript"):
        # What a parser makes of the rest of a broken file is its own business.
        said = said[: len(wanted)]
    assert said == wanted
    quiet = quiet_lines(case["path"], case["source"])
    assert (sorted(quiet) if quiet is not None else None) == case["quiet"]


@pytest.mark.parametrize(
    "source", ["x = " + "(" * 5000, "[" * 100_000, "if x:\n" + "elif y:\n    pass\n" * 3000, "\0", "-" * 300_000]
)
def test_python_that_breaks_parsers_breaks_nothing_here(source: str):
    assert isinstance(definitions("m.py", source), list)
    assert quiet_lines("m.py", source) is not None


@pytest.mark.parametrize(
    "source",
    [
        "(" * 20_000,
        "{" * 20_000,
        "`${" * 5000,
        "a" * 1_000_000,
        "\0",
        "<a>" * 5000,
        "class A { " * 3000,
        "a\udcd1.b(function () {})",
    ],
)
def test_javascript_that_breaks_parsers_breaks_nothing_here(source: str):
    assert isinstance(definitions("m.tsx", source), list)
    assert quiet_lines("m.tsx", source) is not None


@pytest.mark.parametrize("path", ["m.kt", "M.cs"])
@pytest.mark.parametrize(
    "source",
    [
        "(" * 20_000,
        "class A { " * 3000,
        "namespace a." + "b." * 20_000 + "c;",
        "#if A\n" * 5000 + "{",
        "class A<" * 3000,
        "\0",
        "val a = " + "{ " * 3000,
    ],
)
@pytest.mark.cpu(60)
def test_kotlin_and_c_sharp_that_break_parsers_break_nothing_here(path: str, source: str):
    assert isinstance(definitions(path, source), list)
    assert quiet_lines(path, source) is not None


BASE = '''"""A module."""
import os

LIMIT = 1

def f(a):
    """Doc."""
    return a

def g():
    return 1

class C:
    size = 1

    def run(self):
        return 1

    def stop(self):
        return 2

register(f)
'''


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("return a", "return a + 1", ["f"]),
        ("return a", "return (\n        a\n    )", []),
        ("def g():\n    return 1", "def g():\n    return (1)\n\ndef h():\n    return 1", ["h"]),
        ("def f(a)", "def f(a, b=1)", ["f"]),
        ('"""Doc."""', '"""Another."""', []),
        ('"""A module."""', '"""Another."""', []),
        ("import os\n", "import os\nimport sys\n", []),
        ("LIMIT = 1\n", "LIMIT = 2\n", ["LIMIT"]),
        ("        return 2", "        # said\n        return 2", []),
        ("        return 2", "        return 3", ["C.stop"]),
        ("    size = 1\n", "    size = 2\n", ["C"]),
        ("class C:", "class C(Base):", ["C"]),
        ("register(f)\n", "register(g)\n", ["*"]),
        ("register(f)\n", "", ["*"]),
        ("def g():\n    return 1\n\n", "", ["g"]),
        ("    def stop(self):\n        return 2\n", "", ["C.stop"]),
        ("def g():\n", "def h():\n    return 0\n\ndef g():\n", ["h"]),
        ("return 1\n\nclass", "return 1\n\n\n\nclass", []),
    ],
)
def test_a_change_touches_the_names_it_says(old: str, new: str, names: list[str], repository: RealRepository):
    assert BASE.count(old) >= 1
    base = repository.commit("Start", {"m.py": BASE, "other.txt": "x\n"})
    repository.commit("Change", {"m.py": BASE.replace(old, new, 1)})
    assert _changed(repository, base) == ({"m.py": names} if names else {})


def test_a_change_to_typescript_touches_functions_methods_and_what_is_handed_on(repository: RealRepository):
    methods = "export class C {\n  run() { return 1 }\n  stop() {}\n}\n"
    source = "import a from 'a'\n" + methods + "export { x } from './x'\nexport * from './y'\n"
    base = repository.commit("Start", {"m.ts": source})
    repository.commit("One", {"m.ts": source.replace("return 1", "return 2").replace("'a'", "'b'")})
    assert _changed(repository, base) == {"m.ts": ["C.run"]}
    repository.commit("Two", {"m.ts": source.replace("{ x }", "{ x, z }")})
    assert _changed(repository, base) == {"m.ts": ["z"]}
    repository.commit("Three", {"m.ts": source.replace("'./y'", "'./w'")})
    assert _changed(repository, base) == {"m.ts": ["*"]}


@pytest.mark.parametrize(
    ("path", "old", "new", "names"),
    [
        ("p/__init__.py", "from .x import a, b\n", "from .x import a, b, c\n", ["c"]),
        (
            "p/__init__.py",
            "from .x import (\n    a,\n    b,\n)\n",
            "from .x import (\n    a,\n    b,\n    c,\n)\n",
            ["c"],
        ),
        ("p/__init__.py", "from .x import a, b\n", "from .y import a, b\n", ["a", "b"]),
        ("p/__init__.py", "from .x import k as a\n", "from .x import m as a\n", ["a"]),
        ("m.py", "__all__ = ['a', 'b']\n", "__all__ = ['a', 'b', 'c']\n", []),
        ("m.py", "__all__ = [\n    'a',\n    'b',\n]\n", "__all__ = [\n    'a',\n]\n", ["b"]),
        (
            "m.ts",
            "function a() {}\nfunction b() {}\nexport { a }\n",
            "function a() {}\nfunction b() {}\nexport { a, b }\n",
            ["b"],
        ),
        ("m.ts", "export { a } from './x'\n", "export { a } from './y'\n", ["a"]),
    ],
)
def test_a_longer_list_touches_only_what_came(
    path: str, old: str, new: str, names: list[str], repository: RealRepository
):
    base = repository.commit("Start", {path: old})
    repository.commit("Change", {path: new})
    assert _changed(repository, base) == ({path: names} if names else {})


def test_new_gone_renamed_and_foreign_files(repository: RealRepository):
    base = repository.commit("Start", {"gone.py": "x = 1\n", "old.py": BASE, "m.hs": "mod m;\n", "README.md": "a\n"})
    repository.remove("gone.py")
    repository.rename("old.py", "moved.py")
    head = {
        "new.py": "def f(): ...\nrun()\n",
        "a/New.java": "package a;\nclass New {}\n",
        "m.hs": "mod n;\n",
        "README.md": "b\n",
        "moved.py": BASE.replace("return a", "return 7"),
    }
    repository.commit("Change", head)
    assert _changed(repository, base) == {
        "gone.py": ["*"],
        "old.py": ["*"],
        "moved.py": ["f"],
        "new.py": ["*", "f"],
        "a/New.java": ["New"],
        "m.hs": ["*"],
    }


def test_huge_source_is_touched_as_a_whole_and_one_with_a_nul_byte_by_its_names(repository: RealRepository):
    base = repository.commit("Start", {"a.py": b"x = 1\0\n", "b.py": "y = 1\n" * 10, "link": "x"})
    repository.commit("Change", {"a.py": b"x = 2\0\n", "b.py": "y = 1\n" * 400_000})
    assert _changed(repository, base) == {"a.py": ["x"], "b.py": ["*"]}


@pytest.mark.soak
def test_twenty_thousand_lines_are_no_trouble(repository: RealRepository):
    lines = [f"def f{number}(): return {number}" for number in range(20_000)]
    base = repository.commit("Start", {"a.py": "\n".join(lines)})
    lines[5_000:15_000] = [line + " + 1" for line in lines[5_000:15_000]]
    repository.commit("Change", {"a.py": "\n".join(lines)})
    assert len(_changed(repository, base)["a.py"]) == 10_000


def _changed(repository: RealRepository, base: str) -> dict[str, list[str]]:
    with Repository(repository.path) as opened:
        found = changed_symbols(read_change(opened, base))
    assert json.dumps(sorted(found))
    return {path: sorted(names) for path, names in found.items()}
