"""The one way to GitHub, against a server that misbehaves to order."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from github.Auth import Token
from github.Repository import Repository

from assay.github.client import Clock, Pace, credentials_of
from assay.github.client.endpoints.repository_client import if_found
from assay.github.client.limits import PER_PAGE
from assay.github.client.requester import MOST_TRIES, GithubRequester, Page, quoted
from assay.github.errors import GithubRefused, GithubUnavailable, PermissionMissing, RateLimited
from tests.github_app.github.scripted import Reply, Scripted

SECRET = "ghs_this-must-never-be-seen"


@pytest.fixture
def server() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def requester(server: Scripted, slept: list[float]) -> Iterator[GithubRequester]:
    with closing(to(server.url, slept)) as requester:
        yield requester


def to(url: str, slept: list[float], timeout_s: int = 1) -> GithubRequester:
    pace = Pace(Clock(sleep=slept.append), seconds_between_writes=0)
    return GithubRequester(url, Token(SECRET), pace, timeout_s=timeout_s)


@pytest.mark.parametrize(
    "bad",
    [
        Reply(502, {"message": "Server Error"}),
        Reply(500, raw=b"<html>Unicorn!</html>"),
        Reply(200, {"a": "b" * 100}, broken="half"),
        Reply(broken="reset"),
        Reply(broken="silent"),
        Reply(200, raw=b'{"cut": '),
        Reply(200, raw=b"\xff\xfe not text"),
        Reply(429, {"message": "slow down"}, {"retry-after": "0"}),
    ],
    ids=["502", "html", "half-closed", "reset", "time-out", "cut-json", "not-text", "429"],
)
def test_reading_survives_a_bad_moment(server: Scripted, requester: GithubRequester, bad: Reply):
    server.will(bad, Reply(200, {"fine": True}))
    assert requester.get("/x") == {"fine": True}
    assert len(server.asked) == 2


def test_reading_gives_up_after_a_few_tries_with_longer_waits_between(
    server: Scripted, requester: GithubRequester, slept: list[float]
):
    server.will(*[Reply(503)] * 10)
    with pytest.raises(GithubUnavailable, match=r"github\.unavailable: .* 503"):
        requester.get("/x")
    assert len(server.asked) == MOST_TRIES
    assert slept == [1, 2]


@pytest.mark.parametrize("bad", [Reply(502), Reply(broken="reset"), Reply(200, {"a": "b" * 99}, broken="half")])
def test_a_write_whose_answer_was_lost_is_not_sent_again(server: Scripted, requester: GithubRequester, bad: Reply):
    server.will(bad)
    with pytest.raises(GithubUnavailable):
        requester.send("POST", "/x", {})
    assert len(server.asked) == 1


def test_a_write_that_certainly_was_not_done_is_sent_again(server: Scripted, requester: GithubRequester):
    server.will(
        Reply(403, {"message": "You have exceeded a secondary rate limit."}, {"retry-after": "0"}), Reply(201, 1)
    )
    assert requester.send("POST", "/x", {}) == 1


def test_a_write_that_can_be_repeated_is(server: Scripted, requester: GithubRequester):
    server.will(Reply(502), Reply(200, 1), Reply(502), Reply(201, 2))
    assert requester.send("PATCH", "/x", {}) == 1
    assert requester.send("POST", "/issues/1/labels", {}) == 2


def test_a_long_wait_is_left_to_the_job(server: Scripted, requester: GithubRequester, slept: list[float]):
    server.will(Reply(403, {"message": "You have exceeded a secondary rate limit."}))
    with pytest.raises(RateLimited) as caught:
        requester.get("/x")
    assert (caught.value.retry_at - datetime.now(UTC)).total_seconds() == pytest.approx(60, abs=2)
    with pytest.raises(RateLimited):
        requester.get("/y")
    assert len(server.asked) == 1, "while we are limited nothing is asked"
    assert slept == []


def test_the_last_good_answer_of_the_hour_stops_the_next_question(server: Scripted, requester: GithubRequester):
    reset = str(int(datetime.now(UTC).timestamp()) + 900)
    server.will(Reply(200, 1, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}))
    assert requester.get("/x") == 1
    with pytest.raises(RateLimited):
        requester.get("/x")
    assert len(server.asked) == 1


def test_an_allowance_of_its_own_stops_nothing_else(server: Scripted, requester: GithubRequester):
    reset = str(int(datetime.now(UTC).timestamp()) + 900)
    used_up = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset, "x-ratelimit-resource": "graphql"}
    server.will(Reply(200, {"data": 1}, used_up), Reply(200, 3))
    assert requester.graphql("query { x }", {}) == 1
    with pytest.raises(RateLimited):
        requester.graphql("query { x }", {})
    assert requester.get("/x") == 3
    assert len(server.asked) == 2, "nothing is sent before the limit is reset"


@pytest.mark.parametrize(
    ("headers", "is_all_blocked"),
    [
        ({"x-ratelimit-remaining": "0", "x-ratelimit-resource": "graphql"}, False),
        ({"retry-after": "600"}, True),
    ],
    ids=["primary", "secondary"],
)
def test_limits_of_graphql_are_limits_though_the_status_is_200(
    server: Scripted, requester: GithubRequester, headers: dict[str, str], is_all_blocked: bool
):
    reset_at = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=600)
    if not is_all_blocked:
        headers = headers | {"x-ratelimit-reset": str(int(reset_at.timestamp()))}
    limited = {"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation ID 1."}
    server.will(Reply(200, {"errors": [limited]}, headers), Reply(200, 3))
    with pytest.raises(RateLimited) as caught:
        requester.graphql("query { x }", {})
    assert abs((caught.value.retry_at - reset_at).total_seconds()) < 5
    if is_all_blocked:
        with pytest.raises(RateLimited):
            requester.get("/x")
    else:
        assert requester.get("/x") == 3


def test_nobody_home_is_unavailable():
    with pytest.raises(GithubUnavailable, match="no answer"):
        to("http://127.0.0.1:9", []).get("/x")


def test_a_server_that_sends_us_elsewhere_is_a_wrong_address(server: Scripted, requester: GithubRequester):
    server.will(Reply(301, {}, {"location": "https://evil.example/x"}))
    with pytest.raises(GithubRefused, match=r"github\.refused: .*\(301\)"):
        requester.get("/x")


def test_a_temporary_redirect_is_no_success(server: Scripted, requester: GithubRequester):
    server.will(Reply(307, {"message": "Moved"}, {"location": f"{server.url}/elsewhere"}))
    with pytest.raises(GithubRefused, match="moved"):
        requester.send("POST", "/x", {})


def test_pages_are_followed_by_their_query_and_never_to_another_host(server: Scripted, requester: GithubRequester):
    server.will(
        Reply(200, [1, 2], {"link": '<https://evil.example/steal?page=2&per_page=100>; rel="next"'}),
        Reply(200, [3], {"link": '<https://evil.example/steal?page=1>; rel="prev"'}),
    )
    assert list(requester.items("/x", int, asked={"state": "open"})) == [1, 2, 3]
    assert [one.path for one in server.asked] == [
        f"/x?per_page={PER_PAGE}&state=open",
        f"/x?page=2&per_page={PER_PAGE}&state=open",
    ]


def test_a_list_without_end_is_left(server: Scripted, requester: GithubRequester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.github.client.requester.MOST_PAGES", 5)
    server.will(*[Reply(200, [1], {"link": f'</x?page={page}>; rel="next"'}) for page in range(2, 9)])
    with pytest.raises(GithubUnavailable, match="pages"):
        list(requester.items("/x", int))
    assert len(server.asked) == 5


def test_a_list_that_leads_in_a_circle_is_left_at_once(server: Scripted, requester: GithubRequester):
    server.will(*[Reply(200, [1], {"link": f'</x?page={2 + page % 2}>; rel="next"'}) for page in range(9)])
    with pytest.raises(GithubUnavailable, match="cycle"):
        list(requester.items("/x", int))
    assert len(server.asked) == 3


def test_a_list_goes_on_at_the_page_that_had_to_be_asked_for_again(server: Scripted, requester: GithubRequester):
    def twice(ask: Callable[[], Page]) -> Page:
        ask()
        return ask()

    server.will(*[Reply(200, [1], {"link": '</x?page=2>; rel="next"'})] * 2, *[Reply(200, [2])] * 2)
    assert list(requester.items("/x", int, patiently=twice)) == [1, 2]
    assert [one.path.partition("?")[2].startswith("page=2") for one in server.asked] == [False, False, True, True]


@pytest.mark.parametrize("data", [{}, None, "x", {"items": 1}])
def test_what_is_no_list_is_no_answer(server: Scripted, requester: GithubRequester, data: object):
    server.will(Reply(200, data))
    with pytest.raises(GithubUnavailable, match=r"github\.unreadable"):
        list(requester.items("/x", int, "items"))


def test_what_is_not_there_is_none_where_that_is_an_answer(server: Scripted, requester: GithubRequester):
    server.will(Reply(404, {"message": "Not Found"}), Reply(403, {"message": "Resource not accessible by integration"}))
    assert if_found(lambda: requester.get("/x")) is None
    with pytest.raises(PermissionMissing):
        if_found(lambda: requester.get("/x"))


def test_an_enterprise_server_is_asked_below_its_path(server: Scripted):
    server.will(Reply(200, {"ok": 1}), Reply(200, {"data": {"x": 1}}))
    with closing(to(f"{server.url}/api/v3/", [])) as requester:
        requester.get("/repos/acme/shop")
        assert requester.graphql("query { x }", {}) == {"x": 1}
    assert [one.path for one in server.asked] == ["/api/v3/repos/acme/shop", "/api/graphql"]


@pytest.mark.parametrize(
    ("errors", "status"), [([{"type": "NOT_FOUND", "message": "no"}], 404), ([{"message": "no"}], 422), ("x", 422)]
)
def test_errors_of_graphql_are_refusals_though_the_status_is_200(
    server: Scripted, requester: GithubRequester, errors: object, status: int
):
    server.will(Reply(200, {"data": None, "errors": errors}))
    with pytest.raises(GithubRefused) as caught:
        requester.graphql("query { x }", {})
    assert caught.value.status == status


def test_a_rejected_login_is_renewed_once(server: Scripted):
    renewed: list[int] = []
    server.will(
        Reply(401, {"message": "Bad credentials"}), Reply(200, 1), *[Reply(401, {"message": "Bad credentials"})] * 2
    )
    requester = GithubRequester(server.url, Token(SECRET), Pace(), renew=lambda: renewed.append(1))
    with closing(requester):
        assert requester.get("/x") == 1
        with pytest.raises(GithubRefused, match="not accepted"):
            requester.get("/x")
    assert renewed == [1, 1]


def test_threads_do_not_mix_their_requests_up(server: Scripted, requester: GithubRequester):
    def write(number: int) -> None:
        requester.send("POST", f"/x/{number}", {"number": number})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.data["number"] for one in server.asked) == list(range(24))
    assert all(one.path == f"/x/{one.data['number']}" for one in server.asked)


def test_the_token_is_sent_and_never_seen(
    server: Scripted, requester: GithubRequester, caplog: pytest.LogCaptureFixture
):
    server.will(Reply(200, {"token": "ghs_fresh-and-secret"}), Reply(422, {"message": "No"}))
    with caplog.at_level(logging.DEBUG):
        requester.get("/x")
        with pytest.raises(GithubRefused) as caught:
            requester.get("/x")
    assert server.asked[0].headers["authorization"] == f"token {SECRET}"
    seen = f"{caplog.text} {requester!r} {caught.value} {caught.value!r} {requester.pace!r}"
    assert SECRET not in seen
    assert "ghs_fresh" not in seen


@pytest.mark.parametrize("part", ["a/b", "a?b", "a#b", "ünï", "%2e", "a\nb", "risk:low", "x" * 300, "\udcff"])
def test_a_part_of_an_address_cannot_become_more_than_one(part: str):
    assert not set("/?#\n ") & set(quoted(part))


@pytest.mark.parametrize("path", ["/x//y", "/x/./y", "/x/../y", "/x/%2e%2E", "/..", "/x/", "/repos/a/b/contents/.."])
def test_a_path_that_would_climb_is_refused(server: Scripted, requester: GithubRequester, path: str):
    with pytest.raises(GithubRefused):
        requester.get(path)
    assert server.asked == []


def test_objects_of_pygithub_send_the_same_way(server: Scripted, requester: GithubRequester):
    server.will(Reply(502), Reply(200, {"number": 7}), Reply(502), Reply(422, {"message": "No"}))
    repository = Repository(requester, url="/repos/acme/shop")
    assert repository.get_pull(7).raw_data["number"] == 7
    with pytest.raises(GithubUnavailable, match=r"POST /repos/acme/shop/issues/7/comments"):
        repository.get_issue(7).create_comment("once")
    with pytest.raises(GithubRefused):
        repository.get_issue(7).create_comment("again")


@pytest.mark.parametrize(("status", "words"), [(404, "start again"), (502, "it answered 502")])
def test_the_code_of_a_new_app_is_in_no_error(server: Scripted, status: int, words: str):
    server.will(Reply(status, {"message": ""}))
    with pytest.raises((GithubRefused, GithubUnavailable), match=words) as caught:
        credentials_of(server.url, "secret-code")
    assert server.asked[0].path == "/app-manifests/secret-code/conversions"
    assert "secret-code" not in str(caught.value)
