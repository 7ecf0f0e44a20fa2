"""git reads for us, and nothing a repository asks for is run."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from assay.validators.configuration.loading import load_configuration
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import (
    GitFailed,
    NoCommits,
    NotARepository,
    ObjectMissing,
    ShallowHistory,
    UnknownRevision,
    UnrelatedHistories,
)
from assay.validators.report.model import Conclusion, RiskLevel, Tier
from assay.validators.run.pipeline import Options, validate
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import WORKTREE, Repository
from tests.repositories import RealRepository


def test_a_folder_outside_any_repository_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match=r"git\.not-a-repository"):
        Repository(tmp_path)
    with pytest.raises(NotARepository):
        Repository(tmp_path / "nowhere")


@pytest.mark.parametrize("revision", ["nope", "--upload-pack=touch x", "HEAD~9", "-x", "a b", "HEAD^{tree}", "", "\n"])
def test_an_unknown_revision_is_one_clear_line(repository: RealRepository, revision: str) -> None:
    repository.commit(files={"a": "1"})
    with Repository(repository.path) as opened, pytest.raises(UnknownRevision, match=r"git\.unknown-revision"):
        opened.resolve(revision)


def test_a_repository_without_a_commit_has_no_head(repository: RealRepository) -> None:
    with Repository(repository.path) as opened, pytest.raises(NoCommits):
        read_change(opened)


def test_unrelated_histories_are_told(repository: RealRepository) -> None:
    repository.commit(files={"a": "1"})
    repository.git("checkout", "-q", "--orphan", "other")
    repository.commit(files={"b": "1"})
    with Repository(repository.path) as opened, pytest.raises(UnrelatedHistories):
        read_change(opened, "main", "other")


def test_a_shallow_clone_says_how_to_deepen(repository: RealRepository, tmp_path: Path) -> None:
    repository.commit(files={"a": "1"})
    repository.branch("feature")
    repository.commit(files={"a": "2"})
    repository.commit(files={"a": "3"})
    repository.git("checkout", "-q", "main")
    repository.commit(files={"b": "2"})
    shallow = tmp_path / "shallow"
    repository.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{repository.path}", str(shallow))
    with Repository(shallow) as opened, pytest.raises(UnknownRevision, match="--unshallow"):
        opened.resolve("HEAD~5")
    with Repository(shallow) as opened, pytest.raises(ShallowHistory, match="--unshallow"):
        read_change(opened, "origin/main", "origin/feature")


def test_a_work_below_the_top_is_found(repository: RealRepository) -> None:
    repository.commit(files={"deep/er/a.py": "x = 1\n"})
    with Repository(repository.path / "deep" / "er") as opened:
        assert opened.root == repository.path
        assert opened.tree("HEAD").read("deep/er/a.py") == b"x = 1\n"


def test_a_linked_work_tree_is_read(repository: RealRepository, tmp_path: Path) -> None:
    repository.commit(files={"a.py": "x = 1\n"})
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", "-b", "other", str(linked))
    (linked / "a.py").write_text("x = 2\n")
    with Repository(linked) as opened:
        change = read_change(opened, "main", WORKTREE)
        assert change.head.read("a.py") == b"x = 2\n"


def test_nothing_the_repository_names_is_run(repository: RealRepository, tmp_path: Path) -> None:
    proof = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho $0 $* >> {proof}\ncat\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    repository.commit(files={"a.py": "x = 1\n", ".gitattributes": "*.py filter=evil diff=evil merge=evil\n"})
    repository.branch("feature")
    repository.commit(files={"a.py": "x = 2\n"})
    for key in (
        "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.alternateRefsCommand",
        "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge",
        "filter.evil.process", "gpg.program", "credential.helper", "uploadpack.packObjectsHook", "sequence.editor",
    ):  # fmt: skip
        repository.git("config", key, str(script))
    repository.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    (tmp_path / "hooks").mkdir()
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "post-commit", "fsmonitor-watchman"):
        (tmp_path / "hooks" / hook).symlink_to(script)
    (repository.path / "a.py").write_text("x = 3\n")
    (repository.path / "new.py").write_text("y = 1\n")
    proof.unlink(missing_ok=True)
    with Repository(repository.path) as opened:
        committed = read_change(opened, "main", "feature")
        uncommitted = read_change(opened, "main", WORKTREE)
        assert committed.head.read("a.py") == b"x = 2\n"
        assert uncommitted.head.read("a.py") == b"x = 3\n"
        for side, target in (("base", tmp_path / "one"), ("head", tmp_path / "two")):
            assert uncommitted.checkout is not None
            uncommitted.checkout(side, str(target))
        assert (tmp_path / "two" / "new.py").read_text() == "y = 1\n"
        assert opened.folder().read("a.py") == b"x = 3\n"
        assert committed.commits[0].message.strip()
    assert not proof.exists(), proof.read_text()


def test_attributes_of_the_change_hide_nothing(repository: RealRepository) -> None:
    repository.commit(files={"a.py": "x = 1\n"})
    repository.branch("feature")
    repository.commit(files={"a.py": "x = 2\n", ".gitattributes": "*.py -diff binary -text\n"})
    with Repository(repository.path) as opened:
        change = read_change(opened, "main", "feature")
        assert change.by_path["a.py"].added == {1: "x = 2"}


@pytest.mark.soak
def test_a_link_out_of_the_tree_is_not_followed(repository: RealRepository, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    repository.commit(files={"a.py": "x = 1\n"})
    (repository.path / "link.py").symlink_to(tmp_path / "secret")
    (repository.path / "folder").symlink_to(tmp_path)
    with Repository(repository.path) as opened:
        assert "link.py" not in opened.folder()
        change = read_change(opened, "HEAD", WORKTREE)
        assert str(change.by_path["link.py"].kind) == "symlink"
        assert change.head.read("link.py") is None
        assert change.head.read("folder/secret") is None


def test_a_pipe_in_the_work_tree_does_not_hang_us(repository: RealRepository) -> None:
    repository.commit(files={"a.py": "x = 1\n"})
    os.mkfifo(repository.path / "pipe.py")
    with Repository(repository.path) as opened:
        assert read_change(opened, "HEAD", WORKTREE).files == ()


def test_uncommitted_work_leaves_the_repository_as_it_was(repository: RealRepository) -> None:
    repository.commit(files={"a.py": "x = 1\n", ".gitignore": "*.log\n"})
    (repository.path / "b.py").write_text("y = 1\n")
    (repository.path / "x.log").write_text("noise\n")
    index = (repository.path / ".git" / "index").read_bytes()
    objects = sorted(path.name for path in (repository.path / ".git" / "objects").rglob("*"))
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD", WORKTREE)
        assert [file.path for file in change.files] == ["b.py"]
    assert (repository.path / ".git" / "index").read_bytes() == index
    assert sorted(path.name for path in (repository.path / ".git" / "objects").rglob("*")) == objects


def test_a_missing_object_is_told(repository: RealRepository) -> None:
    repository.commit(files={"a.py": "x = 1\n"})
    blob = repository.git("rev-parse", "HEAD:a.py").strip()
    victim = repository.path / ".git" / "objects" / blob[:2] / blob[2:]
    victim.unlink()
    with Repository(repository.path) as opened, pytest.raises(ObjectMissing, match=blob):
        opened.tree("HEAD").read("a.py")


def test_contents_a_partial_clone_lacks_beside_the_change_cost_only_themselves(repository: RealRepository) -> None:
    repository.commit(files={"a.py": "x = 1\n", "big.py": "y = 1\n", ".github/assay.yml": "mode: enforce\n"})
    repository.commit(files={"a.py": "import big\n"})
    _lose(repository, "big.py")
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD~1")
        report = validate(change, load_configuration(change.base).config, Options(tiers=(Tier.risk,)))
        assert [note.what for note in report.not_checked if "partial clone" in note.why] == ["big.py"]
        assert report.risk is not None
        _lose(repository, ".github/assay.yml")
        with pytest.raises(ObjectMissing):
            load_configuration(change.base)


@pytest.mark.parametrize(("lost", "num_added"), [("HEAD", 0), ("HEAD~1", 2)])
def test_a_changed_file_a_partial_clone_lacks_costs_only_itself(
    repository: RealRepository, lost: str, num_added: int
) -> None:
    repository.commit(files={"a.py": "x = 1\n", "b.py": "y = 1\n", "moved.py": "z = 1\n" * 9, "data.bin": b"\0\1"})
    repository.write("a.py", "x = 2\nw = 2\n")
    repository.write("b.py", "y = 2\n")
    repository.remove("moved.py")
    repository.write("there.py", "z = 1\n" * 9 + "z = 2\n")
    repository.commit(files={"data.bin": b"\0\2"})
    _lose(repository, "a.py", lost)
    _lose(repository, "data.bin", lost)
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD~1")
        report = validate(change, load_configuration(change.base).config, Options(tiers=(Tier.quality, Tier.risk)))
    files = change.by_path
    assert sorted(files) == ["a.py", "b.py", "data.bin", "there.py"]
    assert len(files["a.py"].added) == num_added
    assert files["b.py"].added == {1: "y = 2"}
    assert files["there.py"].base_path == "moved.py"
    assert [note.what for note in report.not_checked if "partial clone" in note.why] == ["a.py, data.bin"]
    assert report.risk is not None
    assert [one.file for one in report.risk.statements if one.signal == "unreadable_source"] == ["a.py"]
    assert report.risk.level is RiskLevel.critical
    assert "1 file could not be read" in report.title


@pytest.mark.soak
def test_a_tier_that_cannot_check_out_a_partial_clone_leaves_the_others_their_say(repository: RealRepository) -> None:
    repository.commit(files={"a.py": "x = 1\n", "Makefile": "test:\n\ttrue\n"})
    repository.commit(files={"a.py": "x = 2\n"})
    _lose(repository, "a.py")
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD~1")
        report = validate(change, ValidationConfig())
    assert report.risk is not None
    assert report.risk.level is RiskLevel.critical
    assert report.conclusion is not Conclusion.success


def _lose(repository: RealRepository, path: str, revision: str = "HEAD") -> None:
    blob = repository.git("rev-parse", f"{revision}:{path}").strip()
    (repository.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()


def test_a_checkout_knows_its_tags_and_history(repository: RealRepository, tmp_path: Path) -> None:
    repository.commit(files={"a.py": "x = 1\n"})
    repository.git("tag", "v1.0")
    repository.commit(files={"a.py": "x = 2\n"})
    with Repository(repository.path) as opened:
        change = read_change(opened)
        assert change.checkout is not None
        change.checkout("head", str(tmp_path / "tree"))
        inside = ("-C", str(tmp_path / "tree"))
        assert repository.git(*inside, "describe", "--tags").startswith("v1.0-1-")
        assert repository.git(*inside, "status", "--porcelain") == ""


def test_a_lost_commit_is_no_unrelated_history(repository: RealRepository) -> None:
    for number in range(3):
        repository.commit(files={"a.py": f"x = {number}\n"})
    head, before, lost = repository.git("log", "-3", "--format=%H").split()
    (repository.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with Repository(repository.path) as opened, pytest.raises(GitFailed):
        opened.merge_base(before, head)


def test_a_shallow_clone_can_be_checked_out(repository: RealRepository, tmp_path: Path) -> None:
    for number in range(3):
        repository.commit(files={"a.py": f"x = {number}\n"})
    repository.git("tag", "v1.0", "HEAD~1")
    repository.git("clone", "-q", "--depth=2", repository.path.as_uri(), str(tmp_path / "shallow"))
    with Repository(tmp_path / "shallow") as opened:
        assert opened.is_shallow
        opened.checkout(opened.resolve("HEAD"), str(tmp_path / "tree"))
        inside = ("-C", str(tmp_path / "tree"))
        assert len(repository.git(*inside, "log", "--format=%H").splitlines()) == 2
        assert repository.git(*inside, "describe", "--tags").startswith("v1.0-1-")
        assert (tmp_path / "tree/a.py").read_text() == "x = 2\n"


@pytest.mark.soak
def test_a_file_can_be_read_while_others_are_being_read(repository: RealRepository) -> None:
    repository.commit(files={f"f{number:03}": str(number) for number in range(300)})
    with Repository(repository.path) as opened:
        tree = opened.tree("HEAD")
        for path, content in tree.read_many(tree.paths):
            assert tree.read(path) == content
