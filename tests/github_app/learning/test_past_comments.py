"""Past review comments are read from a file of ours or of GitHub's, and a bad line is named by its number."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.learning.extract.past_comments import MOST_LINE_BYTES, BadLine, PastComment, read_past_comments

OURS = {"body": "use a constant", "author": "ada", "pull": 7}
GITHUBS = {
    "id": 12,
    "body": "use a constant",
    "user": {"login": "ada", "id": 3, "type": "User"},
    "pull_request_url": "https://api.github.com/repos/acme/shop/pulls/7",
    "html_url": "https://github.com/acme/shop/pull/7#discussion_r12",
    "path": "app.py",
    "created_at": "2026-01-02T03:04:05Z",
    "diff_hunk": "@@ -1 +1 @@\n+x = 5",
    "reactions": {"total_count": 0},
}


def read(folder: Path, *lines: Any) -> list[PastComment]:
    file = folder / "past.jsonl"
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return list(read_past_comments(file))


def test_both_forms_say_the_same(tmp_path: Path):
    ours, githubs = read(tmp_path, OURS, GITHUBS)
    assert ours == PastComment(body="use a constant", author="ada", pull=7)
    assert (githubs.body, githubs.author, githubs.pull, githubs.is_by_bot) == ("use a constant", "ada", 7, False)
    assert githubs.created_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert (githubs.path, githubs.diff_hunk) == ("app.py", "@@ -1 +1 @@\n+x = 5")
    assert githubs.url == "https://github.com/acme/shop/pull/7#discussion_r12"


@pytest.mark.parametrize(
    "change",
    [
        {"user": {"login": "renovate[bot]", "type": "User"}},
        {"user": {"login": "copilot", "type": "Bot"}},
        {"performed_via_github_app": {"id": 3}},
    ],
    ids=["by its name", "by its type", "through an App"],
)
def test_a_machine_is_known(tmp_path: Path, change: dict[str, Any]):
    assert read(tmp_path, GITHUBS | change)[0].is_by_bot


def test_a_deleted_account_and_an_empty_comment_are_read(tmp_path: Path):
    (comment,) = read(tmp_path, GITHUBS | {"user": None, "body": None})
    assert (comment.author, comment.body) == ("ghost", "")


def test_what_is_no_web_address_is_not_shown_as_one(tmp_path: Path):
    assert read(tmp_path, OURS | {"url": "javascript:alert(1)"})[0].url is None
    for url in ("javascript:alert(1)", "https://a.example)\n# Heading"):
        assert read(tmp_path, GITHUBS | {"html_url": url})[0].url is None


def test_empty_lines_are_passed_over_and_still_counted(tmp_path: Path):
    assert len(read(tmp_path, OURS, "", OURS)) == 2
    with pytest.raises(BadLine, match="line 3: body"):
        read(tmp_path, OURS, "", {"author": "ada", "pull": 7})


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[1, 2", "it is not JSON"),
        ('{"body": "x", "body": "y"}', "duplicate key"),
        ("[]", "the line"),
        ({**OURS, "pull": "7"}, "pull"),
        ({**OURS, "pull": -1}, "pull"),
        ({**OURS, "author": ""}, "author"),
        ({**OURS, "created_at": "yesterday"}, "created_at"),
        ({**GITHUBS, "pull_request_url": "https://api.github.com/repos/acme/shop/issues/7"}, "pull_request_url"),
        ('"' + "x" * MOST_LINE_BYTES + '"', "longer than"),
    ],
    ids=["broken", "twice", "a list", "a text", "below none", "nobody", "no time", "an issue", "too long"],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: Any, why: str):
    with pytest.raises(BadLine, match=f"line 2: .*{why}") as bad:
        read(tmp_path, OURS, line)
    assert bad.value.number == 2


@given(st.binary(max_size=300))
def test_whatever_stands_in_a_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    file = tmp_path_factory.mktemp("past") / "past.jsonl"
    file.write_bytes(data)
    number = 1
    try:
        assert all(isinstance(one, PastComment) for one in read_past_comments(file))
    except BadLine as bad:
        number = bad.number
    assert 1 <= number <= data.count(b"\n") + 1


def test_a_mark_at_the_beginning_of_the_file_and_other_line_ends_are_read_over(tmp_path: Path):
    file = tmp_path / "past.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(OURS).encode() + b"\r\n" + json.dumps(OURS).encode() + b"\r\n")
    assert [one.body for one in read_past_comments(file)] == ["use a constant"] * 2
