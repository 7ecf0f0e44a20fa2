"""Log lines are one JSON object each, carry their ids, and hold no secret, wherever it hides."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from dbos._logger import init_logger
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.ops import observability
from assay.github_app.ops.observability import MOST_LINE, REDACTED, SafeFormatter, about, hide, redact

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu\n-----END RSA PRIVATE KEY-----"
SECRETS = [
    "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "ghs_APPID_eyJhbGciOi.J9.abcdefghijk-longer-than-anybody-thought_0123456789",
    "github_pat_11ABCDEFG0abcdefghijklmnop_qrstuvwxyz0123456789",
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiI0MDAxIn0.c2lnbmF0dXJl",
    "sk-ant-api03-abcdefghijklmnopqrstuvwxyz",
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    PEM,
]


@pytest.fixture
def lines() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(SafeFormatter())
    log = logging.getLogger("assay.test_observability")
    log.handlers[:], log.propagate = [handler], False
    log.setLevel(logging.DEBUG)
    yield log, stream
    log.handlers[:] = []


def _only(stream: io.StringIO) -> dict[str, Any]:
    (line,) = stream.getvalue().splitlines()
    read: dict[str, Any] = json.loads(line)
    return read


def _core(secret: str) -> str:
    """The part that must not be seen."""
    return "MIIEowIBAAKCAQEA1c7" if secret == PEM else secret.rsplit("_", maxsplit=1)[-1][-20:]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_seen_nowhere_in_a_line(lines: tuple[logging.Logger, io.StringIO], secret: str):
    log, stream = lines
    try:
        try:
            raise ValueError(f"refused: {secret}")
        except ValueError as inner:
            raise RuntimeError({"token": secret}) from inner
    except RuntimeError:
        log.exception("with %s", secret, extra={"more": {"deep": [secret]}})
    read = _only(stream)
    assert _core(secret) not in stream.getvalue()
    assert REDACTED in stream.getvalue()
    assert "RuntimeError" in read["exc_info"]


def test_credentials_are_known_by_where_they_stand():
    for text in (
        "https://x-access-token:abc123def@github.com/acme/shop.git",
        "Authorization: Bearer abcdef1234567890",
        "authorization: token abcdef1234567890",
        '{"client_secret": "abcdef123456"}',
        "password=hunter2hunter2&x=1",
    ):
        assert REDACTED in redact(text), text
    for text in ("a token of friendship", "https://github.com/acme/shop", "sha 757107ea0eb2509f", "basically fine"):
        assert redact(text) == text


def test_a_secret_that_was_named_is_hidden_whatever_it_looks_like(lines: tuple[logging.Logger, io.StringIO]):
    log, stream = lines
    odd = 'correct "horse"\\battery'
    hide(odd)
    hide(None)
    hide("short")
    log.warning("it is %s, and this is %s", odd, "short")
    assert "horse" not in stream.getvalue()
    assert "short" in _only(stream)["message"]


def test_a_strangers_newlines_make_no_second_line(lines: tuple[logging.Logger, io.StringIO]):
    log, stream = lines
    hostile = 'branch\n{"level": "INFO", "message": "forged"}\r\n\u2028\x1b[31m'
    log.info("pull request of %s", hostile, extra={"branch": hostile})
    read = _only(stream)
    assert read["message"] == f"pull request of {hostile}"
    assert "\x1b" not in stream.getvalue()
    assert "\u2028" not in stream.getvalue()


def test_lines_carry_the_delivery_and_the_run(lines: tuple[logging.Logger, io.StringIO]):
    log, stream = lines
    with about(delivery="d-1"), about(run="run:1"):
        log.info("inside")
    log.info("outside")
    inside, outside = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (inside["delivery"], inside["run"]) == ("d-1", "run:1")
    assert "delivery" not in outside
    assert {"at", "level", "logger", "message"} <= outside.keys()


@pytest.mark.parametrize(("told", "known"), [("4999", 4999.0), ("1" * 12, 111_111_111.0)])
def test_what_github_says_remains_is_a_figure_of_the_installation(told: str, known: float):
    observability.answered(7001, "GET", 200, {"x-ratelimit-remaining": told})
    assert observability.GITHUB_REMAINING.labels("7001", "core")._value.get() == known


def test_an_endless_line_is_cut_and_still_json(lines: tuple[logging.Logger, io.StringIO]):
    log, stream = lines
    log.error("x" * MOST_LINE * 3)
    assert len(stream.getvalue()) <= MOST_LINE
    assert _only(stream)["level"] == "ERROR"


@given(st.text(), st.dictionaries(st.text(min_size=1).map(lambda name: f"x{name}"), st.text() | st.integers()))
def test_whatever_is_logged_is_one_line_of_json(message: str, more: dict[str, Any]):
    record = logging.LogRecord("a", logging.INFO, "f.py", 1, message, (), None)
    record.__dict__.update(more)
    line = SafeFormatter().format(record)
    assert "\n" not in line
    json.loads(line)


def test_other_libraries_write_through_the_same_door(monkeypatch: pytest.MonkeyPatch):
    stream, root = io.StringIO(), logging.getLogger()
    before = (root.handlers[:], root.level)
    # As a server that was started in this process before leaves it.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    logging.getLogger("uvicorn.error").disabled = True
    try:
        observability.set_up_logging("INFO", stream)
        logging.getLogger("uvicorn.error").error("token ghs_16C7e42F292c6912E7710c838347Ae178B4a")
        logging.getLogger("dbos").info("a hosted console")
        init_logger()
        logging.getLogger("dbos").warning("contention")
        logging.getLogger("github.Requester").debug("Authorization: token abcdef1234567890")
    finally:
        root.handlers[:], root.level = before
    assert "ghs_16" not in stream.getvalue()
    assert "console" not in stream.getvalue()
    assert [json.loads(line)["level"] for line in stream.getvalue().splitlines()] == ["ERROR", "WARNING"]


def test_answers_of_github_are_counted():
    def counted(name: str, **labels: str) -> float:
        return observability.METRICS.get_sample_value(name, labels) or 0.0

    before = counted("assay_github_limit_waits_total", kind="secondary")
    observability.answered(42, "GET", 200, {"x-ratelimit-remaining": "4711", "x-ratelimit-resource": "core"})
    observability.answered(42, "POST", 403, {"retry-after": "60", "x-ratelimit-remaining": "junk"})
    observability.answered(None, "GET", 0, {})
    for resource, remaining in (("graphql", "815"), ("search", "3")):
        told = {"x-ratelimit-remaining": remaining, "x-ratelimit-resource": resource}
        observability.answered(42, "POST", 200, told)
    assert counted("assay_github_rate_remaining", installation="42", resource="core") == 4711
    assert counted("assay_github_rate_remaining", installation="42", resource="graphql") == 815
    assert counted("assay_github_rate_remaining", installation="42", resource="search") == 0
    assert counted("assay_github_requests_total", method="POST", status="403") >= 1
    assert counted("assay_github_requests_total", method="GET", status="0") >= 1
    assert counted("assay_github_limit_waits_total", kind="secondary") == before + 1


def test_what_was_left_of_an_hour_is_shown_until_it_ends():
    def left() -> float | None:
        labels = {"installation": "43", "resource": "core"}
        return observability.METRICS.get_sample_value("assay_github_rate_remaining", labels)

    observability.answered(43, "GET", 200, {"x-ratelimit-remaining": "12", "x-ratelimit-reset": "1764230400"})
    observability.forget_past_hours(1764230399.0)
    assert left() == 12
    for _ in range(2):
        observability.forget_past_hours(1764230400.0)
        assert left() is None
