"""The commits to validate: in the workspace if all are there, else fetched; whatever the workspace's git says."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.action.environment.job import Job, read_job
from assay.action.environment.subject import Subject, SubjectKind
from assay.action.steps.commits import commits_of
from assay.github.errors import ActionMisused, CheckoutFailed
from assay.validators import Repository, holds_change
from tests.github_app.action.jobs import environment
from tests.repositories import RealRepository


@pytest.fixture
def ends(repository: RealRepository) -> tuple[str, str]:
    """Base and head of a change that parted a while ago."""
    repository.commit("Start", {"app.py": "x = 1\n", "logo.png": "no picture\n"})
    repository.branch("change")
    head = repository.commit("Change", {"app.py": "x = 2\n"})
    repository.switch("main")
    base = repository.commit("Meanwhile", {"other.py": "y = 1\n"})
    return base, head


@pytest.fixture
def hosted(github: Any, repository: RealRepository, ends: tuple[str, str]) -> Any:
    """The same on GitHub."""
    github.create_repository("shop")
    github.push(repository, "main")
    github.push(repository, "change")
    return github


def job_at(github: Any, folder: Path, **more: str) -> Job:
    token = github.job_token({"contents": "read"})
    there = {"API_URL": github.url, "SERVER_URL": github.url, "REPOSITORY_ID": str(github.repository_id())}
    return read_job(environment(folder, TOKEN=token, **{**there, **more}))


def job_alone(folder: Path, workspace: Path) -> Job:
    """A job that can reach nobody."""
    job = read_job(environment(folder, SERVER_URL="http://127.0.0.1:9", API_URL="http://127.0.0.1:9"))
    return replace(job, workspace=workspace)


def subject_between(ends: tuple[str, str], **more: Any) -> Subject:
    return Subject(*ends, "main", "change", 1, SubjectKind.pull, **more)


def validated_from(repository: Path, ends: tuple[str, str]) -> set[str]:
    with Repository(repository) as opened:
        assert opened.merge_base(*ends)
        return {path for path in opened.tree(ends[1]).paths if opened.tree(ends[1]).read(path) is not None}


def test_a_whole_checkout_is_read_where_it_is(repository: RealRepository, ends: tuple[str, str], tmp_path: Path):
    found = commits_of(subject_between(ends), job_alone(tmp_path, repository.path))
    assert found.repository == repository.path
    assert validated_from(found.repository, ends) == {"app.py", "logo.png"}


@pytest.mark.parametrize(
    "how", [("--depth=1",), ("--depth=50",), ("--filter=blob:none", "--no-checkout"), ("--single-branch",)]
)
def test_a_checkout_without_all_of_it_is_not_read(
    how: tuple[str, ...], hosted: Any, repository: RealRepository, ends: tuple[str, str], tmp_path: Path
):
    repository.git("--git-dir", str(hosted.bare()), "config", "uploadpack.allowFilter", "true")
    workspace = tmp_path / "clone"
    repository.git("clone", "--quiet", *how, f"file://{hosted.bare()}", str(workspace))
    job = replace(job_at(hosted, tmp_path), workspace=workspace)
    found = commits_of(subject_between(ends), job)
    assert found.repository.is_relative_to(job.work / "mirrors")
    with Repository(found.repository) as opened:
        assert opened.tree(ends[1]).read("app.py") == b"x = 2\n"


def test_a_job_that_only_publishes_believes_no_checkout(
    hosted: Any, repository: RealRepository, ends: tuple[str, str], tmp_path: Path
):
    # As a change can leave it on a runner that stays: other settings under the name of the base's own file.
    name = repository.git("rev-parse", f"{ends[0]}:app.py").strip()
    forged = repository.path / ".git/objects" / name[:2] / name[2:]
    forged.chmod(0o644)
    forged.write_bytes(zlib.compress(b"blob 4\0evil"))
    job = replace(job_at(hosted, tmp_path), workspace=repository.path)
    found = commits_of(subject_between(ends), job, from_checkout=False)
    assert found.repository.is_relative_to(job.work / "mirrors")
    with Repository(found.repository) as opened:
        assert opened.tree(ends[0]).read("app.py") == b"x = 1\n"


@pytest.mark.soak
def test_no_checkout_at_all_is_fetched_with_what_the_commands_need(hosted: Any, ends: tuple[str, str], tmp_path: Path):
    job = job_at(hosted, tmp_path)
    found = commits_of(subject_between(ends), job, everything=True)
    assert validated_from(found.repository, ends) == {"app.py", "logo.png"}
    with Repository(found.repository) as opened:
        assert holds_change(opened, *ends)
    written = b"".join(path.read_bytes() for path in found.repository.rglob("*") if path.is_file())
    assert job.token is not None
    assert job.token.encode() not in written


def test_a_folder_inside_some_other_repository_is_no_checkout(
    repository: RealRepository, ends: tuple[str, str], tmp_path: Path
):
    inside = repository.path / "sub"
    inside.mkdir()
    with pytest.raises(CheckoutFailed) as caught:
        commits_of(subject_between(ends), job_alone(tmp_path, inside))
    assert str(caught.value).startswith("acme/shop: ")
    assert "contents: read" in str(caught.value)


def test_what_the_checkout_says_of_itself_is_not_done(
    repository: RealRepository, ends: tuple[str, str], tmp_path: Path
):
    trap = tmp_path / "trap"
    for name in ("core.fsmonitor", "core.sshCommand", "diff.external", "core.pager", "uploadpack.packObjectsHook"):
        repository.git("config", name, f"touch {trap}; false")
    repository.git("config", "core.worktree", str(tmp_path))
    repository.git("config", "extensions.partialClone", "origin")
    repository.git("config", "remote.origin.url", f"ext::touch {trap}")
    found = commits_of(subject_between(ends), job_alone(tmp_path, repository.path))
    assert validated_from(found.repository, ends) == {"app.py", "logo.png"}
    assert not trap.exists()


@pytest.mark.soak
def test_names_are_looked_up_in_the_checkout(repository: RealRepository, ends: tuple[str, str], tmp_path: Path):
    repository.git("update-ref", "refs/remotes/origin/main", ends[0])
    repository.git("tag", "v1", ends[0])
    repository.git("branch", "-f", "newer", "change")
    for base, head in (("main", "change"), ("v1", ends[1]), ("main", "newer")):
        sha = head if head == ends[1] else ""
        found = commits_of(Subject("", sha, base, head), job_alone(tmp_path, repository.path))
        assert (found.subject.base_sha, found.subject.head_sha) == ends


def test_a_branch_is_what_github_had_by_its_name(repository: RealRepository, ends: tuple[str, str], tmp_path: Path):
    repository.git("update-ref", "refs/remotes/origin/main", ends[0])
    repository.git("tag", "main", ends[1])
    repository.git("update-ref", "refs/heads/main", f"{ends[0]}~1")
    found = commits_of(Subject("", ends[1], "main", "change"), job_alone(tmp_path, repository.path))
    assert found.subject.base_sha == ends[0]


@pytest.mark.soak
def test_names_are_looked_up_on_github_where_nothing_is_checked_out(hosted: Any, ends: tuple[str, str], tmp_path: Path):
    found = commits_of(Subject("", "", "main", "change"), job_at(hosted, tmp_path))
    assert (found.subject.base_sha, found.subject.head_sha) == ends


def test_a_name_nobody_knows_is_the_askers_mistake(hosted: Any, ends: tuple[str, str], tmp_path: Path):
    with pytest.raises(ActionMisused, match=r"action\.unknown-commit"):
        commits_of(Subject("", ends[1], "release/none", "change"), job_at(hosted, tmp_path))


@pytest.mark.soak
def test_commits_that_are_gone_could_not_be_had(hosted: Any, ends: tuple[str, str], tmp_path: Path):
    with pytest.raises(CheckoutFailed, match="no longer exists"):
        commits_of(replace(subject_between(ends), base_sha="d" * 40), job_at(hosted, tmp_path))
