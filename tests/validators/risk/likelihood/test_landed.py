"""Reading what landed on a branch."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assay.validators.vcs.landed import past_contents
from assay.validators.vcs.repository import Repository
from tests.validators.risk.likelihood.histories import Commit, history_of, write_history


def test_changes_come_oldest_first_with_their_files(tmp_path: Path) -> None:
    ids = write_history(
        tmp_path / "r.git",
        [
            Commit({"a.py": "x = 1\n"}),
            Commit({"a.py": "x = 2\n", "b.md": "b\n"}, "Raise x", day=1),
            Commit({"a.py": None, "c.py": "x = 2\n"}, "Move a", day=2),
        ],
    )
    with Repository(tmp_path / "r.git") as repository:
        first, second, third = history_of(repository).landed(10)
    assert [first.sha, second.sha, third.sha] == ids
    assert first.files == ()
    assert [(file.path, file.base_path, file.exists) for file in second.files] == [
        ("a.py", "a.py", True),
        ("b.md", None, True),
    ]
    assert [(file.path, file.base_path) for file in third.files] == [("c.py", "a.py")]


def test_a_merge_has_the_title_and_author_of_its_branch(tmp_path: Path) -> None:
    start = Commit({"a.py": "x = 1\n"})
    branch = Commit({"a.py": "x = 2\n"}, "Fix x", author="Bo@example.org")
    path = tmp_path / "r.git"
    write_history(path, [start, branch])
    tip = _git(path, "rev-parse", "main")
    first = _git(path, "rev-parse", "main~1")
    message = "Merge pull request #7 from bo/x\n\nFix the value of x\n"
    identity = ("-c", "user.name=M", "-c", "user.email=m@example.org")
    merge = _git(path, *identity, "commit-tree", f"{tip}^{{tree}}", "-p", first, "-p", tip, "-m", message)
    with Repository(path) as repository:
        change = history_of(repository, merge).landed(1)[0]
    assert (change.title, change.author) == ("Fix the value of x", "bo@example.org")
    assert [file.path for file in change.files] == ["a.py"]


def test_separators_in_a_message_forge_nothing(tmp_path: Path) -> None:
    message = "Title \x01 \x02 x\n\n\x01" + "a" * 40 + "\x02\x02\x02"
    ids = write_history(tmp_path / "r.git", [Commit({"a.py": "x = 1\n"}), Commit({"a.py": "x = 2\n"}, message)])
    with Repository(tmp_path / "r.git") as repository:
        changes = history_of(repository).landed(10)
    assert [change.sha for change in changes] == ids
    assert changes[1].title == "Title \x01 \x02 x"


def test_content_that_looks_like_a_patch_forges_nothing(tmp_path: Path) -> None:
    forged = "x = 1\n" + "f" * 40 + "\ndiff --git a/z.py b/z.py\n--- a/z.py\n+++ b/z.py\n@@ -1 +1 @@\n+evil\n"
    write_history(tmp_path / "r.git", [Commit({"a.py": "x = 1\n"}), Commit({"a.py": forged})])
    with Repository(tmp_path / "r.git") as repository:
        history = history_of(repository)
        ((_, patches),) = history.patches(history.landed(10)[1:])
    assert patches is not None
    assert [patch.path for patch in patches] == ["a.py"]
    assert [line.decode() for hunk in patches[0].hunks for line in hunk.added] == forged.splitlines()[1:]


def test_missing_contents_cost_their_change_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.git"
    write_history(path, [Commit({"a.py": f"x = {at}\n"}, day=at) for at in range(4)])
    blob = _git(path, "rev-parse", "main~1:a.py")
    (path / "objects" / blob[:2] / blob[2:]).unlink()
    with Repository(path) as repository:
        history = history_of(repository)
        found = [patches is not None for _, patches in history.patches(history.landed(10)[1:])]
    # The lost content is the new side of the second change and the old side of the third.
    assert found == [True, False, False]


def test_white_space_alone_is_no_patch(tmp_path: Path) -> None:
    write_history(tmp_path / "r.git", [Commit({"a.py": "if x:\n  y = 1\n"}), Commit({"a.py": "if x:\n    y = 1\n"})])
    with Repository(tmp_path / "r.git") as repository:
        history = history_of(repository)
        ((_, patches),) = history.patches(history.landed(10)[1:])
    assert patches is not None
    assert not any(patch.hunks for patch in patches)


@pytest.mark.parametrize("name", ["ä ö.py", 'qu"ote.py', "tab\there.py"])
def test_odd_names_have_a_patch(tmp_path: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '\\"').replace("\t", "\\t") + '"'
    write_history(tmp_path / "r.git", [Commit({quoted: "x = 1\n"}), Commit({quoted: "x = 2\n"})])
    with Repository(tmp_path / "r.git") as repository:
        history = history_of(repository)
        change = history.landed(10)[1]
        ((_, patches),) = history.patches([change])
    assert patches is not None
    assert [patch.path for patch in patches] == [file.path for file in change.files] == [name]


def test_past_contents_are_those_of_source(tmp_path: Path) -> None:
    path = tmp_path / "r.git"
    write_history(path, [Commit({"a.py": "x = 1\n", "a.md": "a\n"}), Commit({"a.py": "x = 2\n", "a.md": "b\n"})])
    with Repository(path) as repository:
        found = list(past_contents(repository, repository.resolve("main")))
    assert sorted(found) == sorted([_git(path, "rev-parse", "main:a.py"), _git(path, "rev-parse", "main~1:a.py")])


def _git(path: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(path), *arguments], capture_output=True, check=True, text=True
    ).stdout.strip()
