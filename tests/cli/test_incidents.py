"""What nobody foresaw becomes one line, and details in a file that nobody could have laid a trap for."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from assay.cli import main
from tests.conftest import ROOT
from tests.repositories import RealRepository


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The command line, with a fault in it; the folder for temporary files."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.delenv("ASSAY_DEBUG", raising=False)
    monkeypatch.setattr(main.assay, "main", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def numbers_in(said: str) -> list[str]:
    """The numbers of the incidents that were spoken of."""
    return re.findall(r"internal error (\w{8})", said)


def test_an_incident_is_one_line_and_a_private_file_with_the_details(broken: Path, capsys: pytest.CaptureFixture[str]):
    assert main.run([]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    (file,) = broken.iterdir()
    assert str(file) in line
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "ZeroDivisionError: by nothing" in file.read_text("utf-8")


def test_the_same_incident_twice_has_one_number_and_two_files_of_names_nobody_can_guess(
    broken: Path, capsys: pytest.CaptureFixture[str]
):
    assert [main.run([]), main.run([])] == [3, 3]
    assert len(set(numbers_in(capsys.readouterr().err))) == 1
    assert len(list(broken.iterdir())) == 2


def test_a_link_laid_under_the_old_name_is_not_written_through(broken: Path, capsys: pytest.CaptureFixture[str]):
    main.run([])
    (number,) = numbers_in(capsys.readouterr().err)
    victim = broken / "victim"
    victim.write_text("mine")
    (broken / f"assay-incident-{number}.log").symlink_to(victim)
    main.run([])
    assert victim.read_text() == "mine"


def test_without_a_folder_for_temporary_files_the_line_says_how_to_see_more(
    broken: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(broken / "gone"))
    assert main.run([]) == 3
    assert "ASSAY_DEBUG=1" in capsys.readouterr().err


def test_a_reader_who_goes_away_is_no_failure():
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-c", "from assay.cli.main import main; main()", "--help"],
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.system
def test_without_git_only_the_commands_that_need_it_fail_each_with_one_line(repository: RealRepository, tmp_path: Path):
    repository.commit(files={"a": "1", "assay.yml": "mode: advisory\n"})
    (tmp_path / "empty").mkdir()
    path = str(repository.path)
    needs_git = [["validate", path], ["graph", path], ["init", path], ["risk", "evaluate", path]]
    others = [["--help"], ["validate", "--help"], ["config", "check", f"{path}/assay.yml"], ["memory", "run", "--help"]]
    script = "import json, sys; from assay.cli.main import run; print([run(one) for one in json.loads(sys.argv[1])])"
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps([*needs_git, *others])],
        env={"PATH": str(tmp_path / "empty"), "PYTHONPATH": str(ROOT), "GIT_PYTHON_REFRESH": "error"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == str([3] * len(needs_git) + [0] * len(others))
    assert [line.split(": ")[1:3] for line in done.stderr.splitlines()] == [["program.missing", "git"]] * len(needs_git)
