"""Bad input gets one clear line and an exit code; a hostile tree gets a report, and runs nothing."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.codes import code_of
from tests.functional.conftest import ASSAY, Assay
from tests.repositories import RealRepository

pytestmark = pytest.mark.small

QUICK = ("--tiers", "quality,risk", "--format", "json")
SOURCE = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def project(repository: RealRepository) -> RealRepository:
    """A small project with one commit on main, on branch `feature` with nothing yet."""
    repository.commit("Start", {"calc/__init__.py": "", "calc/add.py": SOURCE, "README.md": "calc\n"})
    repository.branch("feature")
    return repository


def test_a_folder_outside_any_repository(assay: Assay, assay_here: Assay, tmp_path: Path) -> None:
    said = assay("validate", cwd=tmp_path)
    assert said.code == 2
    assert "git.not-a-repository" in said.one_clear_line()
    assert assay_here("validate", cwd=tmp_path) == said, "the next tests may run within this process"


def test_an_unknown_revision(assay_here: Assay, project: RealRepository) -> None:
    said = assay_here("validate", "--base", "no-such-branch", cwd=project.path)
    assert said.code == 2
    assert said.one_clear_line().startswith("git.unknown-revision: base 'no-such-branch': ")


def test_a_repository_without_commits(assay_here: Assay, tmp_path: Path) -> None:
    empty = RealRepository(tmp_path / "empty")
    said = assay_here("validate", cwd=empty.path)
    assert (said.code, code_of(said.one_clear_line())) == (2, "git.no-commits")


def test_a_branch_without_commits(assay_here: Assay, project: RealRepository) -> None:
    project.git("checkout", "-q", "--orphan", "other")
    said = assay_here("validate", cwd=project.path)
    assert (said.code, code_of(said.one_clear_line())) == (2, "git.no-commits")
    assert "'other'" in said.one_clear_line()


@pytest.mark.soak
def test_a_reader_that_leaves_does_not_change_the_exit_code(assay: Assay, project: RealRepository) -> None:
    project.commit("More", {"calc/more.py": "".join(f"x{number} = {number}\n" for number in range(60))})
    assert [_unread(project, *options) for options in (QUICK, QUICK[:2])] == [0, 0]
    project.commit("Danger", {"calc/run.py": "def run(text):\n    return eval(text)\n"})
    assert _unread(project, "--fail-on", "hold", *QUICK) == 1


@pytest.mark.soak
def test_unrelated_histories(assay_here: Assay, project: RealRepository) -> None:
    project.git("checkout", "-q", "--orphan", "other")
    project.commit("Other", {"x": "1"})
    said = assay_here("validate", "--base", "main", "--head", "other", cwd=project.path)
    assert said.code == 2
    assert "git.unrelated-histories" in said.one_clear_line()


@pytest.mark.soak
def test_a_shallow_clone_without_the_merge_base(assay_here: Assay, project: RealRepository, tmp_path: Path) -> None:
    project.commit("One", {"a.py": "x = 1\n"})
    project.commit("Two", {"a.py": "x = 2\n"})
    project.switch("main")
    project.commit("Meanwhile", {"b.py": "y = 1\n"})
    shallow = tmp_path / "shallow"
    project.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{project.path}", str(shallow))
    said = assay_here("validate", "--base", "origin/main", "--head", "origin/feature", cwd=shallow)
    assert said.code == 2
    assert "git fetch --unshallow" in said.one_clear_line()


@pytest.mark.soak
def test_an_empty_change_is_fine(assay: Assay, project: RealRepository) -> None:
    said = assay("validate", "--base", "HEAD", *QUICK, cwd=project.path)
    assert said.code == 0
    assert said.report["conclusion"] == "success"
    assert said.report["files"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--tiers", "quality,nonsense"),
        ("--tiers", ""),
        ("--format", "word"),
        ("--fail-on", "sunday"),
        ("--config", "no-such-file.yml"),
        ("--coverage", "no-such-file.xml"),
        ("-o", "no/such/folder/report.json"),
        ("--no-such-option",),
    ],
    ids=lambda arguments: " ".join(arguments) or "empty",
)
def test_a_call_that_makes_no_sense(assay_here: Assay, project: RealRepository, arguments: tuple[str, ...]) -> None:
    said = assay_here("validate", *arguments, cwd=project.path)
    assert said.code == 2
    assert said.out == ""
    assert said.one_clear_line()


@pytest.mark.soak
def test_every_mistake_of_a_configuration_is_told_with_its_line(assay_here: Assay, project: RealRepository) -> None:
    project.switch("main")
    wrong = "tier1:\n  timeoutSeconds: soon\ntier2:\n  blockingSevrity: error\nmaxFixCyclesPerTier: -1\n"
    project.commit("Configure", {".github/assay.yml": wrong})
    project.commit("Change", {"calc/add.py": SOURCE + "\n\nZERO = 0\n"})
    said = assay_here("validate", *QUICK, cwd=project.path)
    assert said.code == 2
    assert said.out == ""
    lines = said.err.splitlines()
    assert [line.split(": ")[2] for line in lines] == [f".github/assay.yml:{number}" for number in (2, 4, 5)]
    assert "blockingSeverity" in lines[1], "the nearest known key is named"


@pytest.mark.parametrize(
    ("file", "text", "lines"),
    [
        (
            ".github/assay.yml",
            "tier2:\n  severities:\n    complexty: warning\ntier3:\n  signals:\n    depndents: false\n",
            [3, 6],
        ),
    ],
)
def test_a_rule_or_signal_that_does_not_exist_is_told_with_its_line(
    assay_here: Assay, project: RealRepository, file: str, text: str, lines: list[int]
) -> None:
    project.switch("main")
    project.commit("Configure", {file: text})
    project.commit("Change", {"calc/add.py": SOURCE + "\n\nZERO = 0\n"})
    said = assay_here("validate", *QUICK, cwd=project.path)
    assert said.code == 2
    assert said.out == ""
    told = said.err.splitlines()
    assert [line.split(": ")[2] for line in told] == [f"{file}:{number}" for number in lines]
    assert "no rule is called `complexty`; did you mean `complexity`?" in told[0]
    assert len(told) == 1 or "no signal is called `depndents`; did you mean `dependents`?" in told[1]


def test_the_configuration_comes_from_the_base(assay: Assay, project: RealRepository) -> None:
    project.commit(
        "Loosen", {".github/assay.yml": "tier2:\n  enabled: false\n", "calc/add.py": SOURCE + "\n\nZERO = 0\n"}
    )
    report = assay("validate", *QUICK, cwd=project.path).report
    assert report["tiers"]["quality"] is not None
    assert report["tiers"]["risk"]["level"] == "critical", "switching a tier off is loosening a gate"


@pytest.mark.soak
def test_a_configuration_that_is_a_link_is_said_in_one_line(assay: Assay, project: RealRepository) -> None:
    project.switch("main")
    project.link(".github/assay.yml", "../settings.yml")
    project.commit("Configure", {"settings.yml": "tier2:\n  enabled: false\n"})
    project.commit("Change", {"calc/add.py": SOURCE + "\n\nZERO = 0\n"})
    report = assay("validate", *QUICK, cwd=project.path).report
    assert report["tiers"]["quality"] is not None
    assert [note["what"] for note in report["not_checked"] if "link" in note["why"]] == [
        "the configuration in .github/assay.yml"
    ]


HOSTILE = [
    "new\nline.py",
    'quo"te.py',
    "-rf.py",
    "`id`.py",
    "$(id).py",
    "a|b.md",
    "<img src=x>.py",
    "@everyone.py",
    "ü.py",
]


@pytest.mark.soak
def test_hostile_file_names_are_all_accounted_for(assay: Assay, project: RealRepository, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = dict.fromkeys(HOSTILE, "x = 1\n")
    for name, content in files.items():
        project.write(name, content)
    project.write(b"caf\xe9.py", "x = 1\n")
    project.commit("Names")
    others = {format_: tmp_path / format_ for format_ in ("markdown", "terminal", "sarif")}
    pairs = [word for format_, path in others.items() for word in ("--format", format_, "-o", str(path))]
    said = assay("validate", *QUICK, *pairs, cwd=project.path)
    assert said.code == 0, said.err
    assert len(said.report["files"]) == len(HOSTILE) + 1
    for format_, path in others.items():
        text = path.read_text("utf-8", "surrogateescape")
        assert text, format_
        assert "<img src=x>" not in text or format_ == "sarif"


@pytest.mark.soak
def test_binary_large_and_minified_files_are_accounted_for(assay: Assay, project: RealRepository) -> None:
    project.write("logo.png", b"\x89PNG\0\0" * 50)
    project.write("dump.sql", b"INSERT INTO t VALUES (1);\n" * 250_000)
    project.write("app.js", "var a=1;" * 40_000)
    project.commit("Assets")
    said = assay("validate", *QUICK, cwd=project.path)
    assert said.code in (0, 1), said.err
    kinds = {file["path"]: file["kind"] for file in said.report["files"]}
    assert kinds == {"logo.png": "binary", "dump.sql": "oversize", "app.js": "text"}
    unread = " ".join(note["what"] for note in said.report["not_checked"])
    assert "logo.png" in unread
    assert "dump.sql" in unread


@pytest.mark.soak
def test_syntax_errors_and_very_long_files_are_validated(assay: Assay, project: RealRepository) -> None:
    long = "".join(f"def f{i}(x):\n    return x + {i}\n\n\n" for i in range(5_000))
    project.commit(
        "Long", {"calc/long.py": long, "calc/broken.py": "def (:\n", "web/broken.ts": "export const = {{{\n"}
    )
    said = assay("validate", *QUICK, cwd=project.path)
    assert said.code in (0, 1), said.err
    assert len(said.report["files"]) == 3


@pytest.mark.soak
def test_links_and_submodules_are_not_entered(assay: Assay, project: RealRepository, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("password = 'do-not-read-me-0123456789'\n")
    project.link("inside.py", str(tmp_path / "outside.py"))
    project.link("loop", ".")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{project.head},module")
    project.git("add", "inside.py", "loop")
    project.git("commit", "-qm", "Links")
    said = assay("validate", *QUICK, cwd=project.path)
    assert said.code in (0, 1), said.err
    kinds = {file["path"]: file["kind"] for file in said.report["files"]}
    assert kinds == {"inside.py": "symlink", "loop": "symlink", "module": "submodule"}
    assert "do-not-read-me" not in said.out


@pytest.mark.system
def test_no_code_of_the_target_is_imported_and_no_setting_of_it_obeyed(
    assay: Assay, project: RealRepository, tmp_path: Path
) -> None:
    proof = tmp_path / "proof"
    trap = f"open({str(proof)!r}, 'a').write(__file__ + '\\n')\n"
    names = (
        "sitecustomize.py", "usercustomize.py", "conftest.py", "setup.py", "validators/__init__.py", "calc/add.py",
        "assay/__init__.py", "networkx.py", "radon/__init__.py", "griffe.py", "click.py", "calc/__init__.py", "json.py",
    )  # fmt: skip
    project.commit("Traps", dict.fromkeys(names, trap))
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho ran >> {proof}\ncat\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    for key in ("core.fsmonitor", "diff.external", "filter.x.clean", "core.sshCommand", "core.pager"):
        project.git("config", key, str(script))
    project.write(".gitattributes", "*.py filter=x diff=x\n")
    for head in ("HEAD", "WORKTREE"):
        said = assay("validate", "--head", head, *QUICK, cwd=project.path, PYTHONPATH="")
        assert said.code in (0, 1), said.err
    assert assay("graph", cwd=project.path).code == 0
    assert not proof.exists(), proof.read_text()


@pytest.mark.soak
def test_output_goes_to_its_file_and_nowhere_else(assay: Assay, project: RealRepository, tmp_path: Path) -> None:
    project.commit("Change", {"calc/add.py": SOURCE + "\n\nZERO = 0\n"})
    out = tmp_path / "out"
    out.mkdir()
    pairs = (
        "-f",
        "json",
        "-o",
        str(out / "r.json"),
        "-f",
        "markdown",
        "-o",
        str(out / "r.md"),
        "-o",
        str(out / "r.sarif"),
    )
    said = assay("validate", "--tiers", "quality,risk", *pairs, cwd=project.path)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert sorted(os.listdir(out)) == ["r.json", "r.md", "r.sarif"]


@pytest.mark.soak
def test_uncommitted_work_is_validated_and_left_alone(assay: Assay, project: RealRepository) -> None:
    project.write("calc/new.py", "VALUE = 1\n")
    said = assay("validate", "--head", "WORKTREE", *QUICK, cwd=project.path)
    assert [file["path"] for file in said.report["files"]] == ["calc/new.py"]
    assert project.git("status", "--porcelain").split() == ["??", "calc/new.py"]


@pytest.mark.soak
def test_a_reader_that_goes_away_is_no_failure(project: RealRepository) -> None:
    import subprocess

    from tests.functional.conftest import ASSAY

    done = subprocess.run(
        ["bash", "-c", f"{ASSAY} validate --tiers risk --format json | true; exit ${{PIPESTATUS[0]}}"],
        cwd=project.path, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode in (0, 1)
    assert done.stderr == b""


def _unread(project: RealRepository, *options: str) -> int:
    """Run `assay validate` with a standard output that nobody reads, and return its exit code."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        command = [str(ASSAY), "validate", "--base", "main", *options]
        done = subprocess.run(command, cwd=project.path, stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert done.stderr == b""
    return done.returncode
