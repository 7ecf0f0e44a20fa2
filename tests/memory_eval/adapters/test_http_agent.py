"""An agent over HTTP: what it says on the wire, and everything a server can do wrong."""

from __future__ import annotations

import gzip
import json
import socket
import time
from contextlib import contextmanager
from pathlib import Path

import jsonschema
import pytest

from assay.connections.http_client import Failure
from assay.memory_eval import AgentOptions, ExamUsageError, agent_from
from assay.memory_eval.adapters.adapter import AgentResponse
from assay.memory_eval.errors import AgentCallFailed, AgentTimedOut, AgentUnreachable
from assay.memory_eval.truth import NOT_GIVEN
from tests.memory_eval.agent_servers import Remembering, Reply, raw, served


@contextmanager
def agent_at(url: str, timeout_s: float = 10.0):
    agent = agent_from("http", AgentOptions(url=url, timeout_s=timeout_s))
    try:
        yield agent
    finally:
        agent.close()


def saying(status: int, body: bytes = b"", **headers: str):
    return lambda *_: (status, body, headers)


def test_it_learns_answers_resets_and_says_what_it_holds():
    with served(Remembering()) as url, agent_at(url + "/") as agent:
        agent.learn("the sky is green")
        assert agent.answer("what colour is the sky") == AgentResponse(
            "the sky is green", confidence=0.75, tokens_in=3, sources=("a",)
        )
        assert agent.stats() == {"entries": 1, "bytes": 16}
        agent.reset()
        assert agent.answer("what colour is the sky").answer == "I was never told."


@pytest.mark.parametrize("value", [480, "2025-03-14", True, None, ["a", "b"], {"value": 480, "unit": "ms"}])
def test_a_typed_value_is_kept_and_null_is_one(value):
    with (
        served(saying(200, json.dumps({"answer": "as you said", "value": value}).encode())) as url,
        agent_at(url) as agent,
    ):
        assert agent.answer("what?") == AgentResponse("as you said", value=value)
    with served(saying(200, b'{"answer": "as you said"}')) as url, agent_at(url) as agent:
        assert agent.answer("what?").value is NOT_GIVEN


def test_what_goes_over_the_wire_fits_the_published_schema():
    path = Path("assay/memory_eval/schemas/agent-http.schema.json")
    schema = json.loads((Path(__file__).parents[3] / path).read_text())
    good = Remembering()
    with served(good) as url, agent_at(url) as agent:
        agent.learn("a fact")
        agent.answer("which fact?")
        agent.stats()
        agent.reset()
    shapes = {"POST /learn": "learn_request", "POST /answer": "answer_request", "POST /reset": "reset_request"}
    assert [call for call, _, _ in good.traffic] == ["POST /learn", "POST /answer", "GET /stats", "POST /reset"]
    for call, body, reply in good.traffic:
        if call in shapes:
            _fits(schema, shapes[call], body)
        if call == "POST /answer":
            _fits(schema, "answer_response", reply)
        if call == "GET /stats":
            _fits(schema, "stats_response", reply)


def _fits(schema, shape: str, value) -> None:
    jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{shape}"}).validate(value)


TWICE_PACKED = gzip.compress(gzip.compress(gzip.compress(b"x" * 50_000_000)))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (saying(500, b"Internal <b>Server</b>\nError"), r"HTTP 500: Internal <b>Server</b> Error"),
        (saying(503), "HTTP 503$"),
        (saying(200, b'{"error": "out of memory"}'), "out of memory"),
        (saying(422, b'{"error": "no such door"}'), "HTTP 422: no such door"),
        (saying(302, Location="http://127.0.0.1:1/elsewhere"), r"HTTP 302: redirects are not followed"),
        (saying(200, b"<html>"), "not a JSON object: <html>"),
        (saying(200, b""), "body is empty"),
        (saying(200, b'["answer"]'), "not a JSON object"),
        (saying(200, b"[" * 100_000), "not a JSON object"),
        (saying(200, b"\xff\xfe"), "not a JSON object"),
        (saying(200, b'{"text": "x"}'), "no `answer`"),
        (saying(200, b'{"answer": null}'), r"nothing \(None\)"),
        (saying(200, b'{"answer": 42}'), "answer is int 42: Input should be a valid string"),
        (saying(200, b'{"answer": "x", "confidence": 95}'), "confidence is int 95"),
        (saying(200, b'{"answer": "x", "confidence": NaN}'), "confidence is float nan"),
        (saying(200, b'{"answer": "x", "confidence": true}'), "confidence is bool True"),
        (saying(200, b'{"answer": "x", "tokens_in": -1}'), "tokens_in is int -1"),
        (saying(200, b'{"answer": "x", "sources": "all"}'), "sources is str all: Input should be a valid list"),
        (saying(200, b'{"answer": "' + b"x" * 9_000_000 + b'"}'), "longer than 8 MB"),
        (saying(200, gzip.compress(b"x" * 50_000_000), **{"Content-Encoding": "gzip"}), "compressed"),
        (saying(200, TWICE_PACKED, **{"Content-Encoding": "gzip, gzip, gzip"}), "compressed"),
        (saying(200, b'{"answer": "x"}', Big="h" * 200_000), "connection was closed"),
    ],
    ids=range(22),
)
def test_a_server_that_does_wrong_is_a_failed_call_with_a_line_that_says_what(answer, said: str):
    with served(answer) as url, agent_at(url) as agent, pytest.raises(AgentCallFailed, match=said) as raised:
        agent.answer("what?")
    assert len(str(raised.value)) < 400
    assert "\n" not in str(raised.value)


def test_a_server_that_hangs_is_left_when_its_time_is_over():
    def hang(*_: object) -> Reply:
        time.sleep(10)
        return 200, b"", {}

    with served(hang) as url, agent_at(url, 0.2) as agent, pytest.raises(AgentTimedOut, match=r"agent\.timed-out"):
        agent.answer("what?")


@pytest.mark.parametrize("begin", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"], ids=["head", "body"])
def test_a_server_that_drips_gains_no_time(begin: bytes):
    def drip(connection: socket.socket) -> None:
        connection.sendall(begin)
        for _ in range(200):
            connection.sendall(b"x")
            time.sleep(0.05)

    with raw(drip) as url, agent_at(url, 0.3) as agent, pytest.raises(AgentTimedOut):
        agent.answer("what?")


@pytest.mark.parametrize("words", [b"", b"SSH-2.0-hello\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
def test_a_server_that_breaks_off_or_speaks_something_else_is_a_failed_call(words: bytes):
    with (
        raw(lambda connection: connection.sendall(words)) as url,
        agent_at(url) as agent,
        pytest.raises(AgentCallFailed, match=Failure.broken),
    ):
        agent.answer("what?")


@pytest.mark.system
def test_nobody_there_is_tried_a_few_times_and_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with agent_at(f"http://127.0.0.1:{port}") as agent, pytest.raises(AgentUnreachable, match="cannot connect"):
        agent.learn("x")


def test_a_server_without_stats_has_none():
    with served(saying(404)) as url, agent_at(url) as agent:
        assert agent.stats() == {}
    with served(saying(500)) as url, agent_at(url) as agent, pytest.raises(AgentCallFailed, match="HTTP 500"):
        agent.stats()


def test_a_reset_that_is_refused_is_a_failed_call():
    with served(saying(404)) as url, agent_at(url) as agent, pytest.raises(AgentCallFailed, match="HTTP 404"):
        agent.reset()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("https://agents.example/one/", "https://agents.example/one"),
        ("http:http://127.0.0.1:8000", "http://127.0.0.1:8000"),
    ],
)
def test_the_address_may_stand_in_the_adapter_itself(text: str, name: str):
    assert agent_from(text).name == name


def test_a_name_and_password_in_the_address_are_not_shown():
    assert agent_from("http", AgentOptions(url="http://me:secret@127.0.0.1:8000/a")).name == "http://127.0.0.1:8000/a"


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "http://", "http://x:99999", "localhost:8000", "http://x/?a=b", "http://["]
)
def test_an_address_that_is_none_is_refused(url: str):
    with pytest.raises(ExamUsageError, match="address"):
        agent_from("http", AgentOptions(url=url))


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with served(Remembering()) as url, agent_at(url) as agent:
        agent.learn("reached")
