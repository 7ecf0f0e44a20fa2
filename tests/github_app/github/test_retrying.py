"""What an answer means: done, refused, to be asked again and when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github.client.limits import BACK_OFF_S
from assay.github.client.retrying import Answer, backoff_s, broken, exhausted_until, trouble_of
from assay.github.errors import GithubRefused, GithubUnavailable, PermissionMissing, RateLimited

NOW = datetime(2026, 11, 22, 2, 0, tzinfo=UTC)
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}


def trouble(status: int, headers: dict[str, str] | None = None, data: object = None, num_tried: int = 0):
    return trouble_of(Answer(status, headers or {}, data), "create the check run", "checks: write", NOW, num_tried)


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_a_good_answer_is_no_trouble(status: int):
    assert trouble(status) is None


@pytest.mark.parametrize("status", [403, 429])
def test_retry_after_is_obeyed_to_the_second(status: int):
    found = trouble(status, {"retry-after": "17"}, SECONDARY)
    assert found is not None
    assert found.wait_s == 17
    assert isinstance(found.error, RateLimited)
    assert found.error.retry_at == NOW + timedelta(seconds=17)
    assert found.is_undone


def test_a_date_in_retry_after_is_understood():
    found = trouble(429, {"retry-after": "Sun, 22 Nov 2026 02:00:30 GMT"})
    assert found is not None
    assert found.wait_s == 30


def test_without_retry_after_the_reset_of_the_hour_counts():
    reset = str(int((NOW + timedelta(minutes=12)).timestamp()))
    found = trouble(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset})
    assert found is not None
    assert found.wait_s == 12 * 60 + 1


def test_a_secondary_limit_without_a_word_about_time_waits_a_minute_and_then_longer():
    waits = [trouble(403, {}, SECONDARY, num_tried) for num_tried in range(3)]
    assert [one.wait_s for one in waits if one] == [BACK_OFF_S, 2 * BACK_OFF_S, 4 * BACK_OFF_S]


@pytest.mark.parametrize("text", ["soon", "", "nan", "-5", "1e400"])
def test_a_retry_after_that_makes_no_sense_never_means_a_wait_without_end(text: str):
    found = trouble(429, {"retry-after": text})
    assert found is not None
    assert found.wait_s is not None
    assert 0 <= found.wait_s <= 24 * 3600


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
def test_a_server_in_trouble_is_asked_again_but_a_write_may_have_been_done(status: int):
    found = trouble(status, {}, None, 2)
    assert found is not None
    assert isinstance(found.error, GithubUnavailable)
    assert found.wait_s == backoff_s(2) == 4
    assert not found.is_undone


def test_a_broken_connection_tells_its_kind_and_not_its_words():
    found = broken(ConnectionError("token ghs_secret in here"), "read the labels")
    assert "ConnectionError" in str(found.error)
    assert "ghs_secret" not in str(found.error)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422, 451, 301, 307])
def test_a_refusal_is_not_asked_again(status: int):
    found = trouble(status, {}, {"message": "No"})
    assert found is not None
    assert isinstance(found.error, GithubRefused)
    assert found.error.status == status
    assert found.wait_s is None


def test_a_missing_permission_is_named_as_github_names_it():
    headers = {"x-accepted-github-permissions": "checks=write; contents=read"}
    found = trouble(403, headers, {"message": "Resource not accessible by integration"})
    assert found is not None
    assert isinstance(found.error, PermissionMissing)
    assert "checks: write and contents: read" in str(found.error)


def test_a_missing_permission_is_named_by_us_where_github_does_not():
    found = trouble(403, {}, {"message": "Resource not accessible by integration"})
    assert found is not None
    assert "it needs the permission checks: write" in str(found.error)


def test_another_403_is_no_missing_permission():
    found = trouble(403, {}, {"message": "Repository was archived so is read-only."})
    assert found is not None
    assert type(found.error) is GithubRefused
    assert "archived" in str(found.error)


def test_what_github_found_wrong_is_told():
    data = {
        "message": "Validation Failed",
        "errors": [{"resource": "Label", "field": "name", "code": "already_exists"}],
    }
    found = trouble(422, {}, data)
    assert found is not None
    assert "Label name already_exists" in str(found.error)


@given(st.text(max_size=2000))
def test_no_words_of_the_server_can_break_a_line_of_the_log(words: str):
    found = trouble(422, {}, {"message": words, "errors": [words, {"code": words}]})
    assert found is not None
    assert str(found.error).isprintable()
    assert len(str(found.error)) < 500


def test_the_last_request_of_the_hour_tells_when_the_next_may_be():
    reset = NOW + timedelta(minutes=3)
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(reset.timestamp()))}
    assert exhausted_until(Answer(200, headers)) == reset
    assert exhausted_until(Answer(200, headers | {"x-ratelimit-remaining": "1"})) is None
    assert exhausted_until(Answer(200, headers | {"x-ratelimit-reset": "never"})) is None
