"""The limits are GitHub's own, and nothing of ours goes beyond them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github.client import Annotation, Button, CheckConclusion, CheckOutput, CheckStatus, Level, limits
from assay.github.client.endpoints.checks import batches, key_of
from assay.github.client.endpoints.conversation import LineNote
from assay.github.client.truncate import cut, cut_chars
from assay.github_app.ops.settings import Settings
from assay.validators.render import sarif
from tests.fakes.contract import description, operation
from tests.github_app.open_pull import OpenPull


def described(path: str, method: str = "post") -> dict[str, Any]:
    """What GitHub's description says of a request's body."""
    body = description()["paths"][path][method]["requestBody"]["content"]["application/json"]["schema"]
    return dict(body["properties"])


def test_the_limits_of_check_runs_are_those_of_githubs_description():
    found = described("/repos/{owner}/{repo}/check-runs")
    output = found["output"]["properties"]
    assert limits.MOST_OUTPUT_BYTES == output["summary"]["maxLength"] == output["text"]["maxLength"]
    assert output["annotations"]["maxItems"] == limits.ANNOTATIONS_PER_REQUEST
    annotation = output["annotations"]["items"]["properties"]
    assert f"{limits.MOST_ANNOTATION_BYTES // 1024} KB" in annotation["message"]["description"]
    assert f"{limits.MOST_TITLE} characters" in annotation["title"]["description"]
    assert found["actions"]["maxItems"] == limits.MOST_ACTIONS
    button = found["actions"]["items"]["properties"]
    assert button["label"]["maxLength"] == limits.MOST_ACTION_LABEL
    assert button["description"]["maxLength"] == limits.MOST_ACTION_DESCRIPTION
    assert button["identifier"]["maxLength"] == limits.MOST_ACTION_IDENTIFIER


@pytest.mark.parametrize(
    ("path", "method", "words"),
    [
        ("/repos/{owner}/{repo}/pulls/{pull_number}/files", "get", f"maximum of {limits.MOST_FILES_OF_A_PULL} files"),
        ("/repos/{owner}/{repo}/contents/{path}", "get", "1 MB or smaller: All features"),
        ("/repos/{owner}/{repo}/code-scanning/sarifs", "post", f"{sarif.MOST_RESULTS:,}"),
        ("/app/installations/{installation_id}/access_tokens", "post", "expire one hour from the time"),
    ],
)
def test_limits_told_in_words_are_still_told_so(path: str, method: str, words: str):
    assert words in description()["paths"][path][method]["description"]


def test_a_label_fits_what_github_describes():
    found = described("/repos/{owner}/{repo}/labels")["description"]["description"]
    assert "100 characters" in found


def test_other_rooms_keep_to_the_same_limits():
    assert Settings.model_fields["max_body_bytes"].default == 25 * 1024 * 1024, "GitHub caps payloads there"
    assert (limits.MOST_JOB_SUMMARY_BYTES, limits.MOST_WORKFLOW_WARNINGS) == (1024 * 1024, 10)


@given(st.text(max_size=400), st.integers(8, 300))
def test_text_is_cut_between_letters(text: str, most: int):
    for short in (cut(text, most), cut_chars(text, most)):
        assert short.encode("utf-8").decode("utf-8") == short
    assert len(cut(text, most).encode()) <= most
    assert len(cut_chars(text, most)) <= most
    if len(text.encode("utf-8", "replace")) <= most:
        assert cut(text, most) == text.encode("utf-8", "replace").decode()


def test_an_output_is_cut_on_its_way():
    output = CheckOutput(CheckStatus.completed, "t" * 999, "ü" * 70_000, "ü" * 70_000, CheckConclusion.success)
    body = output.content()
    assert limits.MOST_TITLE - 3 < len(body["title"].encode()) <= limits.MOST_TITLE
    assert len(body["summary"].encode()) <= limits.MOST_OUTPUT_BYTES
    assert len(body["text"].encode()) <= limits.MOST_OUTPUT_BYTES


def test_an_annotation_is_cut_on_its_way():
    body = Annotation("a.py", 9, 3, Level.notice, "t" * 999, "m" * 99_999).body()
    assert len(body["title"]) == limits.MOST_TITLE
    assert len(body["message"]) <= limits.MOST_ANNOTATION_BYTES
    assert body["end_line"] == body["start_line"] == 9


def test_a_note_is_cut_on_its_way():
    body = LineNote("a.py", 3, "ü" * 99_999, "id").body_on_wire()
    assert len(body["body"].encode()) <= limits.MOST_COMMENT_BYTES


@given(st.integers(0, 180))
def test_annotations_go_in_batches_and_those_that_stand_are_left_out(number: int):
    annotations = [Annotation("a.py", line, line, Level.notice, "t", "m") for line in range(1, number + 1)]
    groups = batches([*annotations, *annotations])
    assert [one["start_line"] for group in groups for one in group] == list(range(1, number + 1))
    assert all(len(group) <= limits.ANNOTATIONS_PER_REQUEST for group in groups)
    known = {key_of(one.body()) for one in annotations[::2]}
    assert sum(map(len, batches(annotations, known))) == number - len(known)


@pytest.mark.parametrize("texts", [("l" * 21, "d", "i"), ("l", "d" * 41, "i"), ("l", "d", "i" * 21), ("", "d", "i")])
def test_a_button_that_github_would_refuse_cannot_be_made(texts: tuple[str, str, str]):
    with pytest.raises(ValueError, match="a button's text"):
        Button(*texts)


def test_a_check_run_that_github_would_refuse_cannot_be_made():
    button = Button("l", "d", "i")
    with pytest.raises(ValueError, match="3 buttons"):
        CheckOutput(CheckStatus.in_progress, "t", "s", buttons=(button,) * 4)
    with pytest.raises(ValueError, match="conclusion"):
        CheckOutput(CheckStatus.completed, "t", "s")
    with pytest.raises(ValueError, match="conclusion"):
        CheckOutput(CheckStatus.in_progress, "t", "s", conclusion=CheckConclusion.success)


def test_every_limit_says_where_it_comes_from():
    source = limits.__file__ or ""
    with open(source, encoding="utf-8") as stream:
        text = stream.read()
    names = re.findall(r"^([A-Z][A-Z_0-9]+) = ", text, re.MULTILINE)
    told = re.findall(r'^([A-Z][A-Z_0-9]+) = [^\n]+\n"""(?:REST|Docs|The server|GitHub\'s|Chosen)', text, re.MULTILINE)
    assert names == told


def test_what_creates_content_is_what_githubs_description_warns_of(opened: OpenPull):
    repo, number, github = opened.repo, opened.number, opened.github
    asked: list[tuple[str, bool]] = []

    def note(act: Callable[[], object]) -> None:
        start, before = len(github.requests), len(repo._requester.pace._created)
        act()
        found = next(one for one in github.requests[start:] if one.method == "POST")
        asked.append((found.path, len(repo._requester.pace._created) > before))

    comment = repo.create_comment(number, "Hello")
    note(lambda: repo.create_comment(number, "Hello"))
    note(lambda: repo.react(comment, "eyes"))
    note(lambda: repo.create_check(opened.head, CheckOutput(CheckStatus.in_progress, "t", "s"), "assay:1"))
    note(lambda: repo.set_risk_label(number, "low"))
    note(lambda: repo.create_review(number, opened.head, "b", [LineNote("src/uploads/client.py", 3, "b", "id")]))
    line = repo.review_comments(number)[0]
    note(lambda: repo.reply_in_thread(number, line.id, "b"))
    for path, is_content in asked:
        described = operation("POST", path)
        assert described is not None
        assert ("too quickly" in described.described["description"]) is is_content, path
    assert Counter(is_content for _, is_content in asked) == {True: 3, False: 3}
