"""Every command a reader is told to type does what it says."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.main import run
from tests.conftest import ROOT
from tests.examples import sampled
from tests.repositories import RealRepository

BIN = Path(sys.executable).parent
PAGES = [(ROOT / page).read_text("utf-8") for page in ("README.md", "docs/quick-start.md")]
COMMANDS = list(
    dict.fromkeys(
        line.split("  #")[0].strip()
        for page in PAGES
        for block in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
        if line.strip() and not line.startswith("#")
    )
)
OURS = [command for command in COMMANDS if re.match(r"(\.venv/bin/)?assay ", command)]
HELP = [command for command in OURS if command.endswith(" --help") and len(command.split()) > 2]
INSTALLERS = [command for command in COMMANDS if command.startswith(("pipx ", "uvx "))]
"""Run by tests/functional/test_installing.py."""
SETTING_UP = [command for command in COMMANDS if command not in (*OURS, *INSTALLERS)]


def test_the_readme_holds_no_command_that_nothing_runs():
    kinds = r"make [a-z -]+|python3 -m (pip|venv) .+|export PATH=\$PWD/\.venv/bin:\$PATH"
    assert OURS
    assert INSTALLERS == ['pipx install ".[cli,scanners]"', 'uvx --from ".[cli]" assay validate ~/shop']
    assert [command for command in SETTING_UP if not re.fullmatch(kinds, command)] == []


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> RealRepository:
    """A small repository on a branch with one change, and one more that is not committed."""
    repository = RealRepository(tmp_path_factory.mktemp("readme") / "shop")
    repository.commit(
        "Start",
        {
            "README.md": "# A project\n",
            "shop/__init__.py": "",
            "shop/prices.py": "def price(amount):\n    return amount * 3\n",
            "shop/basket.py": "from shop.prices import price\n\ndef total(amounts):\n    return price(sum(amounts))\n",
            ".github/assay.yml": "tier3:\n  policy: narrow\n",
        },
    )
    repository.branch("topic")
    repository.commit("Ask more", {"shop/prices.py": "def price(amount):\n    return amount * 4\n"})
    repository.write("shop/prices.py", "def price(amount):\n    return amount * 5\n")
    return repository


@pytest.mark.parametrize("command", HELP)
def test_the_help_the_readme_names_is_there(command: str, capsys: pytest.CaptureFixture[str]):
    """Within this process: what the command line itself is, the other commands show."""
    assert run(shlex.split(command)[1:]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"Usage: assay {' '.join(shlex.split(command)[1:-1])} ")
    assert said.err == ""


@pytest.mark.parametrize("command", sampled([command for command in OURS if command not in HELP], 2))
def test_a_command_of_the_readme_works(command: str, changed: RealRepository):
    done = _bash(command.removeprefix(".venv/bin/"), changed.path)
    # 1 is a verdict too: the sample may be held. 2 and 3 would mean that the command itself is wrong.
    assert done.returncode in ((0, 1) if "assay validate" in command else (0,)), done.stderr
    assert "Traceback" not in done.stderr
    written = [changed.path / name for flag, name in _pairs(shlex.split(command)) if flag == "-o"]
    for path in written:
        assert path.stat().st_size > 0
        path.unlink()
    assert bool(done.stdout.strip()) is not bool(written)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_fresh_clone_is_set_up_as_the_readme_says_with_python_git_and_make_alone(tmp_path: Path):
    """`make test` itself is left out: it would run this suite inside this suite."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    path = _only(tmp_path / "bin", "python3 git make bash sh awk touch rm mkdir cat env find".split())
    for command in SETTING_UP:
        if command != "make test":
            apart = command.replace("~", str(tmp_path)).replace("pip install", f"pip install --target {tmp_path}/site")
            done = _bash(apart, clone, path)
            assert done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
    assert (clone / ".venv/bin/assay").is_file()


def _bash(command: str, folder: Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    path = path or os.pathsep.join([str(BIN), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "HOME": str(folder.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


def _only(folder: Path, programs: list[str]) -> str:
    """A PATH on which nothing but these programs is found."""
    folder.mkdir()
    for program in programs:
        found = Path(sys.base_prefix, "bin", program) if program.startswith("python") else shutil.which(program)
        assert found, program
        (folder / program).symlink_to(found)
    return str(folder)


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    return list(itertools.pairwise(words))
