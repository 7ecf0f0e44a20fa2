"""Only what GitHub signed is believed, and nothing else is so much as parsed."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github.errors import WebhookRefused
from assay.github_app.web.http.webhook import read_delivery, sign, verify

SECRET = "It's a Secret to Everybody"
HEADERS = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
}


def test_the_signature_is_the_one_github_documents():
    """The example of GitHub's "Validating webhook deliveries"."""
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert sign(SECRET, b"Hello, World!") == expected
    verify(SECRET, b"Hello, World!", expected)


def _read(body: bytes, headers: dict[str, str], secret: str = SECRET, most: int = 1000) -> object:
    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 7):
            yield body[start : start + 7]

    return asyncio.run(read_delivery(headers, chunks(), secret=secret, most_bytes=most))


@given(st.binary(max_size=200), st.text(min_size=1, max_size=20))
def test_what_was_signed_is_believed_whatever_it_is(body: bytes, secret: str):
    verify(secret, body, sign(secret, body))


@given(st.binary(min_size=1, max_size=200), st.data())
def test_any_changed_bit_is_noticed(body: bytes, data: st.DataObject):
    bit = data.draw(st.integers(0, len(body) * 8 - 1))
    changed = bytearray(body)
    changed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(WebhookRefused) as refused:
        verify(SECRET, bytes(changed), sign(SECRET, body))
    assert refused.value.status == 401


@given(st.binary(min_size=1, max_size=200), st.data())
def test_a_truncated_body_is_not_believed(body: bytes, data: st.DataObject):
    shorter = body[: data.draw(st.integers(0, len(body) - 1))]
    with pytest.raises(WebhookRefused):
        verify(SECRET, shorter, sign(SECRET, body))


@given(st.text(max_size=80) | st.none())
def test_any_text_for_a_signature_is_refused_and_nothing_worse(signature: str | None):
    with pytest.raises(WebhookRefused) as refused:
        verify(SECRET, b"{}", signature)
    assert refused.value.status == 401


@pytest.mark.parametrize(
    "forged",
    [
        None,
        "",
        "sha256=",
        "sha1=" + hmac.new(SECRET.encode(), b"{}", hashlib.sha1).hexdigest(),
        sign("", b"{}"),
        sign("another", b"{}"),
        sign(SECRET, b"{}").upper(),
        sign(SECRET, b"{}") + "\n",
        " " + sign(SECRET, b"{}"),
    ],
)
def test_a_forged_signature_is_refused(forged: str | None):
    with pytest.raises(WebhookRefused) as refused:
        _read(b"{}", HEADERS | ({"x-hub-signature-256": forged} if forged is not None else {}))
    assert refused.value.status == 401


def test_without_a_secret_nothing_is_believed_not_even_what_is_signed_with_none():
    for read in (lambda: _read(b"{}", HEADERS | {"x-hub-signature-256": sign("", b"{}")}, secret=""),):
        with pytest.raises(WebhookRefused) as refused:
            read()
        assert refused.value.status == 503
    with pytest.raises(WebhookRefused):
        verify("", b"{}", sign("", b"{}"))


@pytest.mark.parametrize("declared", ["1001", "9" * 400, "-1", "1e3", "٣", "", "0x10"])
def test_a_length_that_is_too_large_or_no_number_is_refused_unread(declared: str):
    with pytest.raises(WebhookRefused) as refused:
        _read(b"{}", HEADERS | {"content-length": declared})
    assert refused.value.status == 413


def test_a_body_that_is_longer_than_it_says_is_cut_off():
    with pytest.raises(WebhookRefused) as refused:
        _read(b"x" * 1001, HEADERS | {"content-length": "2", "x-hub-signature-256": sign(SECRET, b"x" * 1001)})
    assert refused.value.status == 413


def test_a_body_of_exactly_the_limit_is_read():
    body = b"x" * 1000
    assert _read(body, HEADERS | {"x-hub-signature-256": sign(SECRET, body)}) is not None


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("content-type", "application/x-www-form-urlencoded", 415),
        ("x-github-delivery", "../../etc", 400),
        ("x-github-delivery", "x" * 65, 400),
        ("x-github-delivery", "a\nb", 400),
        ("x-github-event", "Push; DROP TABLE", 400),
        ("x-github-event", "", 400),
    ],
)
def test_headers_github_would_not_send_are_refused(name: str, value: str, status: int):
    headers = HEADERS | {"x-hub-signature-256": sign(SECRET, b"{}"), name: value}
    with pytest.raises(WebhookRefused) as refused:
        _read(b"{}", headers)
    assert refused.value.status == status


def test_who_sends_too_slowly_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.github_app.web.http.webhook.READ_WITHIN_S", 0.05)

    async def chunks() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(5)
        yield b"}"

    signed = {**HEADERS, "x-hub-signature-256": sign(SECRET, b"{}")}
    with pytest.raises(WebhookRefused) as refused:
        asyncio.run(read_delivery(signed, chunks(), secret=SECRET, most_bytes=100))
    assert refused.value.status == 408


def test_a_body_that_cannot_be_signed_is_not_read_at_all():
    read: list[bytes] = []

    async def chunks() -> AsyncIterator[bytes]:
        read.append(b"x")
        yield b"x"

    with pytest.raises(WebhookRefused) as refused:
        asyncio.run(read_delivery(HEADERS, chunks(), secret=SECRET, most_bytes=1000))
    assert (refused.value.status, read) == (401, [])


def test_many_bodies_at_once_take_no_more_than_their_share_of_memory(monkeypatch: pytest.MonkeyPatch):
    """Anybody can claim a signature, and whether it is true is only known at the body's end."""
    monkeypatch.setattr("assay.github_app.web.http.webhook.MOST_AT_ONCE", 1000)
    body = b"x" * 400
    signed = {**HEADERS, "x-hub-signature-256": sign(SECRET, body)}

    async def one() -> int:
        async def chunks() -> AsyncIterator[bytes]:
            for start in range(0, len(body), 100):
                await asyncio.sleep(0.01)
                yield body[start : start + 100]

        try:
            return len((await read_delivery(signed, chunks(), secret=SECRET, most_bytes=5000)).body)
        except WebhookRefused as refused:
            return refused.status

    async def many(number: int) -> list[int]:
        return sorted(await asyncio.gather(*(one() for _ in range(number))))

    assert asyncio.run(many(2)) == [400, 400]
    ends = asyncio.run(many(20))
    assert ends.count(503) >= 10
    assert set(ends) <= {400, 503}
    assert asyncio.run(many(2)) == [400, 400], "what is read no more counts no more"
    monkeypatch.setattr("assay.github_app.web.http.webhook.MOST_AT_ONCE", 1)
    assert asyncio.run(many(1)) == [400], "one alone is always read"
