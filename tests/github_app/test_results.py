"""Results posted by workflows: who is believed, who is not, which head they are about, and what a body may hold."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.github_app import oidc
from assay.github_app.errors import GithubRefused, GithubUnavailable, ResultsRefused
from assay.github_app.events import RepositoryFacts
from assay.github_app.github import WorkflowRunFacts
from assay.github_app.oidc import IdentityTokens
from assay.github_app.posted_tools import MOST_BODY_BYTES, PostedTools, body_of, kept, read_posted
from assay.github_app.results import Results, is_trusted
from assay.github_app.results_door import router
from assay.github_app.store import Store
from assay.validators import Gate, Outcome, ReportUnreadable, ToolKind, ToolRun, ToolsResult

ISSUER = "https://token.actions.example"
AUDIENCE = "https://assay.example"
WORKFLOW = "assay-dev/assay/.github/workflows/validate.yml"
TRUSTED = f"{WORKFLOW}@refs/tags/v1"
HEAD = "ab" * 20
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
AT = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


def number(value: int) -> str:
    raw = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def published(key: rsa.RSAPrivateKey = KEY, kid: str = "k1", **more: str) -> dict[str, Any]:
    numbers = key.public_key().public_numbers()
    return {
        "kty": "RSA",
        "alg": "RS256",
        "use": "sig",
        "kid": kid,
        "n": number(numbers.n),
        "e": number(numbers.e),
    } | more


class Issuer:
    """Publishes keys, and counts who asks."""

    def __init__(self) -> None:
        self.keys = [published()]
        self.about = {"issuer": ISSUER, "jwks_uri": f"{ISSUER}/.well-known/jwks"}
        self.asked: list[str] = []
        self.is_away = False

    def fetch(self, address: str) -> bytes:
        self.asked.append(address)
        if self.is_away:
            raise TimeoutError
        return json.dumps(self.about if address.endswith("configuration") else {"keys": self.keys}).encode()


class Clock:
    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def claims(**more: Any) -> dict[str, Any]:
    now = int(time.time())
    usual = {
        "iss": ISSUER, "aud": AUDIENCE, "sub": "repo:acme/shop:pull_request",
        "iat": now, "nbf": now - 5, "exp": now + 300,
        "repository": "acme/shop", "repository_id": "77", "event_name": "pull_request",
        "run_id": "500", "run_attempt": "1",
        "ref": "refs/pull/7/merge", "sha": "cd" * 20, "job_workflow_ref": TRUSTED, "job_workflow_sha": "ef" * 20,
    }  # fmt: skip
    return {name: value for name, value in (usual | more).items() if value is not None}


def token(key: rsa.RSAPrivateKey = KEY, kid: str | None = "k1", **more: Any) -> str:
    return jwt.encode(claims(**more), key, algorithm="RS256", headers={} if kid is None else {"kid": kid})


def part(data: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def tokens(issuer: Issuer) -> IdentityTokens:
    return IdentityTokens(ISSUER, AUDIENCE, fetch=issuer.fetch, clock_s=Clock())


# ------------------------------------------------------------------ the token


def test_a_jobs_own_token_is_believed(tokens: IdentityTokens):
    identity = tokens.verify(token())
    assert (identity.repository_id, identity.run_id, identity.event_name) == (77, 500, "pull_request")


def confused() -> str:
    """Signed by HMAC with the public key, which everybody has, for a secret."""
    pem = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': 'k1'})}.{part(claims())}"
    mac = hmac.new(pem, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def unsigned(alg: str) -> str:
    return f"{part({'alg': alg, 'typ': 'JWT', 'kid': 'k1'})}.{part(claims())}."


def tampered() -> str:
    head, _, signature = token().split(".")
    return f"{head}.{part(claims(repository_id='1'))}.{signature}"


ATTACKS = {
    "empty": "",
    "no token": "hello",
    "two dots": "..",
    "alg none": unsigned("none"),
    "alg None": unsigned("None"),
    "alg missing": f"{part({'kid': 'k1'})}.{part(claims())}.",
    "key confusion": confused(),
    "tampered claims": tampered(),
    "another key under the known name": token(OTHER),
    "a key of an unknown name": token(OTHER, kid="k2"),
    "no key named": token(kid=None),
    "a path for a key": token(kid="../../../dev/null"),
    "its own key in the header": jwt.encode(
        claims(), OTHER, algorithm="RS256", headers={"kid": "k1", "jwk": published(OTHER)}
    ),
    "its own address of keys": jwt.encode(
        claims(), OTHER, algorithm="RS256", headers={"kid": "k9", "jku": "https://evil.example/keys"}
    ),
    "expired": token(exp=int(time.time()) - 120),
    "not yet": token(nbf=int(time.time()) + 600),
    "issued later": token(iat=int(time.time()) + 600),
    "somebody else's audience": token(aud="https://other.example"),
    "an audience among several": token(aud=[AUDIENCE, "https://other.example"]),
    "no audience": token(aud=None),
    "no end": token(exp=None),
    "another issuer": token(iss="https://evil.example"),
    "an issuer that begins alike": token(iss=ISSUER + ".evil.example"),
    "no repository": token(repository_id=None),
    "a repository that is no number": token(repository_id="77; drop table"),
    "a negative run": token(run_id="-1"),
    "too long": token(sub="x" * 20_000),
    "512 instead of 256": jwt.encode(claims(), KEY, algorithm="RS512", headers={"kid": "k1"}),
    "critical extension": jwt.encode(claims(), KEY, algorithm="RS256", headers={"kid": "k1", "crit": ["x"], "x": 1}),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_token_that_is_not_what_it_should_be_is_refused(tokens: IdentityTokens, attack: str):
    with pytest.raises(ResultsRefused) as refused:
        tokens.verify(attack)
    assert refused.value.status == 401
    assert not any(piece and len(piece) > 8 and piece in str(refused.value) for piece in attack.split("."))


def test_a_token_is_never_asked_where_its_keys_are(tokens: IdentityTokens, issuer: Issuer):
    with pytest.raises(ResultsRefused):
        tokens.verify(ATTACKS["its own address of keys"])
    assert all(address.startswith(ISSUER) for address in issuer.asked)


@pytest.mark.parametrize(
    "change",
    [
        {"kty": "oct", "k": number(123456789)},
        {"use": "enc"},
        {"alg": "HS256"},
        {"n": number(OTHER.public_key().public_numbers().n >> 1100)},
    ],
)
def test_a_published_key_that_is_not_for_this_is_not_used(
    tokens: IdentityTokens, issuer: Issuer, change: dict[str, str]
):
    issuer.keys = [published() | change]
    with pytest.raises(ResultsRefused):
        tokens.verify(token())


@pytest.mark.parametrize(
    "about",
    [
        {"issuer": ISSUER, "jwks_uri": "https://evil.example/keys"},
        {"issuer": "https://evil.example", "jwks_uri": f"{ISSUER}/keys"},
        {"issuer": ISSUER},
        {"issuer": ISSUER, "jwks_uri": f"http://{ISSUER.removeprefix('https://')}/keys"},
    ],
)
def test_keys_that_lie_with_somebody_else_are_not_fetched(
    tokens: IdentityTokens, issuer: Issuer, about: dict[str, str]
):
    issuer.about = about
    with pytest.raises(ResultsRefused) as refused:
        tokens.verify(token())
    assert refused.value.status == 503


def test_keys_are_kept_and_unknown_ones_do_not_make_us_ask_without_end(issuer: Issuer):
    clock = Clock()
    tokens = IdentityTokens(ISSUER, AUDIENCE, fetch=issuer.fetch, clock_s=clock)
    for _ in range(20):
        tokens.verify(token())
        with pytest.raises(ResultsRefused):
            tokens.verify(token(OTHER, kid="made-up"))
    assert len(issuer.asked) == 2
    issuer.keys = [published(OTHER, "made-up")]
    clock.now_s += oidc.ASK_AGAIN_S
    assert tokens.verify(token(OTHER, kid="made-up")).run_id == 500
    assert len(issuer.asked) == 4


def test_while_the_issuer_is_away_the_known_keys_stand_for_a_day(issuer: Issuer):
    clock = Clock()
    tokens = IdentityTokens(ISSUER, AUDIENCE, fetch=issuer.fetch, clock_s=clock)
    tokens.verify(token())
    issuer.is_away = True
    clock.now_s += 2 * oidc.KEEP_KEYS_S
    tokens.verify(token())
    clock.now_s += 24 * oidc.KEEP_KEYS_S
    with pytest.raises(ResultsRefused) as refused:
        tokens.verify(token())
    assert refused.value.status == 503


def test_without_an_audience_nobody_is_believed(issuer: Issuer):
    with pytest.raises(ResultsRefused, match="ASSAY_RESULTS_AUDIENCE"):
        IdentityTokens(ISSUER, "", fetch=issuer.fetch).verify(token())


# ------------------------------------------------------------------ the workflow


@pytest.mark.parametrize(
    ("ref", "trusted", "believed"),
    [
        (TRUSTED, TRUSTED, True),
        (TRUSTED, f"{WORKFLOW}@v1", True),
        (TRUSTED, f"{WORKFLOW}@{'ef' * 20}", True),
        (f"{WORKFLOW}@refs/heads/main", f"{WORKFLOW}@main", True),
        (TRUSTED, f"{WORKFLOW}@refs/heads/v1", False),
        (TRUSTED, f"{WORKFLOW}@v", False),
        (TRUSTED, f"{WORKFLOW}@refs/tags/v1.1", False),
        (TRUSTED, WORKFLOW, False),
        (TRUSTED, "", False),
        (WORKFLOW, WORKFLOW, False),
        (f"{WORKFLOW}@refs/pull/7/merge", f"{WORKFLOW}@refs/pull/7/merge", False),
        (f"{WORKFLOW}@refs/pull/7/merge", f"{WORKFLOW}@pull/7/merge", False),
        ("evil/assay/.github/workflows/validate.yml@refs/tags/v1", TRUSTED, False),
        (f"{WORKFLOW}x@refs/tags/v1", TRUSTED, False),
    ],
)
def test_only_a_workflow_on_the_list_at_its_ref_is_trusted(
    tokens: IdentityTokens, ref: str, trusted: str, believed: bool
):
    assert is_trusted(tokens.verify(token(job_workflow_ref=ref)), [trusted]) is believed


# ------------------------------------------------------------------ the whole way


class GithubOfRuns:
    """Knows workflow runs of one repository."""

    def __init__(self) -> None:
        self.runs = {500: _run(500, HEAD, "pull_request"), 600: _run(600, "99" * 20, "workflow_run")}
        self.error: Exception | None = None

    @contextmanager
    def open(self, repository_id: int) -> Iterator[GithubOfRuns]:
        assert repository_id == 77
        yield self

    def workflow_run(self, run_id: int) -> WorkflowRunFacts:
        if self.error:
            raise self.error
        if run_id not in self.runs:
            raise GithubRefused(404, "read the workflow run", "Not Found")
        return self.runs[run_id]


def _run(run_id: int, head: str, trigger: str) -> WorkflowRunFacts:
    return WorkflowRunFacts(
        run_id, "CI", ".github/workflows/ci.yml", head, "topic", trigger, "in_progress", None, 1, None, (7,)
    )


TOOLS = ToolsResult(
    (ToolRun("pytest", ToolKind.test, "pytest -q", "Makefile:3 test", Outcome.failed, Gate.strict, 2.5, gating=True),),
    line_coverage={"shop.py": {1: True, 2: True, 3: False, 9: True}, "größe\udcff.py": {1: False}},
    coverage_source="coverage.xml",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path / 'assay.sqlite'}")
    store.repositories.put(RepositoryFacts(77, "acme/shop"), 4242, AT)
    yield store
    store.close()


@pytest.fixture
def runs() -> GithubOfRuns:
    return GithubOfRuns()


@pytest.fixture
def client(tokens: IdentityTokens, store: Store, runs: GithubOfRuns) -> TestClient:
    app = FastAPI()
    app.include_router(router(Results(tokens, (TRUSTED,), runs.open, store), clock=lambda: AT))
    return TestClient(app)


def post(client: TestClient, signed: str | None = None, body: bytes | None = None) -> Any:
    headers = {"authorization": f"Bearer {token() if signed is None else signed}"}
    return client.post(
        "/api/v1/results", content=body_of(TOOLS, job="tools") if body is None else body, headers=headers
    )


def test_results_are_kept_for_the_head_that_github_names(client: TestClient, store: Store):
    answer = post(client)
    assert (answer.status_code, answer.json()) == (200, {"head_sha": HEAD, "run_id": 500})
    (row,) = store.checks.results_of(77, HEAD)
    assert (row.number, row.job, row.workflow_ref) == (7, "tools", TRUSTED)
    posted = read_posted(row.tools)
    assert posted.tools.runs == TOOLS.runs
    assert posted.tools.line_coverage == TOOLS.line_coverage
    assert posted.tools.reported_by == "the change's own workflow run"


def test_the_same_results_twice_are_the_same_once(client: TestClient, store: Store):
    signed = token()
    assert [post(client, signed).status_code for _ in range(3)] == [200, 200, 200]
    assert len(store.checks.results_of(77, HEAD)) == 1


def test_an_earlier_attempt_never_replaces_a_later_one(client: TestClient, store: Store):
    late = replace(TOOLS, runs=())
    post(client, token(run_attempt="2"), body_of(late, job="tools"))
    post(client, token(run_attempt="1"))
    (row,) = store.checks.results_of(77, HEAD)
    assert (row.run_attempt, read_posted(row.tools).tools.runs) == (2, ())


def test_a_second_stage_posts_for_the_run_it_names(client: TestClient, store: Store):
    signed = token(event_name="workflow_run", run_id="600", ref="refs/heads/main")
    assert post(client, signed, body_of(TOOLS, run_id=500)).json()["head_sha"] == HEAD
    assert post(client, signed).status_code == 422
    assert post(client, signed, body_of(TOOLS, run_id=501)).status_code == 404
    assert post(client, token(), body_of(TOOLS, run_id=600)).status_code == 403


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"job_workflow_ref": "acme/shop/.github/workflows/ci.yml@refs/heads/topic"}, 403),
        ({"job_workflow_ref": f"{WORKFLOW}@refs/pull/7/merge"}, 403),
        ({"event_name": "pull_request_target"}, 403),
        ({"event_name": "schedule"}, 403),
        ({"repository_id": "78"}, 404),
        ({"run_id": "404"}, 404),
        ({"event_name": "push"}, 409),
        ({"aud": "https://other.example"}, 401),
    ],
)
def test_who_may_not_post_is_told_why_and_nothing_is_kept(
    client: TestClient, store: Store, changes: dict[str, Any], status: int
):
    answer = post(client, token(**changes))
    assert answer.status_code == status, answer.text
    assert answer.json()["refused"]
    assert store.checks.results_of(77, HEAD) == ()


@pytest.mark.parametrize("header", [None, "", "Basic dTpw", "Bearer", "Bearer a b", "token x"])
def test_without_a_token_nothing_is_read(client: TestClient, header: str | None):
    headers = {} if header is None else {"authorization": header}
    assert client.post("/api/v1/results", content=b"x", headers=headers).status_code == 401


def test_a_repository_that_was_taken_back_gets_nothing(client: TestClient, store: Store):
    store.repositories.remove(RepositoryFacts(77, "acme/shop"), 4242, AT)
    assert post(client).status_code == 404


def test_while_github_does_not_answer_the_job_may_come_again(client: TestClient, runs: GithubOfRuns):
    runs.error = GithubUnavailable("read the workflow run", "502")
    assert post(client).status_code == 503


def test_a_body_that_is_too_large_is_not_read_to_its_end(client: TestClient):
    assert post(client, body=b" " * (MOST_BODY_BYTES + 1)).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(MOST_BODY_BYTES // 65536 + 2):
            yield b" " * 65536

    headers = {"authorization": f"Bearer {token()}"}
    assert client.post("/api/v1/results", content=endless(), headers=headers).status_code == 413


def changed(**changes: Any) -> bytes:
    data = json.loads(body_of(TOOLS, job="tools"))
    data.update(changes)
    return json.dumps({name: value for name, value in data.items() if value is not None}).encode()


def tools_with(**changes: Any) -> dict[str, Any]:
    tools: dict[str, Any] = json.loads(body_of(TOOLS))["tools"]
    return tools | changes


BAD_BODIES = {
    "not JSON": b"{",
    "a list": b"[]",
    "not UTF-8": b"\xff",
    "deep": b'{"tools":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "another version": changed(version=2),
    "true for a version": changed(version=True),
    "unknown key": changed(conclusion="success"),
    "no tools": changed(tools=None),
    "a job of two lines": changed(job="a\nb"),
    "a run that is text": changed(run_id="500"),
    "a tier of another shape": changed(tools={"runs": []}),
    "an outcome nobody knows": changed(tools=tools_with(runs=[{}])),
    "more keys inside": changed(tools=tools_with(verdict="success")),
    "thousands of runs": changed(tools=tools_with(runs=[{}] * 101)),
    "a text of megabytes": changed(tools=tools_with(sandbox="x" * 5000)),
    "lines of another shape": changed(lines={"a.py": [1, 2]}),
    "ranges backwards": changed(lines={"a.py": {"run": [[9, 1]]}}),
    "a range without end": changed(lines={"a.py": {"run": [[1, 10**12]]}}),
    "too many lines": changed(lines={f"{n}.py": {"run": [[1, 2**30]]} for n in range(4)}),
    "half a line": changed(lines={"a.py": {"run": [[1.5, 2]]}}),
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_body_of_another_shape_is_refused_in_one_line(client: TestClient, body: bytes):
    answer = post(client, body=body)
    assert answer.status_code == 422
    assert len(answer.json()["refused"].splitlines()) == 1


def test_what_is_written_is_read_again():
    posted = PostedTools(replace(TOOLS, line_coverage={"a.py": {1: True, 2: False, 3: False}}), "tools", 5)
    again = read_posted(kept(posted))
    assert again.tools.line_coverage == posted.tools.line_coverage
    assert (again.job, again.run_id) == ("tools", 5)
    with pytest.raises(ReportUnreadable):
        read_posted(b"")


# ------------------------------------------------------------------ fetching keys, really


def test_keys_are_fetched_from_the_address_itself_and_no_redirect_is_followed(tmp_path: Path):
    from tests.github_app.test_checkout import GitServer, serving

    with serving(GitServer(tmp_path, wants_token=False)) as elsewhere, serving(GitServer(tmp_path)) as server:
        server.redirect_to = elsewhere.url
        with pytest.raises(OSError, match="302"):
            oidc.fetched(f"{server.url}/keys")
        assert elsewhere.asked == []
    with pytest.raises(ValueError, match=r"http\(s\)"):
        oidc.fetched("file:///etc/passwd")
