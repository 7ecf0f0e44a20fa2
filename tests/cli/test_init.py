"""`assay init`: the files it writes, what it finds, the replay, and how it is undone."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.cli.adopting import files
from assay.cli.adopting.files import REPORT_WORKFLOW, WORKFLOW
from assay.cli.main import run
from assay.validators import CONFIGURATION, known_names, load_file
from tests.conftest import ROOT
from tests.repositories import RealRepository

COMMIT = "0123456789abcdef0123456789abcdef01234567"
USES = ("--uses", f"acme/assay@{COMMIT}")
SHOP = {"shop.py": "def price(n):\n    return n\n", "Makefile": "test:\n\tpython -m pytest -q\n"}
RULE = {
    ".github/assay.yml": """\
tier2:
  customRules:
    - {id: no-print, message: Do not print, severity: error, forbid: 'print\\(', paths: ['**/*.py']}
"""
}
BLOCK = re.compile(r"^```yaml\n# (\.github/workflows/\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def shop(repository: RealRepository) -> RealRepository:
    """Three changes, of which the second prints."""
    repository.commit("Start", SHOP)
    repository.commit("Say the price", {"shop.py": "def price(n):\n    print(n)\n    return n\n"})
    repository.commit("Add a note", {"README.md": "A shop.\n"})
    return repository


def init(shop: RealRepository, *words: str) -> int:
    return run(["init", str(shop.path), *words])


def uncomment(path: Path) -> None:
    lines = [re.sub(r"^# ?(?=\S)", "", line) for line in path.read_text().splitlines()[1:]]
    path.write_text("\n".join(re.sub(r"^#(?= )", "", line) for line in lines))


def test_it_writes_the_documented_workflows_and_a_configuration(shop: RealRepository, capsys: Any):
    assert init(shop, *USES, "--changes", "0") == 0
    documented = dict(BLOCK.findall((ROOT / "docs/action/index.md").read_text()))
    for name in (WORKFLOW, REPORT_WORKFLOW):
        _mark, _, text = (shop.path / name).read_text().partition("\n")
        assert text.replace("acme/assay", "OWNER/assay").replace("# v0.1.0", "# v1") == documented[name]
    assert "make test" in (shop.path / CONFIGURATION).read_text()
    capsys.readouterr()
    subprocess.run(["git", "add", "-A"], cwd=shop.path, check=True)
    assert run(["config", "check", str(shop.path / CONFIGURATION)]) == 0
    assert "fine" in capsys.readouterr().out


def test_the_commented_settings_are_valid_too(shop: RealRepository):
    assert init(shop, *USES, "--changes", "0") == 0
    path = shop.path / CONFIGURATION
    uncomment(path)
    assert "commands:" in path.read_text()
    assert run(["config", "check", str(path)]) == 0


def test_what_runs_only_if_it_is_named_is_named(repository: RealRepository, capsys: Any):
    repository.commit(files={"justfile": "test:\n    ./run\n", "a.txt": ""})
    assert init(repository, *USES, "--changes", "0") == 0
    assert "just test (justfile)" in capsys.readouterr().out
    assert "tier1: # the commands of every change" in (repository.path / CONFIGURATION).read_text().splitlines()[3]
    assert run(["config", "check", str(repository.path / CONFIGURATION)]) == 0


WEB = {"packages/web/package.json": '{"name": "web", "scripts": {"test": "node -e 0", "lint": "eslint ."}}'}
API = {
    "packages/api/pyproject.toml": '[project]\nname = "api"\nversion = "1"\n[tool.pytest.ini_options]\n',
    "packages/api/tests/test_a.py": "def test_a(): pass\n",
}
IN_WEB = [("packages/web", "npm run lint"), ("packages/web", "npm test")]
MANY = {f"libs/lib{n:02}/package.json": '{"scripts": {"test": "node -e 0"}}' for n in range(30)}
FOUND = {
    "two packages and nothing at the top": ({**WEB, **API}, [*IN_WEB, ("packages/api", "python -m pytest")]),
    "a command at the top too": ({**SHOP, **WEB}, [(".", "make test"), *IN_WEB]),
    "more packages than a change may touch": (MANY, [(name.rpartition("/")[0], "npm test") for name in MANY]),
    "control, the top covers its packages": (
        {**WEB, "package.json": '{"scripts": {"test": "node -e 0"}, "workspaces": ["packages/*"]}'},
        [(".", "npm test"), IN_WEB[0]],
    ),
    "control, an example is no project": ({f"examples/{name}": text for name, text in WEB.items()}, []),
}


@pytest.mark.parametrize(("tree", "found"), FOUND.values(), ids=FOUND)
def test_the_commands_are_those_of_every_project(
    repository: RealRepository,
    capsys: Any,
    monkeypatch: pytest.MonkeyPatch,
    tree: dict[str, str],
    found: list[tuple[str, str]],
):
    monkeypatch.setenv("COLUMNS", "160")
    repository.commit("Start", tree)
    assert init(repository, *USES, "--changes", "0") == 0
    said = capsys.readouterr().out
    rows = [re.split(r" {2,}", line.strip()) for line in said.splitlines()]
    assert sorted((row[0], row[2]) for row in rows if len(row) == 4 and row[0] != "project") == sorted(found)
    path = repository.path / CONFIGURATION
    uncomment(path)
    commands = load_file(path, known_names()).config.tier1.commands or ()
    named = [(".", one) if isinstance(one, str) else (one.directory, one.run) for one in commands]
    assert sorted(named) == sorted(found or [(".", "make test")])
    assert ("No command was found" in said) is (not found)


def test_it_says_why_nothing_or_little_is_replayed(repository: RealRepository, tmp_path: Path, capsys: Any):
    repository.commit("Start", SHOP)
    assert init(repository, *USES) == 0
    assert "No change was replayed: HEAD is a first commit" in capsys.readouterr().out
    for number in range(2):
        repository.commit("Change", {"shop.py": f"x = {number}\n"})
    repository.git("clone", "-q", "--depth=2", repository.path.as_uri(), str(tmp_path / "shallow"))
    assert run(["init", str(tmp_path / "shallow"), *USES]) == 0
    said = capsys.readouterr().out
    assert "about the last change (" in said
    assert "git fetch --unshallow" in said
    root = repository.git("rev-parse", "HEAD~2").strip()
    (repository.path / ".git/objects" / root[:2] / root[2:]).unlink()
    assert init(repository, *USES) == 0
    assert "No change was replayed: git.failed" in capsys.readouterr().out


def test_the_replay_shows_each_change_with_its_worst_finding(shop: RealRepository, capsys: Any, monkeypatch: Any):
    monkeypatch.setenv("COLUMNS", "160")
    shop.commit("Forbid printing", RULE)
    shop.commit("Print again", {"shop.py": "def price(n):\n    print(n)\n    print(n + 1)\n    return n\n"})
    assert init(shop, *USES) == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    at = next(number for number, line in enumerate(lines) if "Print again" in line)
    assert lines[at + 1].strip().startswith("error shop.py:3")
    (note,) = [line.split() for line in lines if "Add a note" in line]
    assert note[1:] == ["low", "Add", "a", "note"]
    assert "2 would fail" in said, "the first print too, under the rule of today"


def test_the_replay_and_the_hook_find_a_secret_without_semgrep(
    shop: RealRepository, capsys: Any, monkeypatch: pytest.MonkeyPatch
):
    """The environments of pipx and pre-commit have none."""
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("ASSAY_SEMGREP", "/absent/semgrep")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    command = [*hook["entry"].split()[1:], str(shop.path), "--base", "HEAD~1"]
    assert run(command) == 0
    shop.commit("Keep the key", {"keys.py": "KEY = 'gh" + "p_Zk3Q9vXw7LmN2pR5tY8uB1cD4eF6gH0jK2lM'\n"})
    assert run(command) == 1
    capsys.readouterr()
    assert init(shop, *USES) == 0
    said = capsys.readouterr().out
    assert "1 would fail" in said
    lines = said.splitlines()
    at = next(number for number, line in enumerate(lines) if "Keep the key" in line)
    assert lines[at].split()[1] == "high"
    assert lines[at + 1].strip().startswith("error keys.py:1")


def test_undo_removes_what_was_not_edited_and_the_folders_it_made(shop: RealRepository, capsys: Any):
    assert init(shop, *USES, "--changes", "0") == 0
    workflow = shop.path / WORKFLOW
    workflow.write_text(workflow.read_text() + "# mine\n")
    capsys.readouterr()
    assert init(shop, "--undo") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{WORKFLOW}: left, it was edited since",
        f"{REPORT_WORKFLOW}: removed",
        f"{CONFIGURATION}: removed",
    ]
    assert workflow.exists()
    workflow.unlink()
    assert init(shop, *USES, "--changes", "0") == 0
    assert init(shop, "--undo") == 0
    assert not (shop.path / ".github").exists()


def test_a_file_that_exists_is_kept(shop: RealRepository, capsys: Any):
    shop.commit("Have a workflow", {WORKFLOW: "name: mine\n"})
    assert init(shop, *USES, "--changes", "0") == 0
    assert f"{WORKFLOW}: kept, it was there before" in capsys.readouterr().out
    assert (shop.path / WORKFLOW).read_text() == "name: mine\n"
    assert init(shop, "--undo") == 0
    assert (shop.path / WORKFLOW).exists()


def test_for_the_app_there_is_no_workflow(shop: RealRepository):
    assert init(shop, "--app", "--changes", "0") == 0
    assert (shop.path / CONFIGURATION).exists()
    assert not (shop.path / WORKFLOW).exists()


def test_nothing_is_written_through_a_link(shop: RealRepository, tmp_path: Path, capsys: Any):
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop.path / ".github").symlink_to(outside)
    assert init(shop, *USES, "--changes", "0") == 2
    assert "link out of the repository" in capsys.readouterr().err
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("given", ["acme/assay", "assay@v1", "acme/assay@", "a/b/c@v1", "acme/assay@v1 x"])
def test_a_wrong_source_is_one_line(shop: RealRepository, capsys: Any, given: str):
    assert init(shop, "--uses", given) == 2
    assert "OWNER/REPOSITORY@COMMIT" in capsys.readouterr().err
    assert not (shop.path / ".github").exists()


@pytest.mark.parametrize(
    ("origin", "found"),
    [
        (
            {"url": "https://github.com/acme/assay.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            ("acme/assay", COMMIT),
        ),
        ({"url": "ssh://git@ghe.example.com/acme/assay", "vcs_info": {"commit_id": COMMIT}}, ("acme/assay", COMMIT)),
        ({"url": "file:///nowhere", "dir_info": {}}, None),
        ({"url": "https://example.com/assay-1.whl", "archive_info": {}}, None),
        ([], None),
        (None, None),
    ],
)
def test_the_source_is_where_this_assay_came_from(
    origin: Any, found: tuple[str, str] | None, monkeypatch: pytest.MonkeyPatch
):
    class Installed(Distribution):
        def read_text(self, filename: str) -> str | None:
            assert filename == "direct_url.json"
            return None if origin is None else json.dumps(origin)

        def locate_file(self, path: Any) -> Any:
            return path

    monkeypatch.setattr(files, "distribution", lambda _: Installed())
    source = files._installed_from()
    assert (source and (source.repository, source.ref)) == found


def test_of_a_clone_its_remote_and_commit_are_the_source(repository: RealRepository, monkeypatch: pytest.MonkeyPatch):
    head = repository.commit("Start", SHOP)
    repository.git("remote", "add", "origin", "git@github.com:acme/assay.git")
    source = files._checkout_at(repository.path)
    assert source == files.AssaySource("acme/assay", head)


def test_without_a_commit_or_a_repository_or_files_it_is_one_line(tmp_path: Path, capsys: Any):
    assert run(["init", str(tmp_path)]) == 2
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)
    assert run(["init", str(tmp_path / "new"), *USES]) == 2
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "bare")], check=True)
    assert run(["init", str(tmp_path / "bare"), *USES]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("assay: ") for line in lines)


def test_a_shallow_clone_replays_what_it_has(shop: RealRepository, tmp_path: Path, capsys: Any):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=2", shop.path.as_uri(), str(clone)], check=True)
    assert run(["init", str(clone), *USES]) == 0
    said = capsys.readouterr().out
    assert "Add a note" in said
    assert "Start" not in said


@pytest.mark.parametrize("command", ["echo \ud800", "make 'x\n# y: z'", "make \u2028test", "a" * 5000])
def test_a_hostile_command_stays_in_its_comment(command: str, tmp_path: Path):
    text = files.configuration([command])
    assert files.write_new(tmp_path, CONFIGURATION, text) is files.Written.written
    written = (tmp_path / CONFIGURATION).read_bytes().decode("ascii").splitlines()
    assert [line for line in written if line and not line.startswith("#")] == [text.splitlines()[0]]
    assert files.remove_unchanged(tmp_path, CONFIGURATION) is files.Written.removed


def test_what_stays_unknown_is_said_once_for_each_kind_of_file(shop: RealRepository, capsys: Any, monkeypatch: Any):
    monkeypatch.setenv("COLUMNS", "160")
    for number in range(2):
        shop.commit("Add Swift", {f"src/lib{number}.swift": f"func number() -> Int {{ {number} }}\n"})
    assert init(shop, *USES) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if " Swift: " in line]
    assert line.split()[0] == "2"
    assert "dependents" in line
    assert "public interface" in line
