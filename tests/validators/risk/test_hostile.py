"""Changes made to hurt whoever looks at them: nothing of them is run, nothing fails, and every signal answers."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from assay.validators.changes.change import ChangeSet
from assay.validators.report.model import RiskAssessment, RiskLevel
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.examples import sampled
from tests.repositories import RealRepository
from tests.validators.risk.changes import Changes, assess, many, said_of

PACKAGE = {"pyproject.toml": "[build-system]\nrequires = []\n[project]\nname = 'thing'\n"}


def assessed(change: ChangeSet) -> RiskAssessment:
    assessment = assess(change)
    assert [note for note in assessment.not_checked if "it failed" in note.why] == []
    for one in assessment.statements:
        assert one.text.isprintable()
        assert all(place.text.isprintable() for place in one.evidence)
    return assessment


def test_code_of_the_change_is_never_imported(changes: Changes, tmp_path: Path):
    mark = tmp_path / "ran"
    trap = f"import pathlib\npathlib.Path({str(mark)!r}).write_text('x')\n"
    names = [
        "thing/__init__.py",
        "thing/tools.py",
        "setup.py",
        "conftest.py",
        "sitecustomize.py",
        "validators/__init__.py",
    ]
    names += ["griffe/__init__.py", "migrations/0001_initial.py", "alembic/versions/1.py"]
    before = set(sys.modules)
    base = {**PACKAGE, **dict.fromkeys(names, trap + "def join(a, b): ...\n")}
    head = dict.fromkeys(
        names, trap + "revision = '1'\nclass Migration: operations = []\ndef upgrade(): ...\ndef join(a): ...\n"
    )
    assert assessed(changes.of(base, head)).level is RiskLevel.critical
    assert not mark.exists()
    assert not {"thing", "thing.tools", "validators", "conftest"} & (set(sys.modules) - before)


@pytest.mark.parametrize(
    "source",
    sampled([
        "x = " + "(" * 5000 + ")" * 5000 + "\n",
        "x = " + "-" * 20_000 + "1\n",
        "x = " + "a." * 20_000 + "b\n",
        "".join(f"{' ' * n}if True:\n" for n in range(99)) + " " * 99 + "x = 1\n",
        "x = '" + "a" * 1_500_000 + "'\n",
        "class A(A): ...\nclass B(C): ...\nclass C(B): ...\n",
        "from thing import thing\nfrom thing.tools import *\n__all__ = thing\n",
        "__all__ = ['a'] + [b for c in d]\ndef __getattr__(): ...\n",
        "def f(a, a, *, b=1, **b): ...\n",
        "\0\0\0",
        "\ufeffx = 1\r\ry = 2\r\n",
        "@property\ndef f(): return (yield)\n" * 50,
    ], 4),
    ids=range(12),
)  # fmt: skip
def test_no_source_is_too_strange(changes: Changes, source: str):
    base = {
        **PACKAGE,
        "thing/__init__.py": "from thing.tools import *\n",
        "thing/tools.py": "def join(a): ...\nx = 1\n",
    }
    began = time.process_time()
    assessed(changes.of(base, {"thing/tools.py": source}))
    assessed(changes.of({**base, "thing/tools.py": source}, {"thing/tools.py": "x = 1\n"}))
    assert time.process_time() - began < 60


def test_names_of_files_may_hold_anything(repository: RealRepository):
    odd = [
        b"new\nline.py",
        b'quo"te.py',
        b"caf\xe9/auth.py",
        b"-rf.py",
        b"a b/Dockerfile",
        b"\xff/migrations/1.sql",
        b"tab\t.yml",
    ]
    base = repository.commit("Start", {"a.py": "x = 1\n"})
    for name in odd:
        repository.write(name, "def login(a):\n    return eval(a)\n" if name.endswith(b".py") else "DROP TABLE a;\n")
    repository.link("link.py", "/etc/passwd")
    repository.link("package.json", "/etc/passwd")
    head = repository.commit("Odd")
    with Repository(repository.path) as opened:
        assessment = assessed(read_change(opened, base, head))
    found = said_of(assessment, "security_sensitive")
    files = {one.file for one in found} | {place.file for one in found for place in one.evidence}
    assert files >= {"new\nline.py", 'quo"te.py', "-rf.py", "caf\udce9/auth.py"}
    assert said_of(assessment, "schema") != []
    assert "root:" not in repr(assessment)


def test_patterns_of_owners_cannot_take_for_ever(changes: Changes):
    stars = "".join("*a" for _ in range(60))
    owners = f"{stars} @a\n[ @b\n\\ @c\n/ @d\n** @e\n*.py @everyone\n!x @f\n{'*' * 5000} @g\n"
    files = {f"src/{'a' * 100}{number}.py": "x = 1\n" for number in range(50)}
    files["CODEOWNERS"] = owners
    began = time.process_time()
    assessment = assessed(
        changes.of({**files, "use.py": "import src.a\n"}, {"CODEOWNERS": "* @nobody\n", "src/a.py": "y = 1\n"})
    )
    assert time.process_time() - began < 30
    assert [one.owners for one in assessment.dependents] == [("@everyone",)]


ENDLESS = {
    "A.java": ("public class A { GONE public TYPE x; }", "public void f() {}", "A.f"),
    "a.go": ("package a\nGONE\nvar X TYPE\n", "func F() {}", "a.F"),
}


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("A.java", "A<" * 900 + "B" + ">" * 900),
        ("A.java", "a." * 6000 + "B"),
        ("a.go", "*" * 5000 + "int"),
        ("a.go", "func(a " * 900 + "int" + ")" * 900),
    ],
)
def test_a_type_without_end_hides_no_break_of_the_interface(changes: Changes, path: str, written: str):
    text, gone, symbol = ENDLESS[path]
    text = text.replace("TYPE", written)
    base = {"pom.xml": "<project>" + "\n" * 100_000 + "</project>", "go.mod": "module a\n"}
    change = changes.of({**base, path: text.replace("GONE", gone)}, {path: text.replace("GONE", "")})
    assert [one.symbol for one in assessed(change).api_changes] == [symbol]


SELF = ", ".join(["{$ref: '#/$defs/A'}"] * 8)
WITHOUT_END = {
    "schema.yaml": (f"$defs: {{A: {{allOf: [{SELF}], properties: {{x: {{type: string}}}}}}}}\ntype: WORD\n", "schema"),
    "a.proto": (
        "message A { reserved " + ", ".join(f"{n}000 to {n}999" for n in range(1, 20_000)) + "; WORD }\n",
        "A.x",
    ),
    "A.java": ("class Controller {\n" + '@RequestMapping("a") ' * 10_000 + "\n@GetMapping(WORD)\n", "GET /x"),
    "urls.py": ("urlpatterns = [\n" + "path('a', a),\n" * 900 + "WORD]\n" + "path('b', b),\n" * 20_000, "/x"),
}
"""Text of a file, and the name whose break in it is still found."""
WORDS = {
    "schema.yaml": ("object", "string"),
    "a.proto": ("int32 x = 1;", "int64 x = 1;"),
    "A.java": ('"/x"', "y"),
    "urls.py": ("path('x', x),", ""),
}


@pytest.mark.parametrize("path", WITHOUT_END)
def test_a_contract_without_end_hides_no_break(changes: Changes, path: str):
    text, symbol = WITHOUT_END[path]
    change = changes.of(*({path: text.replace("WORD", word)} for word in WORDS[path]))
    assert symbol in [one.symbol for one in assessed(change).api_changes]


@pytest.mark.soak
def test_twenty_thousand_lines_are_judged_in_time(changes: Changes):
    source = many("def function_{n}(a, b):\n    return a + b", 10_000)
    change = changes.of(
        {**PACKAGE, "thing/__init__.py": "", "thing/big.py": source}, {"thing/big.py": source.replace("a + b", "b + a")}
    )
    began = time.process_time()
    assert ["10000 lines" in one.text for one in said_of(assessed(change), "surface")] == [True]
    assert time.process_time() - began < 60


@pytest.mark.soak
def test_a_minified_line_is_no_danger_to_the_patterns(changes: Changes):
    line = "eval(" * 50_000 + "exec(`${" * 50_000 + "child_process" * 20_000 + "\n"
    began = time.process_time()
    assessed(
        changes.of(
            {},
            {
                "src/app.js": line,
                "src/app.py": line,
                ".github/workflows/x.yml": f"on: push\njobs: {{a: {{steps: [{{run: '{line.strip()}'}}]}}}}\n",
            },
        )
    )
    assert time.process_time() - began < 60
