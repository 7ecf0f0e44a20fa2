"""`assay graph`: what it writes, where it looks, and what it says when it cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from assay.cli.main import run
from assay.validators.graph.export import GRAPH_FORMATS
from tests.conftest import ROOT
from tests.repositories import RealRepository

SCHEMA = json.loads((ROOT / "assay/validators/schemas/graph.schema.json").read_text("utf-8"))
FILES = {
    "app/__init__.py": "",
    "app/a.py": "",
    "app/b.py": "from app import a\nimport app.gone\n",
    "tests/test_b.py": "from app.b import x\n",
    "web/c.ts": "import './d'\n",
    "web/d.ts": "",
    "README.md": "# Read\n",
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.delenv("ASSAY_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def project(repository: RealRepository) -> RealRepository:
    repository.commit("Start", FILES)
    return repository


def graph(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> dict[str, Any]:
    """What a run writes, after its schema."""
    assert run(["graph", *arguments]) == 0
    out, err = capfdbinary.readouterr()
    assert err == b""
    found = json.loads(out.decode("utf-8"))
    Draft202012Validator(SCHEMA).validate(found)
    assert isinstance(found, dict)
    return found


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line a run says that must fail with exit code 2."""
    assert run(["graph", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    return line


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_a_graph_is_written_whole(project: RealRepository, capfdbinary: pytest.CaptureFixture[bytes]):
    found = graph(capfdbinary, str(project.path))
    assert found["files"] == sorted(name for name in FILES if name != "README.md")
    assert found["edges"] == [
        {"from": "app/b.py", "to": "app/__init__.py", "kind": "name"},
        {"from": "app/b.py", "to": "app/a.py", "kind": "name"},
        {"from": "tests/test_b.py", "to": "app/b.py", "kind": "name"},
        {"from": "web/c.ts", "to": "web/d.ts", "kind": "name"},
    ]
    (lost,) = found["unresolved"]
    assert (lost["file"], lost["line"], lost["import"]) == ("app/b.py", 2, "app.gone")
    assert found["build_s"] < 60
    assert "impact" not in found


def test_the_work_tree_is_read_as_it_is_and_a_revision_as_it_was(
    project: RealRepository, capfdbinary: pytest.CaptureFixture[bytes]
):
    project.write("app/new.py", "import app.a\n")
    project.remove("web/c.ts")
    project.write(".gitignore", "ignored.py\n")
    project.write("ignored.py", "import app.a\n")
    now = graph(capfdbinary, str(project.path))
    then = graph(capfdbinary, str(project.path), "--ref", "HEAD")
    assert {"app/new.py", "web/c.ts", "ignored.py"} & set(now["files"]) == {"app/new.py"}
    assert {"app/new.py", "web/c.ts", "ignored.py"} & set(then["files"]) == {"web/c.ts"}


def test_the_impact_of_files_named_from_the_top_or_from_here(
    project: RealRepository, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
):
    top = graph(capfdbinary, str(project.path), "--impact", "app/a.py")
    assert top["impact"] == {
        "changed": ["app/a.py"],
        "dependents": [
            {"path": "app/b.py", "distance": 1, "via": "app/a.py"},
            {"path": "tests/test_b.py", "distance": 2, "via": "app/b.py"},
        ],
        "unknown": [],
    }
    monkeypatch.chdir(project.path / "app")
    assert graph(capfdbinary, "--impact", "a.py")["impact"] == top["impact"]
    assert graph(capfdbinary, "--impact", "./a.py")["impact"] == top["impact"]
    nothing = {"changed": ["README.md"], "dependents": [], "unknown": []}
    assert graph(capfdbinary, "--impact", "../README.md")["impact"] == nothing


def test_a_language_without_a_graph_is_unknown_and_the_others_are_answered(
    project: RealRepository, capfd: pytest.CaptureFixture[str]
):
    for path in ("main.swift", "src/A.scala", "lib/a.ex", "bin/run"):
        project.write(path, "#!/usr/bin/env python3\nimport app.a\n" if path == "bin/run" else "x\n")
    project.commit("Others")
    asked = ["main.swift", "src/A.scala", "lib/a.ex", "app/a.py", "bin/run"]
    assert run(["graph", str(project.path), "--impact", *asked]) == 3
    out, err = capfd.readouterr()
    found = json.loads(out)
    Draft202012Validator(SCHEMA).validate(found)
    assert found["impact"]["unknown"] == [
        {"path": "lib/a.ex", "language": "Elixir"},
        {"path": "main.swift", "language": "Swift"},
        {"path": "src/A.scala", "language": "Scala"},
    ]
    assert [one["path"] for one in found["impact"]["dependents"]] == ["app/b.py", "tests/test_b.py"]
    (line,) = err.splitlines()
    assert "lib/a.ex (Elixir), main.swift (Swift), src/A.scala (Scala)" in line


@pytest.mark.parametrize(
    "arguments",
    [
        ["{}", "--impact", "app/a.py", "web/d.ts"],
        ["--impact", "app/a.py", "--impact", "web/d.ts", "{}"],
        ["--impact", "app/a.py", "web/d.ts", "{}"],
        ["--impact=app/a.py", "web/d.ts", "--format", "json", "{}"],
        ["{}", "--impact", "app/a.py", "web/d.ts", "app/a.py", "--ref", "HEAD"],
        ["--impact", "web/d.ts", "--impact", "app/a.py", "--", "{}"],
    ],
)
def test_several_files_may_follow_one_option(
    arguments: list[str], project: RealRepository, capfdbinary: pytest.CaptureFixture[bytes]
):
    found = graph(capfdbinary, *[argument.replace("{}", str(project.path)) for argument in arguments])
    assert found["impact"]["changed"] == ["app/a.py", "web/d.ts"]
    assert [one["path"] for one in found["impact"]["dependents"]] == ["app/b.py", "web/c.ts", "tests/test_b.py"]


def test_what_cannot_be_is_said_in_one_line(project: RealRepository, capfd: pytest.CaptureFixture[str], tmp_path: Path):
    assert "nowhere.py" in refused(capfd, str(project.path), "--impact", "nowhere.py")
    assert "outside.py" in refused(capfd, str(project.path), "--impact", "../outside.py")
    assert "no-such-ref" in refused(capfd, str(project.path), "--ref", "no-such-ref")
    (tmp_path / "plain").mkdir()
    assert "plain" in refused(capfd, str(tmp_path / "plain"))
    assert "nothing-here" in refused(capfd, str(tmp_path / "nothing-here"))
    assert "xml" in refused(capfd, str(project.path), "--format", "xml")


def test_every_format_is_valid_whatever_files_are_called(
    project: RealRepository, capfdbinary: pytest.CaptureFixture[bytes]
):
    names = [
        b"caf\xe9.py",
        b"new\nline.py",
        b'quo"te\\.py',
        b"\x01\x1b[31m.py",
        "ü→.py".encode(),
        b"<&>.py",
        b"-x.py",
        b"a;b.py",
    ]
    for name in names:
        project.write(name, "import app.a\nfrom . import \xe9\n")
    project.commit("Odd")
    found = graph(capfdbinary, str(project.path), "--impact", "app/a.py")
    assert '"caf\\351.py"' in found["files"]
    assert {"new\nline.py", 'quo"te\\.py', "ü→.py", "<&>.py", "-x.py"} <= set(found["files"])
    assert len(found["impact"]["dependents"]) == len(names) + 2
    for format_ in GRAPH_FORMATS:
        assert run(["graph", str(project.path), "--format", format_]) == 0
        text = capfdbinary.readouterr().out.decode("utf-8")
        assert "app/b.py" in text
        if format_ == "dot":
            assert text.count(" -> ") == len(found["edges"])
            assert all(line.count('"') % 2 == 0 for line in text.replace("\\\\", "").replace('\\"', "").splitlines())


def test_a_terminal_shows_who_depends_on_files_or_which_are_busiest(
    project: RealRepository, capfdbinary: pytest.CaptureFixture[bytes]
):
    assert run(["graph", str(project.path), "--format", "text"]) == 0
    lines = capfdbinary.readouterr().out.decode("utf-8").splitlines()
    assert lines[0] == "6 files, 4 edges"
    assert lines[1:5] == ["     1  app/__init__.py", "     1  app/a.py", "     1  app/b.py", "     1  web/d.ts"]
    assert lines[5] == "1 import not resolved:"
    assert lines[6].startswith("        app/b.py:2  app.gone: ")
    assert run(["graph", str(project.path), "--format", "text", "--impact", "app/a.py"]) == 0
    lines = capfdbinary.readouterr().out.decode("utf-8").splitlines()
    assert lines == ["2 files depend on app/a.py, by distance:", "1  app/b.py", "2  tests/test_b.py"]
    assert run(["graph", str(project.path), "--format", "text", "--impact", "web/c.ts"]) == 0
    assert capfdbinary.readouterr().out == b"nothing depends on web/c.ts\n"


def test_dot_shows_how_far_a_change_reaches(project: RealRepository, capfdbinary: pytest.CaptureFixture[bytes]):
    assert run(["graph", str(project.path), "--format", "dot", "--impact", "app/a.py"]) == 0
    assert capfdbinary.readouterr().out.count(b"fillcolor") == 3


def test_a_bare_repository_is_read_at_its_head(
    project: RealRepository, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
):
    project.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    assert "app/b.py" in graph(capfdbinary, str(tmp_path / "bare.git"))["files"]


def test_a_second_run_knows_what_the_first_found(
    project: RealRepository, own_cache: Path, capfdbinary: pytest.CaptureFixture[bytes]
):
    first = graph(capfdbinary, str(project.path))
    kept = list(own_cache.rglob("*.sqlite"))
    assert len(kept) == 1
    second = graph(capfdbinary, str(project.path))
    assert first["edges"] == second["edges"]
    kept[0].write_bytes(b"damaged")
    assert graph(capfdbinary, str(project.path))["edges"] == first["edges"]


def test_nothing_is_kept_where_that_is_not_wanted(
    project: RealRepository, own_cache: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ASSAY_NO_CACHE", "1")
    graph(capfdbinary, str(project.path))
    assert not own_cache.exists()


def test_the_command_itself_writes_utf_8_whatever_the_locale(project: RealRepository):
    project.write("ü.py", "")
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "ASSAY_NO_CACHE": "1",
    }
    command = [str(Path(sys.executable).with_name("assay")), "graph", str(project.path)]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert "ü.py" in json.loads(done.stdout.decode("utf-8"))["files"]


TESTED = {
    "app/__init__.py": "",
    "app/a.py": "def f():\n    return 1\n\n\ndef g():\n    return 1\n",
    "app/gone.py": "x = 1\n",
    "data.bin": "1",
    "tests/conftest.py": "",
    "tests/test_f.py": "from app import a\n\n\ndef test_it():\n    a.f()\n",
    "tests/test_g.py": "from app.a import g\n\n\ndef test_it():\n    g()\n",
    "tests/test_own.py": "def test_it():\n    pass\n",
    "tests/test lost.py": "import app.gone\n\n\ndef test_it():\n    pass\n",
    "tests/test_lost.py": "import app.gone\n\n\ndef test_it():\n    pass\n",
    "tests/test_far.py": "def test_it():\n    pass\n",
}


@pytest.fixture
def changed(repository: RealRepository) -> RealRepository:
    repository.commit("Start", TESTED)
    repository.write("app/a.py", TESTED["app/a.py"].replace("return 1\n\n\n", "return 2\n\n\n"))
    repository.write("tests/test_own.py", "def test_it():\n    assert True\n")
    repository.write("data.bin", "2")
    repository.path.joinpath("app/gone.py").unlink()
    repository.commit("Change")
    return repository


def test_the_tests_of_a_change_are_listed_for_a_runner(
    changed: RealRepository, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(changed.path)
    assert run(["graph", "--tests", "HEAD~1..HEAD"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == ["tests/test_own.py", "tests/test_f.py", "tests/test_lost.py", "tests/test_g.py"]
    assert "data.bin" in err
    assert "test lost.py" in err
    monkeypatch.chdir(changed.path / "tests")
    assert run(["graph", "..", "--tests", "HEAD~1.."]) == 0
    assert capfd.readouterr()[0].splitlines()[:2] == ["test_own.py", "test_f.py"]
    assert run(["graph", "--tests", "HEAD..HEAD"]) == 0
    assert capfd.readouterr() == ("", "")


def test_the_tests_of_a_change_have_reasons_in_json(changed: RealRepository, capfdbinary: pytest.CaptureFixture[bytes]):
    found = graph(capfdbinary, str(changed.path), "--tests", "HEAD~1..HEAD", "--format", "json")["tests"]
    assert [tuple(one.values()) for one in found["ranked"]] == [
        ("tests/test_own.py", "run_first", "changed", 0, 0.0),
        ("tests/test_f.py", "run_first", "uses", 1, 1.0),
        ("tests/test lost.py", "run_first", "lost", 1, None),
        ("tests/test_lost.py", "run_first", "lost", 1, None),
        ("tests/test_g.py", "may_be_affected", "imports", 1, None),
    ]
    assert (found["outside"], found["not_read"]) == (["data.bin"], [])


def test_uncommitted_changes_count_up_to_the_working_tree(changed: RealRepository, capfd: pytest.CaptureFixture[str]):
    changed.write("app/a.py", TESTED["app/a.py"])
    assert run(["graph", str(changed.path), "--tests", "HEAD"]) == 0
    assert capfd.readouterr()[0].splitlines()[0].endswith("tests/test_f.py")


def test_a_validation_ranks_dependents_by_the_contexts_of_a_given_report(
    changed: RealRepository, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    lines = {"1": [""], "5": [""], "2": ["tests/test_g.py::test_it|run"], "6": ["tests/test_f.py::test_it|run"]}
    measured = {"executed_lines": [1, 2, 5, 6], "missing_lines": [], "contexts": lines}
    report, other = tmp_path / "coverage.json", tmp_path / "lcov.info"
    report.write_text(json.dumps({"meta": {"format": 3}, "files": {"app/a.py": measured}}))
    other.write_text("SF:app/a.py\nDA:2,1\nend_of_record\n")
    arguments = ["validate", str(changed.path), "--base", "HEAD~1", "--tiers", "risk", "--format", "json"]
    for given, first in (([], "tests/test_f.py"), ([other], "tests/test_f.py"), ([other, report], "tests/test_g.py")):
        run([*arguments, *(word for file in given for word in ("--coverage", str(file)))])
        found = json.loads(capfd.readouterr()[0])
        dependents = found["tiers"]["risk"]["dependents"]
        assert [one["path"] for one in dependents if one["affected"] == "run_first"] == [first]


@pytest.mark.parametrize("arguments", [["--ref", "HEAD"], ["--format", "dot"], ["--impact", "app/a.py"]])
def test_tests_go_with_no_other_form(changed: RealRepository, capfd: pytest.CaptureFixture[str], arguments: list[str]):
    assert refused(capfd, str(changed.path), "--tests", "HEAD~1..HEAD", *arguments)
    assert refused(capfd, str(changed.path), "--coverage", str(changed.path / "data.bin"))
    assert refused(capfd, str(changed.path), "--tests", "HEAD", "--coverage", str(changed.path / "data.bin"))
    assert refused(capfd, str(changed.path), "--tests", "nowhere..HEAD")
