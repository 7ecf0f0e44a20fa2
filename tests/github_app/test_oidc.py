"""Identity tokens: a job's own is believed, and nothing that only looks like one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from assay.github.errors import ResultsRefused
from assay.github_app.web.http import oidc
from assay.github_app.web.http.oidc import IdentityTokens
from tests.github_app.git_server import GitServer, serving
from tests.github_app.identity_tokens import (
    AUDIENCE,
    ISSUER,
    KEY,
    OTHER,
    Clock,
    Issuer,
    claims,
    number,
    part,
    published,
    token,
)


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def tokens(issuer: Issuer) -> IdentityTokens:
    return IdentityTokens(ISSUER, AUDIENCE, fetch=issuer.fetch)


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


def test_keys_are_fetched_from_the_issuers_own_address(tokens: IdentityTokens, issuer: Issuer):
    tokens.verify(token())
    assert issuer.asked == [f"{ISSUER}/.well-known/jwks"]


@pytest.mark.parametrize("keys", [[], [{}], "x", None])
def test_an_issuer_without_keys_is_asked_again_later(tokens: IdentityTokens, issuer: Issuer, keys: object):
    issuer.keys = keys  # type: ignore[assignment]
    for _ in range(3):
        with pytest.raises(ResultsRefused) as refused:
            tokens.verify(token())
        assert refused.value.status == 503
    assert len(issuer.asked) == 1


def test_keys_are_kept_and_unknown_ones_do_not_make_us_ask_without_end(
    tokens: IdentityTokens, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
):
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    for _ in range(20):
        tokens.verify(token())
        with pytest.raises(ResultsRefused):
            tokens.verify(token(OTHER, kid="made-up"))
    assert len(issuer.asked) == 1
    issuer.keys = [published(OTHER, "made-up")]
    clock.now_s += oidc.ASK_AGAIN_S
    assert tokens.verify(token(OTHER, kid="made-up")).run_id == 500
    assert len(issuer.asked) == 2


def test_while_the_issuer_is_away_the_known_keys_stand_for_their_hour(
    tokens: IdentityTokens, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
):
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    tokens.verify(token())
    issuer.is_away = True
    clock.now_s += oidc.KEEP_KEYS_S - 1
    tokens.verify(token())
    clock.now_s += 2
    for _ in range(3):
        with pytest.raises(ResultsRefused) as refused:
            tokens.verify(token())
        assert refused.value.status == 503
    assert len(issuer.asked) == 2, "once a minute at most"


def test_without_an_audience_nobody_is_believed(issuer: Issuer):
    with pytest.raises(ResultsRefused, match="ASSAY_RESULTS_AUDIENCE"):
        IdentityTokens(ISSUER, "", fetch=issuer.fetch).verify(token())


# ------------------------------------------------------------------ fetching keys, really


def test_keys_are_fetched_from_the_address_itself_and_no_redirect_is_followed(tmp_path: Path):
    with serving(GitServer(tmp_path, wants_token=False)) as elsewhere, serving(GitServer(tmp_path)) as server:
        server.redirect_to = elsewhere.url
        with pytest.raises(ValueError, match="302"):
            oidc.fetched(f"{server.url}/keys")
        assert elsewhere.asked == []
    with pytest.raises(jwt.PyJWKClientError):
        IdentityTokens("file:///etc", AUDIENCE)
