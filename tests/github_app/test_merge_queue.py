"""The merge queue: whose pull requests a group holds, and what is said of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.github.client import CheckConclusion, CheckOutput, CheckStatus, CommitFacts, Github
from assay.github.events.model import About, CheckFacts, MergeGroupEvent, RepositoryFacts
from assay.github_app.ops.settings import read_settings
from assay.github_app.runs.merge_queue import Group, Member, answer, carried, group_of, numbers_in
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Queues
from assay.github_app.store import RunState
from tests.github_app.remembering import store_at
from tests.repositories import RealRepository

SHA = "ab" * 20


def commit(message: str) -> CommitFacts:
    return CommitFacts(SHA, message, "ada", "ada@example.org")


def member(number: int, conclusion: str | None, title: str = "Low risk", status: str = "completed") -> Member:
    return Member(number, SHA, CheckFacts("check_run", "1", "Assay", SHA, status, conclusion, title=title))


@pytest.mark.parametrize(
    ("ref", "group"),
    [
        (f"refs/heads/gh-readonly-queue/main/pr-7-{SHA}", Group("main", 7)),
        (f"gh-readonly-queue/main/pr-7-{SHA}", Group("main", 7)),
        (f"refs/heads/gh-readonly-queue/release/v1/pr-12-{SHA}", Group("release/v1", 12)),
        (f"refs/heads/gh-readonly-queue/a/pr-1-{SHA}/pr-7-{SHA}", Group(f"a/pr-1-{SHA}", 7)),
        ("refs/heads/main", None),
        (f"refs/heads/x/gh-readonly-queue/main/pr-7-{SHA}", None),
        (f"refs/heads/gh-readonly-queue/main/pr-0-{SHA}", None),
        (f"refs/heads/gh-readonly-queue/main/pr-7-{SHA}\n", None),
        ("refs/heads/gh-readonly-queue/main/pr-7-xyz", None),
        ("", None),
    ],
)
def test_a_ref_of_the_queue_names_its_last_member(ref: str, group: Group | None):
    assert group_of(ref) == group


@pytest.mark.parametrize(
    ("messages", "numbers"),
    [
        (["Merge pull request #5 from a/b\n\nx", "Merge pull request #7 from a/b"], (5, 7)),
        (["Speed up (#5)", "Fix it (#7)\n\n* (#99)"], (5, 7)),
        (["Undo (#3) (#5)", "Fix it (#7)"], (5, 7)),
        (["Merge pull request #99 from a/b (#5)", "Fix it (#7)"], (99, 5, 7)),
        (["Fix it (#7)"], (7,)),
        ([], (7,)),
        (["A rebased commit", "Fix it (#7)"], None),
        (["#5 (5)", "Fix it (#7)"], None),
        (["Merge pull request #5x", "Fix it (#7)"], None),
    ],
)
def test_the_members_are_those_github_wrote_into_the_commits(messages: list[str], numbers: tuple[int, ...] | None):
    assert numbers_in(Group("main", 7), [commit(message) for message in messages]) == numbers


@pytest.mark.parametrize(
    ("conclusions", "worst"),
    [
        (["success"], "success"),
        (["success", "neutral"], "neutral"),
        (["action_required", "neutral", "success"], "action_required"),
        (["action_required", "failure"], "failure"),
        (["success", "cancelled"], None),
        (["success", None], None),
        ([], None),
    ],
)
def test_the_worst_verdict_is_carried_and_an_unknown_one_never(conclusions: list[str | None], worst: str | None):
    output = carried([member(number, conclusion) for number, conclusion in enumerate(conclusions, 1)])
    assert (output.conclusion if output else None) == worst


def test_a_run_that_could_not_look_is_no_verdict():
    assert carried([member(1, "failure", "Assay could not run · incident 7")]) is None


def test_what_is_carried_names_every_member_and_escapes_their_words():
    output = carried([member(5, "success"), member(7, "failure", "@all <b> #1")])
    assert output is not None
    assert output.title == "2 pull requests · #7: @all <b> #1"
    assert "- #5: success" in output.summary
    assert "<b>" not in output.summary


# ------------------------------------------------------------------ against the GitHub of the test bed


@pytest.fixture
def context(github: Any, tmp_path: Path) -> Iterator[Context]:
    (tmp_path / "data").mkdir()
    settings = read_settings(data_dir=tmp_path / "data", github_url=github.front.url, github_api_url=github.url)
    store = store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}")
    app = Github(github.app_id, github.private_key, github.url, seconds_between_writes=0)
    queues = Queues(settings.jobs_url())
    yield Context(store, app, settings, queues)
    queues.close()
    store.close()


def two_pulls(github: Any, repository: RealRepository) -> tuple[Any, list[int]]:
    repo = github.create_repository("shop")
    repository.commit("Start", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    github.push(repository, "main")
    numbers = []
    for name in ("a", "b"):
        repository.switch("main")
        repository.branch(f"change-{name}")
        repository.commit(f"Change {name}", {f"{name}.py": "z = 2\n"})
        github.push(repository, f"change-{name}")
        numbers.append(github.open_pull(f"change-{name}", by="ada", title=f"Change {name}"))
    return repo, numbers


def group_event(github: Any, context: Context, head: str) -> MergeGroupEvent:
    payload = github.delivery("merge_group", "checks_requested").payload
    at, facts = datetime.now(UTC), payload["repository"]
    repository = RepositoryFacts(facts["id"], facts["full_name"])
    context.store.repositories.put(repository, github.installation_id, at)
    group = payload["merge_group"]
    about = About("merge_group", "checks_requested", "d1", repository, github.installation_id, None)
    assert group["head_sha"] == head
    return MergeGroupEvent(about, head, group["head_ref"], group["base_sha"], group["base_ref"])


def concluded(github: Any, context: Context, event: MergeGroupEvent, number: int, conclusion: CheckConclusion) -> None:
    assert event.about.repository is not None
    with context.repo(event.about.repository.id) as repo:
        said = CheckOutput(CheckStatus.completed, f"Verdict of {number}", "", conclusion=conclusion)
        repo.create_check(repo.pull(number).head_sha, said, f"assay:{number}")


def test_a_group_gets_the_worst_verdict_of_its_members_at_once(
    github: Any, repository: RealRepository, context: Context
):
    _, numbers = two_pulls(github, repository)
    head = github.enqueue(*numbers)
    event = group_event(github, context, head)
    concluded(github, context, event, numbers[0], CheckConclusion.action_required)
    concluded(github, context, event, numbers[1], CheckConclusion.success)
    answer(event, context)
    answer(event, context)
    (run,) = github.check_runs(head, name="Assay")
    assert (run["conclusion"], run["status"]) == ("action_required", "completed")
    assert f"#{numbers[0]}: Verdict of {numbers[0]}" in run["output"]["title"]
    assert event.about.repository is not None
    row = context.store.runs.of_head(event.about.repository.id, None, head)
    assert row is not None
    assert row.state is RunState.completed


@pytest.mark.soak
def test_a_group_with_a_member_nobody_validated_is_validated_itself(
    github: Any, repository: RealRepository, context: Context
):
    _, numbers = two_pulls(github, repository)
    head = github.enqueue(*numbers)
    event = group_event(github, context, head)
    concluded(github, context, event, numbers[0], CheckConclusion.success)
    answer(event, context)
    (run,) = github.check_runs(head, name="Assay")
    assert run["status"] == "completed"
    assert "risk" in run["output"]["title"].lower()
    assert "2 files" in run["output"]["text"] or "Files changed: 2" in run["output"]["text"]


@pytest.mark.soak
def test_a_member_that_is_being_validated_again_has_no_verdict(
    github: Any, repository: RealRepository, context: Context
):
    """As after a change of the configuration: its check is still the one under the older one."""
    _, numbers = two_pulls(github, repository)
    head = github.enqueue(*numbers)
    event = group_event(github, context, head)
    assert event.about.repository is not None
    for number in numbers:
        concluded(github, context, event, number, CheckConclusion.success)
    with context.repo(event.about.repository.id) as repo:
        sha = repo.pull(numbers[0]).head_sha
    context.store.runs.begin(event.about.repository.id, numbers[0], sha, "configuration", datetime.now(UTC))
    answer(event, context)
    (run,) = github.check_runs(head, name="Assay")
    assert "Verdict of" not in run["output"]["title"]


@pytest.mark.system
def test_a_group_is_validated_under_the_tip_and_not_under_what_waits_before_it(
    github: Any, repository: RealRepository, context: Context
):
    _, numbers = two_pulls(github, repository)
    head = github.enqueue(numbers[1])
    event = group_event(github, context, head)
    repository.switch("main")
    repository.branch("waiting")
    laxer = repository.commit("Waits in the queue before it", {".github/assay.yml": "mode: stern\n"})
    github.push(repository, "waiting")
    answer(dataclasses.replace(event, base_sha=laxer), context)
    (run,) = github.check_runs(head, name="Assay")
    assert "risk" in run["output"]["title"].lower()
