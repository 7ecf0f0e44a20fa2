"""The house keeps its own rules: layout, sizes, one version, who may know whom, and what a start costs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

LINKS = {"github_app": "assay/github_app", "memory_eval": "assay/memory_eval", "validators": "assay/validators"}
MOST_LINES = 400
DOORS = ("assay.validators", "assay.github_app", "assay.memory_eval")
WEB_AND_SCANNERS = {"fastapi", "starlette", "uvicorn", "dbos", "sqlalchemy", "github", "semgrep", "bandit"}
ADDRESSES = [
    head + tail
    for head, tail in (
        ("pypi", ".org"),
        ("pythonhosted", ".org"),
        ("registry.npm", "js.org"),
        ("registry.yarn", "pkg.com"),
        ("static.crates", ".io"),
        ("index.crates", ".io"),
        ("proxy.go", "lang.org"),
        ("ruby", "gems.org"),
        ("repo.maven", ".apache.org"),
        ("repo1.maven", ".org"),
        ("packag", "ist.org"),
        ("api.nu", "get.org"),
    )
]


def tracked(*patterns: str) -> list[Path]:
    """The files git knows that still lie here."""
    done = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, check=True)
    return [path for name in done.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


def test_the_folders_at_the_top_are_relative_links_into_the_one_package():
    if not all((ROOT / link).is_symlink() for link in LINKS):
        pytest.skip("this checkout has no symbolic links (core.symlinks, or an archive)")
    for link, target in LINKS.items():
        assert (ROOT / link).is_symlink()
        assert (ROOT / link).readlink() == Path(target)
        assert (ROOT / link / "__init__.py").is_file()


def test_every_folder_of_code_is_a_package():
    """Without its `__init__.py` a folder would be imported all the same, but no import contract would see it."""
    folders = {path.parent for path in tracked("assay/**.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_every_file_fits_in_the_head():
    sizes = {path: len(path.read_text("utf-8").splitlines()) for path in tracked("assay/**.py", "tests/**.py")}
    assert {str(path.relative_to(ROOT)): size for path, size in sizes.items() if size > MOST_LINES} == {}


@pytest.mark.soak
def test_no_file_records_the_address_of_a_package_registry():
    for path in tracked():
        text = path.read_bytes().decode("utf-8", "replace")
        assert [address for address in ADDRESSES if address in text] == [], path


def test_the_rooms_know_only_whom_they_may():
    assert re.search(r"Contracts: \d+ kept, 0 broken", _agreed("lint-imports", "--no-cache"))


def _agreed(program: str, *arguments: str) -> str:
    """Run one of the tools of `make check`; it must be content."""
    command = [str(Path(sys.executable).parent / program), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def test_the_version_is_written_in_one_place():
    import assay

    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", assay.__version__)
    others = [path for path in tracked("assay/**.py", "pyproject.toml") if path.name != "__init__.py"]
    assert [path for path in others if f'"{assay.__version__}"' in path.read_text("utf-8")] == []


# ------------------------------------------------------------------ doors


@pytest.mark.parametrize("door", DOORS)
def test_opening_a_door_loads_nothing_heavy(door: str):
    """Modules outside the standard library and `assay` that a bare import brings in: none."""
    loaded = _loaded_by(f"import {door}")
    assert loaded - {"assay", "editables"} == set()


@pytest.mark.soak
@pytest.mark.parametrize("door", ["assay.validators", "assay.memory_eval"])
def test_using_everything_behind_a_door_brings_no_server(door: str):
    loaded = _loaded_by(f"import {door} as door\nfor name in dir(door): getattr(door, name)")
    assert loaded & WEB_AND_SCANNERS == set()
    if door == "assay.memory_eval":
        assert "networkx" not in loaded


def _loaded_by(code: str) -> set[str]:
    """The top-level names that Python had not loaded before, without the standard library's."""
    script = (
        "import json, sys\nbefore = set(sys.modules)\n"
        f"{code}\n"
        "names = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(json.dumps(sorted(names - sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name for name in json.loads(done.stdout) if not name.startswith(("_", "sitecustomize"))}
