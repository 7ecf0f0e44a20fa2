"""The button that commits the test of a finding to the head branch, on the tests' GitHub."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from assay.github.authority import NOTHING_DONE, TEST_COMMIT, makers
from assay.github.errors import GithubRefused
from assay.github.publish import COMMIT_TEST, PublishPolicy, RunFacts, committable_tests, publication_of
from assay.github_app.ops.permissions import FOR_PUBLISHING, FOR_TESTS
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes import record
from assay.validators import MOST_TEST_LINES, Demonstration, ModelReview, ValidationReport, Waiver, WaiverKind
from tests.github_app.publish.reports import failing, fine, held
from tests.github_app.rooms import Room
from tests.validators.render.sample import changed

PATH = "tests/test_app_0a1b2c3d.py"
TEXT = "from app import x\n\n\ndef test_x():\n    assert x == 2\n"
TEST = Demonstration("0123456789ab", PATH, TEXT, ("E  assert 1 == 2",))


def demonstrated(head: str, *tests: Demonstration) -> ValidationReport:
    return replace(fine(head), review=ModelReview("claude-opus-5-5", demonstrations=tests or (TEST,)))


def allowing(room: Room, *, is_allowed: bool) -> Settings:
    return room.context.settings.model_copy(update={"instruction_files": is_allowed})


def tip(room: Room, branch: str = "change") -> str:
    sha: str = room.github.get(f"/repos/{room.full_name}/git/ref/heads/{branch}")["object"]["sha"]
    return sha


def on_branch(room: Room, path: str = PATH) -> str:
    found = room.github.get(f"/repos/{room.full_name}/contents/{path}?ref={tip(room)}")
    return base64.b64decode(found["content"]).decode()


def commit(room: Room) -> Mapping[str, Any]:
    found: Mapping[str, Any] = room.github.get(f"/repos/{room.full_name}/git/commits/{tip(room)}")
    return found


def test_a_user_who_may_write_commits_the_test_on_top_of_the_head(room: Room):
    room.validated(demonstrated(room.head))
    reply = room.push_button("mary", COMMIT_TEST.identifier)
    assert f"Committed `{PATH}` as `{tip(room)[:12]}`" in reply
    assert on_branch(room) == TEXT
    assert on_branch(room, "app.py") == "x = 1\n", "the other files stay"
    made = commit(room)
    assert [one["sha"] for one in made["parents"]] == [room.head]
    assert made["message"].startswith(f"{TEST_COMMIT} (0123456789ab)\n")
    mary = room.github.get("/users/mary")["id"]
    assert f"Co-authored-by: mary <{mary}+mary@users.noreply.127.0.0.1>" in made["message"]


def test_all_tests_are_one_commit(room: Room):
    other = replace(TEST, finding="ba9876543210", path="test_other.py", text="def test():\n    assert False\n")
    room.validated(demonstrated(room.head, TEST, other))
    assert "`test_other.py`" in room.push_button("mary", COMMIT_TEST.identifier)
    assert (on_branch(room), on_branch(room, "test_other.py")) == (TEXT, other.text)
    assert [one["sha"] for one in commit(room)["parents"]] == [room.head]


@pytest.mark.parametrize("login", ["rick"])
def test_who_may_not_write_commits_nothing(room: Room, login: str):
    room.validated(demonstrated(room.head))
    assert NOTHING_DONE in room.push_button(login, COMMIT_TEST.identifier)
    assert tip(room) == room.head


def test_a_report_without_a_test_and_an_older_commit_commit_nothing(room: Room):
    room.validated(replace(failing(room.head), review=None))
    assert "no test to commit" in room.push_button("mary", COMMIT_TEST.identifier)
    old = room.head
    room.push({"app.py": "x = 2\n"})
    assert "older commit" in room.push_button("mary", COMMIT_TEST.identifier, head=old, delivery="two")
    assert tip(room) == room.head


def test_a_path_that_exists_or_is_below_a_link_is_not_written(room: Room):
    room.push({PATH: "mine = 1\n"})
    room.validated(demonstrated(room.head))
    assert f"`{PATH}` exists already" in room.push_button("mary", COMMIT_TEST.identifier)
    assert on_branch(room) == "mine = 1\n"
    room.repository.remove(PATH)
    (room.repository.path / "tests").rmdir()
    room.repository.link("tests", "/etc")
    room.push({"app.py": "x = 3\n"})
    room.validated(demonstrated(room.head))
    assert "exists already" in room.push_button("mary", COMMIT_TEST.identifier, delivery="two")
    assert tip(room) == room.head


def test_a_protected_branch_is_not_written(room: Room):
    room.github.require_checks("build", branch="change")
    room.validated(demonstrated(room.head))
    assert "`change` is protected" in room.push_button("mary", COMMIT_TEST.identifier)
    assert tip(room) == room.head


def test_nothing_is_committed_to_a_fork(room: Room):
    fork = room.github.fork("mary")
    room.repository.branch("theirs")
    head = room.repository.commit("Theirs", {"app.py": "x = 4\n"})
    room.github.push(room.repository, "theirs", repo=fork, by="mary")
    room.number, room.head = room.github.open_pull("theirs", by="mary", from_fork=fork), head
    record(room.heard("pull_request"), room.store, datetime.now(UTC))
    room.validated(demonstrated(head))
    assert "The branch is in a fork" in room.push_button("olivia", COMMIT_TEST.identifier)
    assert room.github.pull(room.number)["head"]["sha"] == head


def test_an_operator_who_allows_no_proposals_and_a_closed_pull_request(room: Room):
    room.validated(demonstrated(room.head))
    room.context = replace(room.context, settings=allowing(room, is_allowed=False))
    assert "does not let it write" in room.push_button("mary", COMMIT_TEST.identifier)
    room.context = replace(room.context, settings=allowing(room, is_allowed=True))
    room.github.close_pull(room.number)
    assert "closed" in room.push_button("mary", COMMIT_TEST.identifier, delivery="two")
    assert tip(room) == room.head


def test_a_head_that_moved_meanwhile_refuses_the_commit(room: Room):
    old = room.head
    room.push({"app.py": "x = 2\n"})
    with room.context.repo(room.repository_id, FOR_TESTS) as repo, pytest.raises(GithubRefused) as refused:
        repo.commit_files("change", old, {PATH: TEXT}, "Add a test")
    assert refused.value.status == 422
    assert tip(room) == room.head
    with room.context.repo(room.repository_id, FOR_PUBLISHING) as repo, pytest.raises(GithubRefused):
        repo.commit_files("change", room.head, {PATH: TEXT}, "Add a test")
    assert tip(room) == room.head


def test_who_pressed_and_who_made_the_commit_below_are_makers_of_the_head(room: Room):
    """Else a commit of the App would let them waive findings of their own change."""
    room.validated(demonstrated(room.head))
    room.push_button("mary", COMMIT_TEST.identifier)
    with room.context.repo(room.repository_id) as repo:
        before = repo.commits_of(room.number)
        made = commit(room)
        on_top = replace(before[-1], sha=made["sha"], message=made["message"], author=None, committer=None)
        pull = replace(room.pull(), head_sha=made["sha"])
    below = replace(before[-1], author=replace(pull.author, login="bob", id=99))
    found = makers(pull, [below, on_top], ())
    assert {"ada", "mary", "bob", "id:99"} <= set(found)
    assert "bob" not in makers(pull, [below, replace(on_top, message="Another change")], ())


# ------------------------------------------------------------------ where the button is


def buttons(room: Room, report: ValidationReport, **policy: Any) -> list[str]:
    given = PublishPolicy(is_app=True, **policy)
    shown = publication_of(report, room.pull(), given, run=RunFacts("x")).check.buttons
    return [one.identifier for one in shown]


def test_the_button_is_there_for_a_test_and_a_branch_that_may_be_written(room: Room):
    report = demonstrated(room.head)
    assert buttons(room, report, can_commit=True) == ["rerun", COMMIT_TEST.identifier]
    assert buttons(room, report) == ["rerun"]
    assert buttons(room, replace(report, review=None), can_commit=True) == ["rerun"]
    crowded = replace(held(room.head), review=report.review, blocking=failing(room.head).blocking)
    assert len(buttons(room, crowded, can_commit=True)) <= 3


@pytest.mark.parametrize(
    "test",
    [
        replace(TEST, text="x = 1\n" * MOST_TEST_LINES),
        replace(TEST, text="assert x == '\u202e'\n"),
        replace(TEST, text="x" * 20_001),
        replace(TEST, path="../test_x.py"),
        replace(TEST, path="/tests/test_x.py"),
        replace(TEST, path=".github/workflows/test_x.yml"),
        replace(TEST, path="tests/test x.py"),
    ],
    ids=["long", "invisible", "large", "parent", "absolute", "hidden", "blank"],
)
def test_only_what_the_report_shows_whole_can_be_committed(test: Demonstration):
    assert committable_tests(demonstrated("a" * 40, test)) == ()


def test_a_waived_finding_and_a_changed_file_have_no_test_to_commit():
    report = demonstrated("a" * 40)
    assert committable_tests(report) == (TEST,)
    waived = replace(report, waivers=(Waiver(TEST.finding, WaiverKind.fp, "mary", "no"),))
    assert committable_tests(waived) == ()
    assert committable_tests(replace(report, files=(changed(PATH),))) == ()
