"""One query for what five requests of the REST API say: the same, or nothing; and GitHub's own schema allows it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from graphql import FieldNode, GraphQLSchema, OperationDefinitionNode, build_schema, execute_sync, parse, validate
from graphql.language import IntValueNode, SelectionSetNode

from assay.github.client import CheckOutput, CheckStatus, Github, HeadState, Repo
from assay.github.client.endpoints.head_state import QUERY
from assay.github_app.ops.permissions import FOR_CHECKOUT, FOR_READING
from tests.fakes.github import FakeGitHub
from tests.github_app.open_pull import OpenPull

SCHEMA = Path(__file__).parents[2] / "fakes/node/node_modules/@octokit/graphql-schema/schema.graphql"


@cache
def schema() -> GraphQLSchema:
    """GitHub's schema, which takes seconds to read."""
    if not SCHEMA.exists():
        pytest.skip("GitHub's GraphQL schema is not installed: run `make venv`")
    return build_schema(SCHEMA.read_text(encoding="utf-8"), assume_valid=True)


@pytest.fixture
def reader(opened: OpenPull, app: Github) -> Repo:
    github = opened.github
    return app.repository(github.installation_id, github.repository_id(), opened.full_name, permissions=FOR_READING)


def read(opened: OpenPull, reader: Repo) -> HeadState:
    found = reader.head_state(opened.number, opened.head)
    assert found is not None
    return found


def test_it_says_what_the_rest_api_says(opened: OpenPull, reader: Repo):
    github, head = opened.github, opened.head
    github.check(head, "tests", "failure", output={"title": "3 failed, 2 passed", "summary": "AssertionError"})
    github.finish_check(github.check(head, "lint", None), "neutral")
    github.check(head, "build", None)
    opened.repo.create_check(head, CheckOutput(CheckStatus.in_progress, "Validating", "…"), "assay:1:1:1")
    for state in ("success", "error", "pending"):
        github.status(head, state, f"ci/{state}", description=f"it is {state}", target_url="https://ci.example/1")
    github.require_checks("tests", "deploy")
    opened.repo.set_risk_label(opened.number, "high")
    opened.repo.create_comment(opened.number, "Hello")
    found, pull = read(opened, reader), reader.pull(opened.number)
    asked = {replace(one, pull_numbers=()) for one in reader.checks(head)}
    assert len(asked) == 7
    assert set(found.checks) == asked
    assert (
        reader.checks_by_protection("main") == found.by_rules == reader.required_checks("main") == {"tests", "deploy"}
    )
    assert (
        found.head_sha,
        found.base_ref,
        found.state,
        found.is_merged,
        found.is_draft,
        found.title,
        found.labels,
    ) == ((pull.head_sha, pull.base_ref, pull.state, pull.is_merged, pull.is_draft, pull.title, pull.labels))
    assert found.base_tip == reader.tip_of("main")
    assert (found.num_comments, found.risk_labels) == (1, frozenset({"risk:high"}))


def test_the_end_of_a_pull_request_and_of_its_base_shows(opened: OpenPull, reader: Repo):
    assert (read(opened, reader).state, read(opened, reader).is_merged) == ("open", False)
    opened.github.close_pull(opened.number)
    assert (read(opened, reader).state, read(opened, reader).is_merged) == ("closed", False)


@pytest.mark.soak
def test_it_says_nothing_rather_than_part_of_it(opened: OpenPull, reader: Repo):
    for number in range(101):
        opened.github.check(opened.head, f"test {number}")
    assert reader.head_state(opened.number, opened.head) is None
    assert reader.head_state(opened.number, opened.head, with_checks=False) is not None
    assert len(reader.checks(opened.head)) == 101


@pytest.mark.parametrize("kind", [502, "exhausted", "secondary", "reset"])
def test_where_graphql_fails_the_rest_api_is_asked(opened: OpenPull, reader: Repo, github_front: Any, kind: str | int):
    github_front.fault("POST /graphql", kind, times=9, retry_after=1 if isinstance(kind, str) else None)
    assert reader.head_state(opened.number, opened.head) is None


def test_what_is_not_there_or_not_allowed_is_nothing(opened: OpenPull, reader: Repo, app: Github):
    assert reader.head_state(99, opened.head) is None
    assert reader.head_state(opened.number, "0" * 40) is None
    github = opened.github
    least = app.repository(github.installation_id, github.repository_id(), opened.full_name, permissions=FOR_CHECKOUT)
    assert least.head_state(opened.number, opened.head) is None


def test_githubs_schema_has_it_for_one_point():
    query = parse(QUERY)
    assert validate(schema(), query) == []
    (definition,) = query.definitions
    assert isinstance(definition, OperationDefinitionNode)
    requests, nodes = _cost(definition.selection_set, 1)
    assert round(requests / 100) <= 1, "points, as GitHub predicts them"
    assert nodes < 500_000


@pytest.mark.parametrize("checks", [True, False])
def test_the_fake_answers_what_githubs_schema_allows(opened: OpenPull, reader: Repo, github: FakeGitHub, checks: bool):
    github.check(opened.head, "tests", "failure")
    github.check(opened.head, "build", None)
    github.status(opened.head, "success", "ci")
    github.require_checks("tests")
    opened.repo.set_risk_label(opened.number, "high")
    assert reader.head_state(opened.number, opened.head, with_checks=checks) is not None
    (asked,) = (one for one in github.requests if one.path == "/graphql")
    found = asked.answer["data"]
    types = {"object": "Commit", "parameters": "RequiredStatusChecksParameters", "target": "Commit"}
    typed = execute_sync(
        schema(),
        parse(QUERY),
        _typed(found, types),
        variable_values=asked.json["variables"],
        field_resolver=lambda source, info, **_: source[info.path.key],
    )
    assert typed.errors is None
    assert typed.data == found


def _typed(data: Any, types: dict[str, str], name: str = "") -> Any:
    """The data with the types of objects that the schema leaves open."""
    if isinstance(data, list):
        return [_typed(one, types, name) for one in data]
    if not isinstance(data, dict):
        return data
    more = {"__typename": types[name]} if name in types else {}
    return {key: _typed(value, types, key) for key, value in data.items()} | more


def _cost(selected: SelectionSetNode, times: int) -> tuple[int, int]:
    """Requests and nodes, as GitHub's page "Rate limits and query limits for the GraphQL API" predicts them."""
    requests = nodes = 0
    for one in selected.selections:
        below = times
        if isinstance(one, FieldNode):
            first = next((arg.value for arg in one.arguments or () if arg.name.value == "first"), None)
            if isinstance(first, IntValueNode):
                requests, below = requests + times, times * int(first.value)
                nodes += below
        inner = getattr(one, "selection_set", None)
        if inner is not None:
            more = _cost(inner, below)
            requests, nodes = requests + more[0], nodes + more[1]
    return requests, nodes
