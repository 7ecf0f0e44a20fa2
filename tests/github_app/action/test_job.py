"""The job the Action runs in, read from its environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.action.environment.job import read_job
from assay.github.errors import ActionMisused
from tests.github_app.action.jobs import environment


def test_a_job_is_read_with_its_files_and_folders(tmp_path: Path):
    job = read_job(environment(tmp_path, TOKEN="ghs_secret", API_URL="https://ghe.example.com/api/v3/"))
    assert (job.repository, job.repository_id, job.run_id, job.run_attempt) == ("acme/shop", 42, 900, 1)
    assert (job.event, job.actor, job.default_branch, job.name) == ("pull_request", "ada", "main", "assay")
    assert job.api_url == "https://ghe.example.com/api/v3"
    assert job.run_url == "https://github.com/acme/shop/actions/runs/900"
    assert job.clone_url == "https://github.com/acme/shop.git"
    assert (job.workspace, job.work) == (tmp_path / "workspace", tmp_path / "work")
    assert (job.output, job.summary) == (tmp_path / "output", tmp_path / "summary")


def test_no_secret_is_shown(tmp_path: Path):
    env = environment(tmp_path, TOKEN="ghs_secret") | {
        "ACTIONS_ID_TOKEN_REQUEST_URL": "https://run.example/token?v=2",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "id_secret",
    }
    job = read_job(env)
    assert (job.token, job.identity_request) == ("ghs_secret", "id_secret")
    assert "ghs_secret" not in repr(job)
    assert "id_secret" not in repr(job)
    with job.repo() as repo:
        assert (repo.full_name, repo.id) == ("acme/shop", 42)
        assert "ghs_secret" not in repr(repo)


def test_without_a_token_github_is_not_spoken_to(tmp_path: Path):
    job = read_job(environment(tmp_path))
    assert job.token is None
    with pytest.raises(ActionMisused, match=r"^action\.invalid-input: input token: "):
        job.repo()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EVENT", ""),
        ("EVENT", "pull_request\n::error::"),
        ("API_URL", "file:///etc"),
        ("API_URL", "https://user:word@api.github.com"),
        ("SERVER_URL", "github.com"),
        ("SERVER_URL", "https://git hub.com"),
        ("REPOSITORY", "acme"),
        ("REPOSITORY", "../shop"),
        ("REPOSITORY", "acme/.."),
        ("REPOSITORY", "acme/shop/more"),
        ("REPOSITORY_ID", "0"),
        ("REPOSITORY_ID", "-1"),
        ("RUN_ID", "1" * 19 + "9"),
        ("RUN_ID", "9" * 19),
        ("RUN_ATTEMPT", "\u0661"),
        ("ACTOR", "ada\nmallory"),
        ("WORK", ""),
        ("WORK", "work"),
        ("WORK", "/nowhere/at/all"),
    ],
)
def test_what_cannot_be_right_is_one_line(tmp_path: Path, name: str, value: str):
    with pytest.raises(ActionMisused, match=rf"^action\.invalid-input: ASSAY_ACTION_{name}: ") as caught:
        read_job(environment(tmp_path, **{name: value}))
    assert str(caught.value).isprintable()


def test_our_own_folder_is_no_link(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ActionMisused, match=r"^action\.invalid-input: ASSAY_ACTION_WORK: "):
        read_job(environment(tmp_path, WORK=str(tmp_path / "link")))


def test_a_wrong_token_is_not_quoted(tmp_path: Path):
    with pytest.raises(ActionMisused) as caught:
        read_job(environment(tmp_path, TOKEN="ghs_secret and more"))
    assert "secret" not in str(caught.value)


@given(name=st.sampled_from("EVENT API_URL SERVER_URL REPOSITORY RUN_ID ACTOR DEFAULT_BRANCH".split()), value=st.text())
def test_any_value_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, name: str, value: str):
    folder = tmp_path_factory.getbasetemp() / "job"
    folder.mkdir(exist_ok=True)
    try:
        said = read_job(environment(folder, **{name: value})).run_url
    except ActionMisused as misused:
        said = str(misused)
    assert said.isprintable()
