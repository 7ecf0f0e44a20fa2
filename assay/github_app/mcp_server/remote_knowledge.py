"""Memory of a repository at an App on another machine, by its API under `/api/v1` and a token."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field, ValidationError

from assay.connections.addresses import is_loopback
from assay.connections.http_client import HttpClient, HttpFailed
from assay.github_app.mcp_server.knowledge import FeedbackResult, Insight, Knowledge, Rule, Rules, Unanswerable
from assay.validators import LearnedRule, NotARule, as_visible, rule_from

TIMEOUT_S = 20.0
MOST_BYTES = 4 * 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
M = TypeVar("M", bound=BaseModel)


class _Rule(BaseModel):
    rule_id: str
    text: str
    paths: list[str]
    provenance: str = ""
    num_repeats: int = 0
    is_ineffective: bool = False


class _Rules(BaseModel):
    rules: list[_Rule]
    num_left_out: int = 0


class _Insight(BaseModel):
    text: str
    insight_type: str
    task_id: str | None = None
    timestamp: str


class _Insights(BaseModel):
    insights: list[_Insight]


class _FeedbackResult(BaseModel):
    insight: str | None
    is_new: bool
    why_not: str | None = None


class _Checks(BaseModel):
    rules: list[dict[str, Any]] = Field(default_factory=list)


class RemoteKnowledge(Knowledge):
    """`Knowledge` from the App at `url`, for one repository. The token is sent to that host only."""

    def __init__(self, url: str, token: str, full_name: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise Unanswerable("ASSAY_URL: must be an address such as https://assay.example.com")
        if parts.scheme == "http" and not is_loopback(parts.hostname):
            raise Unanswerable("ASSAY_URL: tokens are not sent over plain http; use https")
        if not token or not token.isascii() or not token.isprintable():
            raise Unanswerable("ASSAY_TOKEN: set a token from `assay token create`")
        if full_name is None or not _NAME.fullmatch(full_name):
            raise Unanswerable("name the repository by --repo OWNER/NAME")
        self._repository = full_name
        self._url = url.rstrip("/")
        self._headers = {"authorization": f"Bearer {token}"}
        try:
            self._client = HttpClient()
        except HttpFailed as failed:
            raise Unanswerable(f"the App cannot be reached: {failed}") from None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def rules_for(self, paths: Sequence[str], task_id: str | None) -> Rules:
        """Implement `Knowledge`."""
        query: list[tuple[str, str]] = [("paths", path) for path in paths]
        query += [("task_id", task_id)] if task_id else []
        found = self._read(_Rules, "GET", self._rules, query=query)
        rules = [
            Rule(
                id=one.rule_id,
                rule=one.text,
                paths=one.paths,
                asked_by=one.provenance,
                num_repeats=one.num_repeats,
                is_ineffective=one.is_ineffective,
            )
            for one in found.rules
        ]
        return Rules(rules=rules, num_left_out=found.num_left_out)

    def insights(self, query: str, limit: int, task_id: str | None = None) -> list[Insight]:
        """Implement `Knowledge`."""
        items = [("repo", self._repository), ("limit", str(limit)), *([("q", query[:500])] if query.strip() else [])]
        items += [("task_id", task_id)] if task_id else []
        found = self._read(_Insights, "GET", "/api/v1/insights", query=items)
        return [
            Insight(text=one.text, kind=one.insight_type, task_id=one.task_id, at=one.timestamp)
            for one in found.insights
        ]

    def report_feedback(self, text: str, task_id: str) -> FeedbackResult:
        """Implement `Knowledge`."""
        path = f"/api/v1/tasks/{quote(task_id, safe='')}/feedback"
        kept = self._read(_FeedbackResult, "POST", path, body={"repo": self._repository, "answer": text})
        is_trusted = kept.insight is None or kept.why_not is None
        return FeedbackResult(is_new=kept.is_new, is_trusted=is_trusted, why_not=kept.why_not)

    def learned_rules(self) -> tuple[LearnedRule, ...]:
        """Implement `Knowledge`."""
        found = self._read(_Checks, "GET", f"{self._rules}/checks")
        rules = []
        for data in found.rules:
            try:
                rules.append(rule_from(data))
            except NotARule:
                continue  # a rule of a newer App
        return tuple(rules)

    @property
    def _rules(self) -> str:
        return f"/api/v1/repos/{self._repository}/rules"

    def _read(
        self,
        form: type[M],
        method: str,
        path: str,
        *,
        query: Sequence[tuple[str, str]] = (),
        body: Mapping[str, Any] | None = None,
    ) -> M:
        try:
            reply = self._client.request(
                method,
                self._url + path,
                within_s=TIMEOUT_S,
                most_bytes=MOST_BYTES,
                headers=self._headers,
                params=query,
                json=body,
            )
        except HttpFailed as failed:
            raise Unanswerable(f"the App is unavailable: {failed}", code="mcp.app-unavailable") from None
        if not 200 <= reply.status < 300:
            raise Unanswerable(
                f"the App refused the request ({reply.status}): {_detail(reply.body)}", code="mcp.refused"
            )
        try:
            return form.model_validate_json(reply.body or b"{}")
        except ValidationError:
            raise Unanswerable("unexpected response of the App; check that both have the same version") from None


def _detail(data: bytes) -> str:
    """Return the `detail` of a refusal."""
    try:
        problem: Any = json.loads(data)
    except (ValueError, RecursionError):
        return "no reason given"
    return as_visible(str(problem.get("detail", "no reason given")), 300) if isinstance(problem, dict) else "?"
