"""A repository's past, read from GitHub's lists: on the fake GitHub, and from answers that hold nonsense."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github.client import Github, Repo
from assay.github.client.endpoints.pulls import changed_ranges
from assay.github.errors import GithubRefused, GithubUnavailable
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.provenance.instructions import instructions_of
from assay.validators import Repository
from tests.github_app.github.scripted import Reply, Scripted
from tests.github_app.open_pull import OpenPull

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def reader(opened: OpenPull, app: Github) -> Repo:
    """The way in for looking things up."""
    github = opened.github
    return app.repository(github.installation_id, github.repository_id(), opened.full_name, permissions=FOR_READING)


@pytest.fixture
def told() -> Iterator[tuple[Scripted, Repo]]:
    """A GitHub that says whatever the test wrote down."""
    server = Scripted()
    yield server, Repo.from_token("t", "acme/shop", server.url)
    server.close()


def test_pushes_have_the_time_they_were_made(opened: OpenPull, reader: Repo):
    with opened.github.at(AT):
        head = opened.repository.commit("More", {"more.py": "x = 1\n"})
        opened.github.push(opened.repository, "change", by="ada")
    pushes = reader.pushes("change")
    assert [push.after for push in pushes] == [head, opened.head], "in order of time"
    assert (pushes[0].before, pushes[0].at, pushes[1].before) == (opened.head, AT, None)
    assert reader.pushes("nowhere") == ()


@pytest.mark.soak
def test_a_timeline_and_threads_tell_what_was_done(opened: OpenPull, reader: Repo):
    github, number = opened.github, opened.number
    with github.at(AT):
        github.mark_draft(number)
    review = github.review(number, "COMMENT", "", [{"path": "src/uploads/client.py", "line": 1, "body": "Why?"}])
    (comment,) = github.get(f"/repos/{opened.full_name}/pulls/{number}/reviews/{review}/comments")
    assert [thread.is_resolved for thread in reader.threads(number)] == [False]
    github.resolve(number, comment["id"])
    (thread,) = reader.threads(number)
    assert (thread.is_resolved, thread.comment_ids) == (True, (comment["id"],))
    events = {event.what: event for event in reader.timeline(number)}
    assert events["committed"].sha == opened.head
    assert events["convert_to_draft"].at == AT
    with pytest.raises(GithubRefused):
        reader.threads(99)


@pytest.mark.soak
def test_every_pull_request_since_then_and_no_older_one(opened: OpenPull, reader: Repo):
    with opened.github.at(AT):
        opened.github.edit_pull(opened.number, title="Old now")
    since = AT + timedelta(seconds=1)
    assert list(reader.pulls_since(since)) == []
    opened.github.close_pull(opened.number)
    (found,) = reader.pulls_since(since)
    assert (found.number, found.state) == (opened.number, "closed")


@pytest.mark.soak
def test_the_lines_a_change_takes_out_and_puts_in(opened: OpenPull, reader: Repo):
    (file,) = [one for one in reader.files(opened.number) if one.path == "src/uploads/client.py"]
    assert (file.removed, file.added) == ((), ((1, 300),))
    assert file.base_path == file.path
    assert [one.sha for one in reader.commits_since("main", AT - timedelta(days=4000))]
    assert list(reader.commits_since("main", datetime(2099, 1, 1, tzinfo=UTC))) == []


def test_a_tree_read_from_github_has_the_instructions_a_checkout_has(opened: OpenPull, reader: Repo):
    files = {"AGENTS.md": "Be kind.\n", "docs/CLAUDE.md": "Be brief.\n", "a.py": "x = 1\n"}
    opened.repository.link("CLAUDE.md", "AGENTS.md")
    head = opened.repository.commit("Instruct", files)
    opened.github.push(opened.repository, "change", by="ada")
    known: dict[str, bytes | None] = {}
    tree = reader.tree(head, known)
    assert tree is not None
    with Repository(opened.repository.path) as repository:
        assert instructions_of(tree) == instructions_of(repository.tree(head))
    assert len(known) == 2, "nothing is read that nobody wanted"
    assert ("CLAUDE.md" in tree, tree.is_link("CLAUDE.md"), tree.read("CLAUDE.md")) == (False, True, None)
    assert tree.read("AGENTS.md", 3) is None
    assert reader.tree("0" * 40, known) is None


@pytest.mark.parametrize(
    ("ask", "data"),
    [
        (lambda repo: repo.pushes("main"), [{"after": "a" * 40, "timestamp": "yesterday"}]),
        (lambda repo: repo.pushes("main"), [{"after": "a" * 40}]),
        (lambda repo: repo.pushes("main"), [{"after": "nonsense", "timestamp": "2026-03-02T09:00:00Z"}]),
        (lambda repo: repo.timeline(7), [3]),
        (lambda repo: repo.timeline(7), [{"event": "committed", "sha": "a" * 40}]),
        (lambda repo: repo.timeline(7), [{"event": "closed", "created_at": "2026-03-02T09:00:00"}]),
        (lambda repo: repo.threads(7), {"data": {"repository": None}}),
        (lambda repo: repo.threads(7), {"data": {"repository": {"pullRequest": {"reviewThreads": {"nodes": [{}]}}}}}),
        (lambda repo: repo.files(7), [{"patch": "@@"}]),
        (lambda repo: list(repo.commits_since("main", AT)), [{"sha": "a" * 40, "commit": {}}]),
        (lambda repo: repo.tree("a" * 40, {}), {"tree": [{"path": "x"}]}),
        (lambda repo: repo.facts(), {"id": "x"}),
    ],
)
def test_an_answer_that_is_not_what_github_describes_is_none(told: tuple[Scripted, Repo], ask: Any, data: Any):
    server, repo = told
    server.script.append(Reply(200, data))
    with pytest.raises(GithubUnavailable):
        ask(repo)


def test_what_has_nothing_to_say_is_passed_over(told: tuple[Scripted, Repo]):
    server, repo = told
    gone = {"before": "a" * 40, "after": "0" * 40, "timestamp": "2026-03-02T09:00:00Z"}
    server.script.append(Reply(200, [gone]))
    assert repo.pushes("main") == ()
    server.script.append(Reply(404, {"message": "Not Found"}))
    assert repo.pushes("main") == (), "an older Enterprise Server knows no activity"
    server.script.append(Reply(200, [{"event": "reviewed", "submitted_at": "2026-03-02T09:00:00Z"}]))
    assert repo.timeline(7) == ()
    server.script.append(Reply(200, {"truncated": True, "tree": []}))
    assert repo.tree("a" * 40, {}) is None


def test_threads_come_page_by_page_and_never_in_circles(told: tuple[Scripted, Repo]):
    server, repo = told

    def page(number: int, cursor: str) -> Reply:
        node = {"id": f"T{number}", "isResolved": True, "comments": {"nodes": [{"databaseId": number}, {}]}}
        threads = {"pageInfo": {"hasNextPage": True, "endCursor": cursor}, "nodes": [node]}
        return Reply(200, {"data": {"repository": {"pullRequest": {"reviewThreads": threads}}}})

    server.script.extend([page(1, "a"), page(2, "b"), page(3, "b")])
    assert [thread.comment_ids for thread in repo.threads(7)] == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    ("patch", "removed", "added"),
    [
        ("", (), ()),
        ("@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d", ((2, 2),), ((2, 3),)),
        ("@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file", (), ((1, 2),)),
        ("@@ -10 +10 @@ def f():\n-x\n+y\n@@ -20,3 +20,2 @@\n a\n-b\n c", ((10, 10), (21, 21)), ((10, 10),)),
        ("no patch at all\n+a", (), ()),
    ],
)
def test_ranges_of_a_patch(patch: str, removed: Any, added: Any):
    assert changed_ranges(patch) == (removed, added)


@pytest.mark.soak
@given(st.text(alphabet="@-+ ,0123456789\nab", max_size=200))
def test_any_patch_is_read(patch: str):
    for ranges in changed_ranges(patch):
        assert all(first <= last for first, last in ranges)
