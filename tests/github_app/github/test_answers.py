"""What an answer means: done, refused, to be asked again and when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github.client.answers import Answer, error_of, no_answer, wait_of
from assay.github.client.limits import BACK_OFF_S
from assay.github.errors import GithubRefused, GithubUnavailable, PermissionMissing, RateLimited

NOW = datetime(2026, 11, 22, 2, 0, tzinfo=UTC)
IN_12_MINUTES = str(int((NOW + timedelta(minutes=12)).timestamp()))
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}


def error(status: int, headers: dict[str, str] | None = None, data: object = None):
    return error_of(Answer(status, headers or {}, data), "POST /repos/acme/shop/check-runs", NOW)


def wait_s(status: int, headers: dict[str, str] | None = None, data: object = None, num_tried: int = 0) -> float:
    return wait_of(Answer(status, headers or {}, data), NOW, num_tried)


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_a_good_answer_is_no_error(status: int):
    assert error(status) is None


@pytest.mark.parametrize("status", [403, 429])
def test_retry_after_is_obeyed_to_the_second(status: int):
    found = error(status, {"retry-after": "17"}, SECONDARY)
    assert isinstance(found, RateLimited)
    assert found.retry_at == NOW + timedelta(seconds=17)


@pytest.mark.parametrize(
    ("headers", "data", "expected_s"),
    [
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": IN_12_MINUTES}, None, 12 * 60 + 1),
        ({}, SECONDARY, BACK_OFF_S),
    ],
    ids=["the reset of the hour", "no time"],
)
def test_a_limit_ends_when_github_says_or_after_a_minute(headers: dict[str, str], data: object, expected_s: float):
    assert isinstance(error(403, headers, data), RateLimited)
    assert wait_s(403, headers, data) == expected_s


@pytest.mark.parametrize("text", ["soon", "", "nan", "-5", "1e400", "Sun, 22 Nov 2026 02:00:30"])
def test_a_retry_after_that_makes_no_sense_never_means_a_wait_without_end(text: str):
    assert 0 <= wait_s(429, {"retry-after": text}) <= 24 * 3600


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
def test_a_server_in_trouble_may_recover(status: int):
    found = error(status)
    assert isinstance(found, GithubUnavailable)
    assert not isinstance(found, RateLimited)
    assert wait_s(status, num_tried=2) == 4


def test_a_broken_connection_has_its_kind_and_not_its_words():
    found = error_of(no_answer(ConnectionError("token ghs_secret in here")), "GET /x", NOW)
    assert "ConnectionError" in str(found)
    assert "ghs_secret" not in str(found)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422, 451, 301, 307])
def test_a_refusal_has_its_status(status: int):
    found = error(status, {}, {"message": "No"})
    assert isinstance(found, GithubRefused)
    assert found.status == status


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"x-accepted-github-permissions": "checks=write; contents=read"}, "checks: write and contents: read"),
        ({}, "a permission that GitHub does not name"),
    ],
)
def test_a_missing_permission_is_named_as_github_names_it(headers: dict[str, str], words: str):
    found = error(403, headers, {"message": "Resource not accessible by integration"})
    assert isinstance(found, PermissionMissing)
    assert words in str(found)


def test_another_403_is_no_missing_permission():
    found = error(403, {}, {"message": "Repository was archived so is read-only."})
    assert type(found) is GithubRefused
    assert "archived" in str(found)


def test_what_github_found_wrong_is_told():
    data = {
        "message": "Validation Failed",
        "errors": [{"resource": "Label", "field": "name", "code": "already_exists"}],
    }
    assert "Label name already_exists" in str(error(422, {}, data))


@given(st.text(max_size=2000))
def test_no_words_of_the_server_can_break_a_line_of_the_log(words: str):
    found = str(error(422, {}, {"message": words, "errors": [words, {"code": words}]}))
    assert found.isprintable()
    assert len(found) < 500


def test_the_last_request_of_the_hour_tells_when_the_next_may_be():
    reset = NOW + timedelta(minutes=3)
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(reset.timestamp()))}
    assert Answer(200, headers).exhausted_until == reset
    assert Answer(200, headers | {"x-ratelimit-remaining": "1"}).exhausted_until is None
    assert Answer(200, headers | {"x-ratelimit-reset": "never"}).exhausted_until is None
