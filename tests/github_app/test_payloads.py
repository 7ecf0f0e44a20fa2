"""Payloads of GitHub become facts, and hostile ones are refused rather than believed."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.github.errors import WebhookRefused
from assay.github.events import model
from assay.github.events.field_types import MOST_TEXT
from assay.github.events.github_json import pull_from, status_from
from assay.github.events.parse import ACTIONS, glance, parse
from tests.examples import num_examples
from tests.github_app.payload_examples import example, examples


def _parsed(event: str, payload: Any) -> model.Event | None:
    return parse(event, json.dumps(payload).encode(), "an-id")


def test_every_example_that_github_publishes_is_understood_or_ignored():
    kinds = Counter(type(_parsed(event, payload)).__name__ for event, payload in examples())
    assert sum(kinds.values()) == 329
    assert kinds == {
        "NoneType": 239,
        "PullRequestEvent": 19,
        "InstallationEvent": 10,
        "CheckRunEvent": 9,
        "CheckSuiteEvent": 9,
        "IssueCommentEvent": 9,
        "PushEvent": 7,
        "ReviewCommentEvent": 5,
        "WorkflowRunEvent": 5,
        "PingEvent": 4,
        "ReviewEvent": 4,
        "StatusEvent": 4,
        "ReviewThreadEvent": 3,
        "MergeGroupEvent": 2,
    }


def test_what_is_ignored_is_what_nobody_listens_to():
    for event, payload in examples():
        understood = event in ACTIONS and payload.get("action", "") in ACTIONS[event]
        assert (_parsed(event, payload) is not None) == understood, (event, payload.get("action"))


def test_a_pull_request_keeps_who_what_and_where():
    event = _parsed("pull_request", example("pull_request", "synchronize"))
    assert isinstance(event, model.PullRequestEvent)
    assert event.about.action == "synchronize"
    assert event.about.delivery_id == "an-id"
    assert event.about.repository is not None
    assert event.about.repository.full_name == "Codertocat/Hello-World"
    assert event.before == "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
    assert event.pull.author.login == "Codertocat"
    assert event.pull.created_at == datetime(2019, 5, 15, 15, 20, 33, tzinfo=UTC)
    assert not event.pull.is_fork


def test_a_deleted_account_is_a_ghost_and_a_deleted_fork_is_a_fork():
    payload = example("pull_request", "opened")
    payload["pull_request"]["user"] = None
    payload["pull_request"]["head"]["repo"] = None
    event = _parsed("pull_request", payload)
    assert isinstance(event, model.PullRequestEvent)
    assert event.pull.author.login == "ghost"
    assert event.pull.is_fork


def test_a_button_and_a_comment_of_our_own_app_are_recognised():
    button = _parsed("check_run", example("check_run", "requested_action"))
    assert isinstance(button, model.CheckRunEvent)
    assert button.button
    payload = example("issue_comment", "created")
    payload["comment"]["performed_via_github_app"] = {"id": 77, "slug": "assay"}
    comment = _parsed("issue_comment", payload)
    assert isinstance(comment, model.IssueCommentEvent)
    assert comment.comment.app_id == 77


@pytest.mark.parametrize(
    ("state", "status", "conclusion"),
    [("pending", "in_progress", None), ("error", "completed", "failure"), ("success", "completed", "success")],
)
def test_a_commit_status_reads_like_a_check(state: str, status: str, conclusion: str | None):
    check = status_from({"state": state, "context": "ci/build"}, "a" * 40)
    assert (check.status, check.conclusion, check.external_key) == (status, conclusion, "ci/build")


def test_a_line_comment_whose_line_is_gone_keeps_the_line_it_was_made_on():
    payload = example("pull_request_review_comment", "created")
    payload["comment"] |= {"line": None, "original_line": 12, "original_commit_id": "b" * 40}
    event = _parsed("pull_request_review_comment", payload)
    assert isinstance(event, model.ReviewCommentEvent)
    assert (event.comment.line, event.comment.commit_sha) == (12, "b" * 40)


@pytest.mark.parametrize("action", ["created", "deleted"])
def test_repositories_come_and_go_with_an_installation(action: str):
    event = _parsed("installation", example("installation", action))
    assert isinstance(event, model.InstallationEvent)
    assert bool(event.repositories_added) == (action == "created")
    assert bool(event.repositories_removed) == (action == "deleted")


def test_texts_are_cut_and_fit_a_database():
    payload = example("pull_request", "opened")
    payload["pull_request"] |= {"title": "nul\0and half a pair \ud83d", "body": "x" * (MOST_TEXT + 5)}
    pull = pull_from(payload["pull_request"])
    assert pull.title == "nul\ufffdand half a pair ?"
    assert len(pull.body) == MOST_TEXT


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("pull_request", "head", "sha"), "../../etc/passwd"),
        (("pull_request", "head", "sha"), "g" * 40),
        (("pull_request", "number"), 2**80),
        (("pull_request", "number"), -1),
        (("pull_request", "number"), None),
        (("repository", "full_name"), "owner/../../x"),
        (("repository", "full_name"), "owner/.."),
        (("repository", "full_name"), "owner/name\nforged log line"),
        (("pull_request", "head", "ref"), "x" * 5000),
        (("pull_request", "created_at"), "0001-01-01T00:00:00+14:00"),
        (("pull_request", "created_at"), "2026-01-01T00:00:00"),
    ],
)
def test_what_github_would_never_say_is_refused(place: tuple[str, ...], value: Any):
    payload = example("pull_request", "opened")
    inner = payload
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(WebhookRefused) as refused:
        _parsed("pull_request", payload)
    assert refused.value.status == 400
    assert "\n" not in str(refused.value)
    assert "passwd" not in str(refused.value)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b"9" * 10_000, b"NaN"]
)
def test_what_is_no_json_object_is_refused(body: bytes):
    for read in (glance, lambda body: parse("pull_request", body)):
        with pytest.raises(WebhookRefused):
            read(body)


def test_a_glance_finds_the_pull_request_where_there_is_just_one():
    assert glance(json.dumps(example("pull_request", "opened")).encode()).number == 2
    assert glance(json.dumps(example("check_run", "created")).encode()).number == 2
    assert glance(json.dumps(example("issue_comment", "created")).encode()).number is None
    assert glance(json.dumps(example("push")).encode()).number is None


_LISTENED = [(event, payload) for event, payload in examples() if event in ACTIONS]
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(_LISTENED), st.data())
@settings(max_examples=num_examples(200))
def test_a_payload_with_anything_in_any_place_is_read_or_refused(
    chosen: tuple[str, dict[str, Any]], data: st.DataObject
):
    event, payload = chosen
    payload = json.loads(json.dumps(payload))
    inner, keys = payload, data.draw(st.integers(1, 3))
    for _ in range(keys):
        key = data.draw(st.sampled_from(sorted(inner)))
        if keys > 1 and isinstance(inner[key], dict) and inner[key]:
            inner = inner[key]
    inner[key] = data.draw(_JSON)
    try:
        read = parse(event, json.dumps(payload).encode(), "id")
    except WebhookRefused:
        return
    assert read is None or read.about.event == event


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(body: bytes):
    for event in ACTIONS:
        with contextlib.suppress(WebhookRefused):
            parse(event, body)
