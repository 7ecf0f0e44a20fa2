"""The house keeps its own rules: layout, names, sizes, doors, registers, and who may know whom."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.registers import REGISTERS, Register

LINKS = {"github_app": "assay/github_app", "memory_eval": "assay/memory_eval", "validators": "assay/validators"}
FORBIDDEN_NAMES = set("utils helpers common core base misc manager service types models".split())
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


def test_no_file_has_a_name_that_says_nothing():
    stems = {path: path.stem for path in tracked("*.py") if "cases" not in path.parts}
    folders = {path: path.parent.name for path in stems}
    assert [path for path, stem in stems.items() if stem in FORBIDDEN_NAMES] == []
    assert [path for path, folder in folders.items() if folder in FORBIDDEN_NAMES] == []


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


@pytest.mark.parametrize("door", tracked("assay/**__init__.py"), ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_door_holds_nothing_but_names(door: Path):
    allowed = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.If)
    for node in ast.parse(door.read_text("utf-8")).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_lazy = isinstance(node, ast.FunctionDef) and node.name in {"__getattr__", "__dir__"}
        assert is_docstring or is_lazy or isinstance(node, allowed), f"{door}:{node.lineno}"


@pytest.mark.parametrize("door", DOORS)
def test_opening_a_door_loads_nothing_heavy(door: str):
    """Modules outside the standard library and `assay` that a bare import brings in: none."""
    loaded = _loaded_by(f"import {door}")
    assert loaded - {"assay", "editables"} == set()


@pytest.mark.parametrize("door", ["assay.validators", "assay.memory_eval"])
def test_using_everything_behind_a_door_brings_no_server(door: str):
    loaded = _loaded_by(f"import {door} as door\nfor name in dir(door): getattr(door, name)")
    assert loaded & WEB_AND_SCANNERS == set()
    if door == "assay.memory_eval":
        assert "networkx" not in loaded


@pytest.mark.parametrize("door", ["assay.validators", "assay.memory_eval"])
def test_a_door_shows_what_it_promises(door: str):
    module = importlib.import_module(door)
    promised = dir(module)
    assert promised
    assert [name for name in promised if not hasattr(module, name)] == []
    # A name shared with a file would mean the function or the file, whichever was touched first.
    files = {path.stem for path in Path(str(module.__file__)).parent.iterdir()}
    assert set(promised) & files == set()


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


# ------------------------------------------------------------------ registers


def test_every_register_is_looked_after_here():
    """A name in capitals in a `register.py` is a register."""
    written = set()
    for file in tracked("assay/**register.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            package = ".".join(file.parent.relative_to(ROOT).parts)
            written |= {(package, name) for name in names if name.isupper() and not name.startswith("_")}
    assert written == {(register.package, register.attribute) for register in REGISTERS}


@pytest.mark.parametrize("register", REGISTERS, ids=str)
def test_every_member_of_a_register_is_a_file_of_its_name(register: Register):
    missing = [key for key in register.names if register.file_of(key) not in register.files()]
    assert register.names
    assert missing == []


@pytest.mark.soak
@pytest.mark.parametrize("register", REGISTERS, ids=str)
def test_every_file_beside_a_register_is_a_member_or_serves_one(register: Register):
    members = {register.file_of(key) for key in register.names}
    for file in register.files() - members - {register.protocol}:
        assert register.is_used(file), f"{register}/{file}.py is neither registered nor used"


@pytest.mark.soak
@pytest.mark.parametrize("register", REGISTERS, ids=str)
def test_members_of_a_register_do_not_know_each_other(register: Register):
    members = {register.file_of(key) for key in register.names}
    acquainted = {(one, other) for one in members for other in register.imports_of(one) & members if one != other}
    assert acquainted == set()
