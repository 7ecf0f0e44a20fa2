"""The protocol's own client speaks with the server over both transports."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from assay.github_app.outcomes.record.feedback import UNCONFIRMED
from assay.github_app.store import Scope, Store
from tests.github_app.mcp_server.at_work import LOG, TOKEN, Place, listening
from tests.github_app.remembering import REPOSITORY
from tests.ports import free_port

Answers = dict[str, Any]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("rules_for", {"paths": ["a.py"], "task_id": "t1"}),
    ("insights", {"query": "which database do the tests need?"}),
    ("report_feedback", {"text": "nobody told me about the log", "task_id": "t1"}),
    ("validate_change", {}),
]


async def asked(client: Client) -> Answers:
    """The tools there are, and the answer of each to one call."""
    answers: Answers = {"tools": {tool.name for tool in (await client.list_tools()).tools}}
    for name, arguments in CALLS:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result
        answers[name] = result.structured_content
    return answers


async def over_stdio(place: Place, arguments: list[str], folder: Path) -> Answers:
    server = StdioServerParameters(command=sys.executable, args=arguments, env=place.environment(), cwd=str(folder))
    with (folder / "stderr").open("w") as heard:
        async with Client(stdio_client(server, errlog=heard)) as client:
            return await asked(client)


async def over_http(address: str, token: str) -> Answers:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        return await asked(client)


def looked_at(answers: Mapping[str, Any]) -> None:
    """What every transport must answer."""
    assert answers["tools"] == {"rules_for", "insights", "report_feedback", "validate_change"}
    (rule,) = answers["rules_for"]["rules"]
    assert (rule["id"], rule["rule"], rule["asked_by"]) == (LOG, "use the log, not `print`", "#7 by bo")
    assert answers["rules_for"]["why_not"] is answers["insights"]["why_not"] is None
    assert answers["insights"]["insights"][0]["text"] == "the tests need DATABASE_URL to be set"
    assert answers["report_feedback"] == {"is_new": True, "is_trusted": False, "why_not": UNCONFIRMED}
    validated = answers["validate_change"]
    assert [(one["rule"], one["file"], one["line"]) for one in validated["findings"]] == [
        (f"learned_rules.{LOG}", "a.py", 2)
    ]
    assert validated["risk"] == "low"
    assert [one for one in validated["not_checked"] if one.startswith("learned rules")] == []


@pytest.mark.system
def test_the_protocols_own_client_over_standard_input(place: Place):
    looked_at(anyio.run(over_stdio, place, place.arguments, place.data_dir))
    with Store.open(f"sqlite:///{place.data_dir / 'assay.sqlite'}") as store:
        (handout,) = store.rules.handouts(REPOSITORY.id, task_id="t1")
        assert (handout.rule_id, handout.how) == (LOG, "mcp")
        (kept,) = store.insights.of_task(REPOSITORY.id, "t1")
        assert (kept.text, kept.source) == ("nobody told me about the log", "mcp")


@pytest.mark.system
def test_without_a_database_a_change_is_validated_and_no_rules_are_known(place: Place, tmp_path: Path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    answers = anyio.run(over_stdio, place, [*place.arguments[:2], "mcp", str(place.repository.path)], folder)
    why = answers["rules_for"]["why_not"]
    assert why.startswith("no database: ")
    assert answers["rules_for"] == {"rules": [], "num_left_out": 0, "why_not": why}
    assert answers["insights"] == {"insights": [], "why_not": why}
    assert answers["report_feedback"] == {"is_new": False, "is_trusted": False, "why_not": why}
    assert answers["validate_change"]["risk"] == "low"
    assert f"learned rules: {why}" in answers["validate_change"]["not_checked"]
    assert not (folder / "assay-data").exists()


@pytest.mark.soak
def test_the_protocols_own_client_over_http_with_a_token(place: Place, tmp_path: Path):
    port = free_port()
    environment = place.environment(ASSAY_MCP_TOKEN=TOKEN)
    with listening([*place.arguments, "--http", "--port", str(port)], environment, port, tmp_path / "log") as address:
        looked_at(anyio.run(over_http, address, TOKEN))
        for headers, status in [
            ({}, 401),
            ({"authorization": "Bearer another-token-of-as-many-letters"}, 401),
            ({"authorization": f"Bearer {TOKEN}", "host": "evil.example"}, 421),
            ({"authorization": f"Bearer {TOKEN}", "origin": "https://evil.example"}, 403),
        ]:
            sent = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
            with pytest.raises(HTTPError) as refused:
                urlopen(Request(address, b"{}", sent), timeout=20)
            assert refused.value.code == status
            refused.value.close()
    assert TOKEN not in (tmp_path / "log").read_text("utf-8")


@pytest.mark.soak
def test_a_token_of_the_app_opens_its_own_repository_alone(place: Place, tmp_path: Path):
    at, day = datetime.now(UTC), timedelta(days=1)
    scopes = [Scope.rules_read, Scope.feedback]
    with Store.open(f"sqlite:///{place.data_dir / 'assay.sqlite'}") as store:
        good = store.tokens.make("mine", [REPOSITORY.id], scopes, at, day).secret
        other = store.tokens.make("other", [999], scopes, at, day).secret
        narrow = store.tokens.make("narrow", [REPOSITORY.id], [Scope.tasks], at, day).secret
    port = free_port()
    with listening(
        [*place.arguments, "--http", "--port", str(port)], place.environment(), port, tmp_path / "log"
    ) as at_:
        looked_at(anyio.run(over_http, at_, good))
        for token in (other, narrow, "assay_nothing"):
            with pytest.raises(HTTPError) as refused:
                urlopen(Request(at_, b"{}", {"authorization": f"Bearer {token}"}), timeout=20)
            assert refused.value.code == 401
            refused.value.close()
