"""Every file and line of a change is accounted for, whatever it is called and holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, FileStatus, lines_of, shown
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.examples import num_examples
from tests.repositories import RealRepository


def _change(
    repository: RealRepository, before: dict[str, str | bytes], after: dict[str, str | bytes | None]
) -> ChangeSet:
    repository.commit(files={name: text.encode() if isinstance(text, str) else text for name, text in before.items()})
    for path, content in after.items():
        target = repository.path / path
        if content is None:
            target.unlink()
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    repository.git("add", "-A")
    repository.git("commit", "-q", "--allow-empty", "-m", "change")
    with Repository(repository.path) as opened:
        return read_change(opened, "HEAD~1")


def _only(change: ChangeSet) -> ChangedFile:
    (file,) = change.files
    return file


def test_lines_put_in_and_taken_out_are_numbered(repository: RealRepository) -> None:
    file = _only(_change(repository, {"a.py": "1\n2\n3\n4\n5\n6\n"}, {"a.py": "1\nX\n3\n4\n6\n7\n8\n"}))
    assert file.added == {2: "X", 6: "7", 7: "8"}
    assert file.removed == {2: "2", 5: "5"}
    assert file.touches(2, 2)
    assert not file.touches(3, 3)
    assert file.touches(4, 5), "a line was taken out between them"


def test_an_addition_at_the_very_start_and_end(repository: RealRepository) -> None:
    file = _only(_change(repository, {"a": "m\n"}, {"a": "first\nm\nlast"}))
    assert file.added == {1: "first", 3: "last"}
    assert file.removed == {}


BODY = "".join(f"line_{i} = {i}\n" for i in range(30))


@pytest.mark.parametrize(
    ("old", "new", "is_added"),
    [
        ("x.txt", "x.py", True),
        ("data/rows.dat", "src/rows.js", True),
        ("ci.yml.disabled", ".github/workflows/ci.yml", True),
        ("templates/ci.yml", ".github/workflows/ci.yml", True),
        ("docs/example.py", "src/example.py", True),
        ("tests/loads.py", "src/loads.py", True),
        ("notes.md", "Dockerfile", True),
        ("src/a.py", "src/b.py", False),
        ("src/a.js", "src/a.ts", False),
        ("tests/test_a.py", "tests/test_b.py", False),
        ("src/a.py", "docs/a.txt", False),
        ("config/a.yml", "config/b.yml", False),
        (".github/workflows/a.yml", ".github/workflows/b.yml", False),
        ("notes.txt", "docs/notes.md", False),
    ],
)
def test_a_rename_that_turns_content_into_code_is_an_added_file(
    repository: RealRepository, old: str, new: str, is_added: bool
) -> None:
    body = BODY.encode()
    kept: dict[str, str | bytes] = {"docs/other.py": "1\n", "tests/test_other.py": "1\n"}
    change = _change(repository, {**kept, old: body}, {old: None, new: body})
    made = {file.path: (file.base_path, file.status, len(file.added), len(file.removed)) for file in change.files}
    if is_added:
        assert made == {old: (old, FileStatus.deleted, 0, 30), new: (None, FileStatus.added, 30, 0)}
    else:
        assert made == {new: (old, FileStatus.renamed, 0, 0)}


def test_a_rename_keeps_its_old_name(repository: RealRepository) -> None:
    body = "".join(f"line {i}\n" for i in range(30))
    file = _only(_change(repository, {"old.py": body}, {"old.py": None, "new.py": body + "more\n"}))
    assert (file.path, file.base_path, file.status) == ("new.py", "old.py", FileStatus.renamed)
    assert file.added == {31: "more"}


def test_a_deleted_and_an_added_file(repository: RealRepository) -> None:
    change = _change(repository, {"gone.py": "a\nb\n"}, {"gone.py": None, "new.py": "z\n"})
    assert {file.path: (file.status, len(file.added), len(file.removed)) for file in change.files} == {
        "gone.py": (FileStatus.deleted, 0, 2),
        "new.py": (FileStatus.added, 1, 0),
    }


def test_lines_that_look_like_a_patch_fool_nobody(repository: RealRepository) -> None:
    fake = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,3 @@\n-gone\n+here\n\\ No newline at end of file\n"
    change = _change(repository, {"a.txt": "start\n", "b.txt": "1\n"}, {"a.txt": "start\n" + fake, "b.txt": "2\n"})
    assert list(change.by_path["a.txt"].added.values()) == fake.splitlines()
    assert change.by_path["b.txt"].added == {1: "2"}


def test_an_empty_change_has_no_files(repository: RealRepository) -> None:
    assert _change(repository, {"a": "1"}, {}).files == ()


def test_a_first_commit_is_judged_against_nothing(repository: RealRepository) -> None:
    repository.commit(files={"a.py": "x = 1\n"})
    with Repository(repository.path) as opened:
        change = read_change(opened)
    assert change.base_name == "nothing (a first commit)"
    assert _only(change).status is FileStatus.added


def test_a_binary_file_and_one_too_large_are_told_apart(repository: RealRepository) -> None:
    change = _change(repository, {"a": "1"}, {"x.bin": b"\0\1\2" * 100, "big.txt": b"line\n" * 10_500_000})
    assert change.by_path["x.bin"].kind is FileKind.binary
    assert change.by_path["big.txt"].kind is FileKind.oversize, "52 MB"


def test_a_minified_line_is_one_line(repository: RealRepository) -> None:
    file = _only(_change(repository, {"a": "1"}, {"app.js": "var a=1;" * 200_000}))
    assert list(file.added) == [1]


def test_a_mode_change_alone_is_a_change(repository: RealRepository) -> None:
    repository.commit(files={"run.sh": "true\n"})
    (repository.path / "run.sh").chmod(0o755)
    repository.git("commit", "-qam", "mode")
    with Repository(repository.path) as opened:
        file = _only(read_change(opened, "HEAD~1"))
    assert (file.path, file.hunks) == ("run.sh", ())


def test_a_file_that_becomes_a_link_is_accounted_for(repository: RealRepository) -> None:
    repository.commit(files={"a.py": "x = 1\ny = 2\n", "z.py": "1\n"})
    (repository.path / "a.py").unlink()
    (repository.path / "a.py").symlink_to("/etc/passwd")
    (repository.path / "z.py").write_text("2\n")
    repository.git("commit", "-qam", "link")
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD~1")
    assert change.by_path["a.py"].status is FileStatus.type_changed
    assert change.by_path["z.py"].added == {1: "2"}


def test_a_submodule_is_listed_and_not_entered(repository: RealRepository) -> None:
    repository.commit(files={"a": "1"})
    commit = repository.git("rev-parse", "HEAD").strip()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    repository.git("commit", "-qm", "module")
    with Repository(repository.path) as opened:
        assert _only(read_change(opened, "HEAD~1")).kind is FileKind.submodule


HOSTILE = [
    "new\nline.py",
    'quo"te.py',
    "-rf.py",
    "tab\t.py",
    "b\\slash.py",
    "sp ace.py",
    "ü.py",
    "$(touch x).py",
    "a:b.py",
]


def test_hostile_file_names_are_read_as_they_are(repository: RealRepository) -> None:
    change = _change(repository, {"a": "1"}, dict.fromkeys(HOSTILE, "x = 1\n"))
    assert sorted(change.by_path) == sorted(HOSTILE)
    assert all(file.added == {1: "x = 1"} for file in change.files)


def test_a_name_that_is_no_text_is_read_and_shown(repository: RealRepository) -> None:
    repository.commit(files={"a": "1"})
    name = b"caf\xe9.py"
    Path(os.fsdecode(os.path.join(os.fsencode(repository.path), name))).write_text("x = 1\n")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "bytes")
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD~1")
        path = _only(change).path
        assert os.fsencode(path) == name
        assert change.head.read(path) == b"x = 1\n"
    assert shown(path) == '"caf\\351.py"'
    assert shown("caf\ud800.py") == '"caf\\355\\240\\200.py"', "a surrogate that stands for no byte"


@pytest.mark.soak
def test_the_default_base_is_the_branch_it_left(repository: RealRepository) -> None:
    repository.commit(files={"a": "1"})
    repository.branch("feature")
    repository.commit(files={"b": "1"})
    repository.commit(files={"c": "1"})
    with Repository(repository.path) as opened:
        change = read_change(opened)
        assert change.base_name == "main"
        assert sorted(change.by_path) == ["b", "c"]
        assert change.branch == "feature"
        repository.git("checkout", "-q", "main")
        repository.git("merge", "-q", "--ff-only", "feature")
        assert sorted(read_change(opened).by_path) == ["c"], "on the default branch: the last commit"


def test_work_that_landed_on_the_base_meanwhile_does_not_count(repository: RealRepository) -> None:
    repository.commit(files={"a": "1"})
    repository.branch("feature")
    repository.commit(files={"b": "1"})
    repository.git("checkout", "-q", "main")
    repository.commit(files={"other": "1"})
    with Repository(repository.path) as opened:
        assert [file.path for file in read_change(opened, "main", "feature").files] == ["b"]


TEXT = st.lists(st.text(alphabet="ab+-\\@ \t\r\x0c\u2028é", max_size=4), max_size=12)


@settings(
    max_examples=num_examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(before=TEXT, after=TEXT)
def test_taking_out_and_putting_in_gives_the_new_file(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str]
) -> None:
    repository = RealRepository(tmp_path_factory.mktemp("r") / "repository")
    old, new = "\n".join(before), "\n".join(after)
    change = _change(repository, {"f": old, "other": "1"}, {"f": new, "other": "2"})
    file = change.by_path.get("f")
    kept = [line for number, line in enumerate(lines_of(old), 1) if not file or number not in file.removed]
    rest = iter(kept)
    numbers = range(1, len(lines_of(new)) + 1)
    rebuilt = [file.added[number] if file and number in file.added else next(rest) for number in numbers]
    assert rebuilt == lines_of(new)
    assert next(rest, None) is None
