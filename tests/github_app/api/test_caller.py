"""Who is let in by the interface for agents, to what, and what everybody else is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.github.errors import ApiRefused
from assay.github_app.ops.observability import redact
from assay.github_app.runtime.context import now
from assay.github_app.store import Scope
from assay.github_app.store.app.api_tokens import USED_EVERY, is_token
from assay.github_app.web.api.caller import MOST_FAILURES, Callers
from tests.codes import code_of
from tests.examples import num_examples
from tests.github_app.api.serving import OTHER, SHOP, Served
from tests.github_app.identity_tokens import OTHER as OTHER_KEY
from tests.github_app.identity_tokens import token as identity
from tests.github_app.web import web_in

THING = {"name": "acme/shop"}


def told(answer: Any) -> str:
    """The one line of a refusal."""
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert set(body) == {"title", "status", "detail"}
    assert body["status"] == answer.status_code
    assert len(body["detail"].splitlines()) == 1
    return str(body["detail"])


def test_a_token_opens_its_repositories_and_says_who_came(api_on_both: Served):
    answer = api_on_both.post("/api/v1/things", THING)
    assert answer.status_code == 200
    assert answer.json()["repository"] == SHOP.id
    assert answer.json()["name"].startswith("token:")
    assert "the tests" in answer.json()["name"]


def test_only_the_hash_of_a_token_is_kept(api_on_both: Served):
    with api_on_both.store._database.read() as connection:
        rows = [dict(row._mapping) for row in connection.exec_driver_sql("SELECT * FROM api_tokens")]
    assert rows
    assert api_on_both.secret not in repr(rows)
    (kept,) = api_on_both.store.tokens.all()
    assert api_on_both.secret not in repr(kept)


def test_the_last_use_is_kept_to_the_minute(api_on_both: Served):
    api, tokens = api_on_both, api_on_both.store.tokens
    assert [row.last_used_at for row in tokens.all()] == [None]
    api.post("/api/v1/things", THING)
    first = api.now.at
    api.now.at += timedelta(seconds=5)
    api.post("/api/v1/things", THING)
    assert [row.last_used_at for row in tokens.all()] == [first]
    api.now.at += USED_EVERY
    api.post("/api/v1/things", THING)
    assert [row.last_used_at for row in tokens.all()] == [api.now.at]


def test_a_revoked_token_opens_nothing_and_is_revoked_once(api_on_both: Served):
    api = api_on_both
    (row,) = api.store.tokens.all()
    assert api.store.tokens.revoke(row.id, api.now.at)
    assert not api.store.tokens.revoke(row.id, api.now.at)
    assert not api.store.tokens.revoke("nobody", api.now.at)
    answer = api.post("/api/v1/things", THING)
    assert (answer.status_code, code_of(told(answer))) == (401, "api.revoked-token")


def test_an_expired_token_opens_nothing(api: Served):
    api.now.at += timedelta(days=30)
    answer = api.post("/api/v1/things", THING)
    assert (answer.status_code, code_of(told(answer))) == (401, "api.expired-token")


def test_a_token_without_the_scope_is_told_which_one_is_needed(api: Served):
    answer = api.post("/api/v1/things", THING, secret=api.token(Scope.traces, Scope.metrics_read))
    assert answer.status_code == 403
    assert code_of(told(answer)) == "api.missing-scope"
    assert "rules:write or tasks" in told(answer)


def test_one_of_several_scopes_is_enough(api: Served):
    assert api.post("/api/v1/things", THING, secret=api.token(Scope.rules_write)).status_code == 200


@pytest.mark.parametrize("name", ["acme/secret", "acme/nowhere"])
def test_a_repository_of_others_is_as_one_that_is_not_there(api: Served, name: str):
    answer = api.post("/api/v1/things", {"name": name})
    assert (answer.status_code, code_of(told(answer))) == (404, "api.no-repository")


def test_a_repository_that_was_taken_back_is_not_there_either(api: Served):
    api.store.repositories.remove(SHOP, 4242, api.now.at + timedelta(seconds=1))
    assert api.post("/api/v1/things", THING).status_code == 404


def test_where_a_caller_has_one_repository_it_need_not_be_named(api: Served):
    known = api.store.tokens.all()[0]
    callers = Callers(api.store, None, api.now)  # type: ignore[arg-type]
    caller = callers.caller(f"Bearer {api.secret}", "a", frozenset(Scope))
    assert caller.repository(api.store).id == next(iter(known.repository_ids))
    of_two = api.token(repositories=(SHOP.id, OTHER.id))
    caller = callers.caller(f"Bearer {of_two}", "a", frozenset(Scope))
    with pytest.raises(ApiRefused, match="repo: required"):
        caller.repository(api.store)


@pytest.mark.parametrize(
    "header", [None, "", "Basic dTpw", "Bearer", "Bearer a b", "token x", "Bearer assay_x", "Bearer a.b.c", "Bearer é"]
)
def test_without_a_credential_of_ours_nothing_is_read(api: Served, header: str | None):
    headers = {} if header is None else {b"authorization": header.encode()}
    answer = api.client.post("/api/v1/things", content=b"x" * 100_000, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    told(answer)


def test_a_token_with_one_letter_changed_is_refused_without_a_look_at_the_database(api: Served):
    place = 20
    other = "A" if api.secret[place] != "A" else "B"
    changed = api.secret[:place] + other + api.secret[place + 1 :]
    assert is_token(api.secret)
    assert not is_token(changed)
    assert "or incomplete" in told(api.post("/api/v1/things", THING, secret=changed))


@given(st.text(max_size=80))
def test_no_text_that_happens_is_a_token(text: str):
    assert not is_token(text)


def test_a_token_does_not_reach_the_log(api: Served):
    assert api.secret not in redact(f"something said {api.secret} and more")


# ------------------------------------------------------------------ jobs of workflows


def test_a_job_speaks_for_its_own_repository(api: Served):
    answer = api.post("/api/v1/things", THING, secret=identity())
    assert answer.json() == {"name": "workflow:acme/shop@500 (refs/pull/7/merge)", "repository": SHOP.id}
    assert api.post("/api/v1/things", {"name": "acme/secret"}, secret=identity()).status_code == 404


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"event_name": "pull_request_target"}, 403),
        ({"event_name": "issue_comment"}, 403),
        ({"event_name": "workflow_run"}, 403),
        ({"event_name": "discussion_comment"}, 403),
        ({"repository_id": "79"}, 404),
        ({"aud": "https://other.example"}, 401),
        ({"exp": 1}, 401),
    ],
)
def test_a_job_that_may_not_is_told_why(api: Served, changes: dict[str, Any], status: int):
    answer = api.post("/api/v1/things", THING, secret=identity(**changes))
    assert answer.status_code == status, answer.text
    told(answer)


def test_a_token_that_somebody_else_signed_is_not_believed(api: Served):
    assert api.post("/api/v1/things", THING, secret=identity(OTHER_KEY)).status_code == 401


def test_a_job_does_not_decide_about_rules(api: Served):
    callers = Callers(api.store, _tokens_of(api), api.now)
    with pytest.raises(ApiRefused, match="rules:write"):
        callers.caller(f"Bearer {identity()}", "a", frozenset({Scope.rules_write}))


def _tokens_of(api: Served) -> Any:
    from assay.github_app.web.http.oidc import IdentityTokens
    from tests.github_app.identity_tokens import AUDIENCE, ISSUER

    return IdentityTokens(ISSUER, AUDIENCE, fetch=api.issuer.fetch)


# ------------------------------------------------------------------ bodies


def test_a_body_that_is_too_large_is_not_read_to_its_end(api: Served):
    assert api.post("/api/v1/things", b" " * 10_001).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 4096

    answer = api.client.post("/api/v1/things", content=endless(), headers=api.headers())
    assert (answer.status_code, answer.headers["connection"]) == (413, "close")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "JSON"),
        (b"\xff\xfe", ""),
        (b"[]", ""),
        (b"[" * 9000, ""),
        (b'{"name": 5}', "name: "),
        (b'{"name": "a", "secret\\nvalue": 5}', "secret value: Extra inputs"),
        (b'{"name": "a", "size": 1e400}', "size: "),
        (b'{"name": "\\ud800"}', ""),
    ],
)
def test_a_body_of_another_form_is_refused_in_one_line_without_its_values(api: Served, body: bytes, said: str):
    answer = api.post("/api/v1/things", body)
    assert answer.status_code == 422
    assert said in told(answer)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=num_examples(40)
)
@given(
    body=st.binary(max_size=300) | st.recursive(st.none() | st.text() | st.floats(), st.lists).map(repr).map(str.encode)
)
def test_no_body_brings_the_door_down(api: Served, body: bytes):
    answer = api.post("/api/v1/things", body)
    assert answer.status_code in (404, 422)
    told(answer)


# ------------------------------------------------------------------ too many failures


def test_who_fails_too_often_waits_a_minute_and_valid_credentials_from_the_same_address_pass(api: Served):
    clock = [0.0]
    callers = Callers(api.store, _tokens_of(api), api.now, clock_s=lambda: clock[0])

    def status(secret: str, address: str = "1.2.3.4") -> int:
        try:
            callers.caller(f"Bearer {secret}", address, frozenset(Scope))
        except ApiRefused as refused:
            return refused.status
        return 200

    wrong = ["assay_wrong", identity(exp=1), identity(OTHER_KEY), identity(kid="unknown"), "a.b.c", f"assay_{'0' * 51}"]
    failures = [wrong[number % len(wrong)] for number in range(MOST_FAILURES)]
    assert [status(one) for one in failures] == [401] * MOST_FAILURES
    assert [status(one) for one in wrong] == [429] * len(wrong)
    assert len(api.issuer.asked) == 1, "an unknown key causes no further request to the issuer"
    # None of these was seen before: behind a proxy all callers may share one address.
    assert [status(one) for one in (api.token(), identity(), identity(run_id="501"))] == [200] * 3
    assert [status(one) for one in wrong] == [429] * len(wrong)
    assert status("assay_wrong", "5.6.7.8") == 401
    for row in api.store.tokens.all():
        api.store.tokens.revoke(row.id, api.now.at)
    assert status(api.secret) == 429
    clock[0] += 61
    assert status("assay_wrong") == 401


def test_one_caller_has_so_many_requests_a_minute_and_others_their_own(api: Served):
    clock = [0.0]
    callers = Callers(api.store, _tokens_of(api), api.now, most_requests=3, clock_s=lambda: clock[0])
    good, another, any_of = f"Bearer {api.secret}", f"Bearer {api.token()}", frozenset(Scope)
    for second in (0.0, 30.0, 40.0):
        clock[0] = second
        callers.caller(good, "1.2.3.4", any_of)
    for _ in range(5):
        with pytest.raises(ApiRefused, match=r"api\.too-many-requests") as refused:
            callers.caller(good, "5.6.7.8", any_of)
        assert refused.value.status == 429
    callers.caller(another, "1.2.3.4", any_of)
    clock[0] = 60.0  # the first is a minute ago, and refused ones do not count
    callers.caller(good, "1.2.3.4", any_of)
    with pytest.raises(ApiRefused, match=r"api\.too-many-requests"):
        callers.caller(good, "1.2.3.4", any_of)


def test_the_limit_is_the_setting(tmp_path: Path):
    with web_in(tmp_path / "data", api_requests_per_minute=2) as web:
        web.store.repositories.put(SHOP, 1, now())
        secret = web.store.tokens.make("t", (SHOP.id,), tuple(Scope), now(), timedelta(days=30)).secret
        asked = [
            web.client.get("/api/v1/metrics/definitions", headers={"Authorization": f"Bearer {secret}"})
            for _ in range(3)
        ]
    assert [answer.status_code for answer in asked] == [200, 200, 429]
    assert asked[-1].headers["retry-after"] == "60"
