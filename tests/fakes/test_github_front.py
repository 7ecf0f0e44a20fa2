"""The front: bad weather, the log, the judge of requests."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fakes.conftest import Shop


@pytest.mark.parametrize(
    ("kind", "status", "headers"),
    [
        (502, 502, {}),
        ("secondary", 403, {"retry-after": "7"}),
        ("rate_limited", 429, {"retry-after": "7"}),
        ("exhausted", 403, {"x-ratelimit-remaining": "0"}),
    ],
)
def test_bad_answers_come_as_often_as_ordered(shop: Shop, asking, kind, status, headers):
    ask = asking(contents="read")
    shop.github.front.fault("/repos/acme/shop$", kind, times=2, retry_after=7)
    answers = [ask("GET", "/repos/acme/shop") for _ in range(3)]
    assert [each.status_code for each in answers] == [status, status, 200]
    assert {name: answers[0].headers.get(name) for name in headers} == headers
    assert [bool(each.fault) for each in shop.github.requests[-3:]] == [True, True, False]


@pytest.mark.parametrize("kind", ["half_close", "reset"])
def test_a_connection_can_break(shop: Shop, asking, kind):
    ask = asking(contents="read")
    shop.github.front.fault("/repos/acme/shop$", kind)
    with pytest.raises(httpx2.TransportError):
        ask("GET", "/repos/acme/shop")
    assert ask("GET", "/repos/acme/shop").status_code == 200


@pytest.mark.soak
def test_an_answer_can_fail_to_come(shop: Shop, asking):
    ask = asking(contents="read")
    shop.github.front.fault("/repos/acme/shop$", "timeout")
    with pytest.raises(httpx2.ReadTimeout):
        ask("GET", "/repos/acme/shop", timeout=0.2)


def test_what_was_asked_can_be_done_though_the_answer_is_lost(shop: Shop, asking):
    ask = asking(checks="write")
    shop.github.front.fault("POST .*/check-runs$", 502, after=True)
    assert ask("POST", f"/repos/{shop.repo}/check-runs", {"name": "Assay", "head_sha": shop.head}).status_code == 502
    assert [each["name"] for each in shop.github.check_runs(shop.head)] == ["Assay"]


@pytest.mark.soak
def test_faults_do_not_meet_the_test_itself(shop: Shop):
    shop.github.front.fault(".*", 500, times=99)
    assert shop.github.pull(shop.number)["number"] == shop.number


@pytest.mark.soak
def test_the_log_tells_who_asked_what_and_with_which_permissions(shop: Shop, asking):
    ask = asking(pull_requests="write")
    ask("POST", f"/repos/{shop.repo}/issues/1/labels", {"labels": ["risk:low"]})
    last = shop.github.requests[-1]
    assert (last.method, last.path, last.json) == (
        "POST",
        f"/repos/{shop.repo}/issues/1/labels",
        {"labels": ["risk:low"]},
    )
    assert (last.status, last.permissions) == (200, {"metadata": "read", "pull_requests": "write"})


UNDOCUMENTED = [
    ("GET", "/repos/acme/shop/nothing", None, "no such path"),
    ("GET", "/repos/acme/shop/pulls?colour=red", None, "query parameter 'colour' is not documented"),
    ("GET", "/repos/acme/shop/pulls?state=ajar", None, "query parameter state"),
    ("GET", "/repos/acme/shop/pulls?per_page=many", None, "query parameter per_page"),
    ("POST", "/repos/acme/shop/check-runs", {"name": "x"}, "'head_sha' is a required property"),
    ("POST", "/repos/acme/shop/check-runs", {"name": 7, "head_sha": "x"}, "7 is not of type 'string'"),
    (
        "POST",
        "/repos/acme/shop/check-runs",
        {"name": "x", "head_sha": "x", "mood": "good"},
        "'mood' was unexpected",
    ),
    ("POST", "/repos/acme/shop/issues/1/comments", None, "the body is missing"),
    ("PATCH", "/repos/acme/shop/check-runs/1", {"output": {"title": "x"}}, "'summary' is a required property"),
    (
        "POST",
        "/repos/acme/shop/check-runs",
        {"name": "x", "head_sha": "x", "output": {"summary": "s", "title": "t", "annotations": [{"path": "p"}]}},
        "'start_line' is a required property",
    ),
]


def test_requests_that_github_does_not_document_are_noticed(shop: Shop, asking, subtests: pytest.Subtests):
    ask = asking(checks="write", pull_requests="write")
    for method, path, body, why in UNDOCUMENTED:
        with subtests.test(why):
            ask(method, path, body)
            assert any(why in each for each in shop.github.violations), shop.github.violations
        shop.github.violations.clear()


@pytest.mark.soak
def test_labels_may_come_as_a_bare_array(shop: Shop, asking):
    assert asking(pull_requests="write")("POST", f"/repos/{shop.repo}/issues/1/labels", ["x"]).status_code == 200
    assert shop.github.violations == []


def test_the_api_answers_under_the_enterprise_path_too(shop: Shop, asking):
    assert asking(contents="read")("GET", "/api/v3/repos/acme/shop").json()["full_name"] == shop.repo


@pytest.mark.soak
def test_a_comment_can_be_hidden(shop: Shop, asking):
    node = shop.github.get(f"/repos/{shop.repo}/pulls/1")["node_id"]
    query = "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { clientMutationId } }"
    body = {"query": query, "variables": {"id": node}}
    assert asking(contents="read")("POST", "/graphql", body).json()["errors"][0]["type"] == "FORBIDDEN"
    answer = asking(pull_requests="write")("POST", "/api/graphql", body).json()
    assert answer["data"]["minimizeComment"]["minimizedComment"]["isMinimized"] is True
    assert shop.github.state.minimized == {node: "OUTDATED"}
    unknown = asking(pull_requests="write")("POST", "/graphql", {"query": "{ viewer { login } }"}).json()
    assert unknown["errors"][0]["type"] == "NOT_IMPLEMENTED"


def test_a_job_s_token_can_be_checked_by_the_published_keys(github):
    import jwt

    token = github.oidc_token(aud="assay", repository_id="1")
    found = httpx2.get(f"{github.oidc_issuer}/.well-known/openid-configuration", trust_env=False).json()
    keys = httpx2.get(found["jwks_uri"], trust_env=False).json()
    key = jwt.PyJWK(keys["keys"][0]).key
    claims = jwt.decode(token, key, algorithms=["RS256"], audience="assay", issuer=github.oidc_issuer)
    assert claims["repository_id"] == "1"
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(github.oidc_token(aud="assay", forge={"key": stranger}), key, algorithms=["RS256"], audience="assay")


@pytest.mark.bench
def test_requests_a_second(shop: Shop, asking):
    clients = [asking(pull_requests="read") for _ in range(4)]

    def many(client) -> None:
        for _ in range(250):
            assert client("GET", f"/repos/{shop.repo}/pulls/1").status_code == 200

    began = time.perf_counter()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(many, clients))
    print(json.dumps({"requests_per_second": round(1000 / (time.perf_counter() - began))}))
