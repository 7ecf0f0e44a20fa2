"""GitHub's own description of its API, as a judge of requests and answers.

The description is `api.github.com.json` of the npm package `@octokit/openapi`. Reading all of it takes 0.2 s, once;
schemas are made into validators when they are first needed.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from jsonschema import FormatChecker
from jsonschema.protocols import Validator
from openapi_schema_validator import OAS30Validator

from tests.fakes.front.exchange import Answer, Exchange

_FILE = Path(__file__).resolve().parent / "node/node_modules/@octokit/openapi/generated/api.github.com.json"
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
# Not part of the REST description: GraphQL, and what belongs to the web site or to git.
_ELSEWHERE = re.compile(
    r"/(api/)?graphql|/_services/.*|/_bed/.*|/[^/]+/[^/]+\.git/.*|(/organizations/[^/]+)?/settings/.*|/login/oauth/.*|/_emulate/.*"
)
# PyGithub sends the labels as a bare array. GitHub takes it ("You can also pass an array of labels directly"), and the
# description says so in words but not in its schema.
_BARE_LABELS = re.compile(r"/repos/[^/]+/[^/]+/issues/\d+/labels")

# What explains a schema, and the hint which of several to try, with references of its own.
_WORDS = {"example", "examples", "description", "title", "externalDocs", "x-github", "discriminator"}


class Operation:
    """One method of one path of the description."""

    def __init__(self, template: str, method: str, described: dict[str, Any]) -> None:
        self.template = template
        self.method = method
        self.described = described

    def __str__(self) -> str:
        return f"{self.method} {self.template}"


@cache
def description() -> dict[str, Any]:
    """The whole description."""
    found: dict[str, Any] = json.loads(_FILE.read_bytes())
    return found


def judge(exchange: Exchange) -> list[str]:
    """What is wrong with a request by the description; empty when nothing is."""
    if _ELSEWHERE.fullmatch(exchange.path):
        return []
    found = operation(exchange.method, exchange.path)
    if found is None:
        return [f"{exchange.method} {exchange.path}: no such path in GitHub's description"]
    wrong = [*_wrong_parameters(found, exchange), *_wrong_body(found, exchange)]
    return [f"{found}: {each}" for each in wrong]


def judge_answer(exchange: Exchange, answer: Answer) -> list[str]:
    """What is wrong with an answer of the fake's own by the description."""
    found = operation(exchange.method, exchange.path)
    if found is None:
        return [f"{exchange.method} {exchange.path}: no such path in GitHub's description"]
    response = resolved(found.described["responses"].get(str(answer.status)))
    if response is None:
        return [f"{found}: status {answer.status} is not described"]
    media = response.get("content", {}).get("application/json")
    if media is None or "schema" not in media:
        return []
    wrong = _errors(media["schema"], answer.body, is_strict=False)
    if found.template == "/app/installations":
        # The description has an account there be a person and an enterprise at once.
        wrong = [each for each in wrong if ".account:" not in each]
    return [f"{found} answered {each}" for each in wrong]


def judge_webhook(event: str, payload: dict[str, Any]) -> list[str]:
    """What is wrong with a webhook by the description; empty when nothing is."""
    name = "-".join([event, *([payload["action"]] if payload.get("action") else [])]).replace("_", "-")
    described = description()["x-webhooks"].get(name)
    if described is None:
        return [f"{name}: no such webhook in GitHub's description"]
    schema = described["post"]["requestBody"]["content"]["application/json"]["schema"]
    return [f"{name}: {each}" for each in _errors(schema, payload, is_strict=False)]


def operation(method: str, path: str) -> Operation | None:
    """The operation a request is for. Of several templates that fit, the one with fewest placeholders."""
    for pattern, template in _templates(path.count("/"), path.split("/")[1]):
        described = description()["paths"][template].get(method.lower())
        if described and pattern.fullmatch(path):
            return Operation(template, method, described)
    return None


@cache
def _templates(num_slashes: int, first: str) -> list[tuple[re.Pattern[str], str]]:
    """The templates that may fit a path with so many slashes that begins like this."""
    found = []
    for template in description()["paths"]:
        if template.split("/")[1] not in {first, "{"}:
            continue
        # References and paths may hold slashes of their own: GitHub takes them unescaped.
        is_long = re.search(r"\{(ref|path|basehead|branch)\}", template)
        if template.count("/") == num_slashes or (is_long and template.count("/") < num_slashes):
            pattern = re.escape(template)
            pattern = re.sub(r"\\\{(ref|path|basehead|branch)\\\}", ".+", pattern)
            found.append((re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", pattern)), template))
    return sorted(found, key=lambda each: (each[1].count("{"), -len(each[1])))


def resolved(node: Any) -> Any:
    """Follow a `$ref` within the description."""
    while isinstance(node, dict) and "$ref" in node:
        target: Any = description()
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def _wrong_parameters(found: Operation, exchange: Exchange) -> list[str]:
    described = description()["paths"][found.template].get("parameters", []) + found.described.get("parameters", [])
    allowed = {each["name"]: each for each in map(resolved, described) if each["in"] == "query"}
    wrong = []
    for name, value in parse_qsl(exchange.query_string, keep_blank_values=True):
        if name not in allowed:
            wrong.append(f"query parameter {name!r} is not documented")
        else:
            wrong += [
                f"query parameter {name}: {each}"
                for each in _errors(allowed[name]["schema"], _typed(value, allowed[name]))
            ]
    return wrong


def _typed(value: str, parameter: dict[str, Any]) -> Any:
    kind = resolved(parameter["schema"]).get("type")
    if kind in {"integer", "number"} and _NUMBER.fullmatch(value):
        return json.loads(value)
    if kind == "boolean" and value in {"true", "false"}:
        return value == "true"
    return [unquote(value)] if kind == "array" else value


def _wrong_body(found: Operation, exchange: Exchange) -> list[str]:
    body = resolved(found.described.get("requestBody"))
    if not exchange.body:
        return ["the body is missing"] if body and body.get("required") else []
    if body is None:
        # Clients send `{}` or `null` where nothing is wanted.
        return [] if exchange.json in (None, {}) else ["it takes no body"]
    schema = body["content"].get("application/json", {}).get("schema")
    if schema is None:
        return []
    data = exchange.json
    if data is None and exchange.body.strip() != b"null":
        return ["the body is not JSON"]
    if isinstance(data, list) and _BARE_LABELS.fullmatch(exchange.path):
        data = {"labels": data}
    return list(_errors(schema, data))


def _errors(schema: dict[str, Any], data: Any, *, is_strict: bool = True) -> list[str]:
    validator = _validator(json.dumps(schema, sort_keys=True), is_strict)
    return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(data)]


@cache
def _validator(schema: str, is_strict: bool) -> Validator:
    built: Validator = OAS30Validator(
        _plain(json.loads(schema), is_strict, frozenset()), format_checker=FormatChecker()
    )
    return built


def _plain(schema: Any, is_strict: bool, above: frozenset[str]) -> Any:
    """The schema without references; strict: what is not named may not be there, as GitHub would silently drop it."""
    if isinstance(schema, list):
        return [_plain(each, is_strict, above) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        if schema["$ref"] in above:
            return {}  # a schema within itself: one round is enough
        return _plain(resolved(schema), is_strict, above | {schema["$ref"]})
    plain = {name: _plain(value, is_strict, above) for name, value in schema.items() if name not in _WORDS}
    if "properties" in schema:  # the names in there are the data's, and may be any of those words
        plain["properties"] = {name: _plain(each, is_strict, above) for name, each in schema["properties"].items()}
    if plain.get("nullable"):
        _admit_null(plain)
    is_alone = not {"allOf", "anyOf", "oneOf"} & plain.keys() or "type" in plain
    if is_strict and plain.get("properties") and "additionalProperties" not in plain and is_alone:
        plain["additionalProperties"] = False
    return plain


def _admit_null(plain: dict[str, Any]) -> None:
    """GitHub's way to say that something may be null is not quite OpenAPI's."""
    if "enum" in plain:
        plain["enum"] = [*plain["enum"], None]
    for choice in {"anyOf", "oneOf"} & plain.keys():
        plain[choice] = [*plain[choice], {"enum": [None], "nullable": True}]
