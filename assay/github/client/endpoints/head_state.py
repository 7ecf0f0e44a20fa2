"""State of a pull request and its head by one GraphQL query, which counts towards a separate limit.

The REST API takes five requests for the same. GitHub, "Rate limits and query limits for the GraphQL API": points are
the requests to fulfil all connections, divided by 100; this query has 56, which is one point.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.github.client.endpoints.checks import newest_of
from assay.github.client.endpoints.conversation import RISK_LABELS
from assay.github.client.endpoints.repository_client import RepositoryClient
from assay.github.client.requester import understood
from assay.github.errors import GithubRefused, GithubUnavailable
from assay.github.events.github_json import check_from, status_from
from assay.github.events.model import CheckFacts

_log = logging.getLogger(__name__)

_QUERY = """
query ($owner: String!, $name: String!, $number: Int!, $head: GitObjectID!, $checks: Boolean!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      headRefOid baseRefName state isDraft title
      labels(first: 100) { pageInfo { hasNextPage } nodes { name } }
      comments { totalCount }
      baseRef {
        target { oid }
        rules(first: 100) @include(if: $checks) {
          pageInfo { hasNextPage }
          nodes { parameters { ... on RequiredStatusChecksParameters { requiredStatusChecks { context } } } }
        }
      }
    }
    object(oid: $head) @include(if: $checks) {
      ... on Commit {
        status { contexts { context state description target_url: targetUrl created_at: createdAt } }
        checkSuites(first: 50) {
          pageInfo { hasNextPage }
          nodes {
            id: databaseId
            app { id: databaseId slug }
            checkRuns(first: 100, filterBy: {checkType: LATEST}) {
              pageInfo { hasNextPage }
              nodes {
                id: databaseId name status conclusion title summary external_id: externalId
                started_at: startedAt completed_at: completedAt html_url: url details_url: detailsUrl
              }
            }
          }
        }
      }
    }
    RISK_LABELS
  }
}
"""
_LABELS = " ".join(f'{level}: label(name: "{label.name}") {{ name }}' for level, label in RISK_LABELS.items())
QUERY = _QUERY.replace("RISK_LABELS", _LABELS)


@dataclass(frozen=True, slots=True)
class HeadState:
    """What decides about a pull request now.

    `base_tip` is the commit of its base branch, None if that was deleted. `risk_labels` are those that the repository
    has. `checks` and `by_rules` (names that rule sets require) are read only on request.
    """

    head_sha: str
    base_ref: str
    state: str
    is_merged: bool
    is_draft: bool
    title: str
    labels: tuple[str, ...]
    num_comments: int
    risk_labels: frozenset[str]
    base_tip: str | None
    checks: tuple[CheckFacts, ...] = ()
    by_rules: frozenset[str] = frozenset()


class _Partial(ValueError):
    """A list is longer than the query reads."""


class HeadStates(RepositoryClient):
    """State of pull requests and heads."""

    def head_state(self, number: int, head_sha: str, *, with_checks: bool = True) -> HeadState | None:
        """Return the state now; None if GraphQL does not give all of it, so that the caller asks the REST API.

        That is so if GraphQL's limit is used up, on older Enterprise Servers, and with more than 50 check suites, or
        more than 100 check runs of one.
        """
        owner, _, name = self.full_name.partition("/")
        asked = {"owner": owner, "name": name, "number": number, "head": head_sha, "checks": with_checks}
        try:
            data = self._requester.graphql(QUERY, asked)
            return understood(
                lambda given: _state(given["repository"], head_sha, with_checks=with_checks), data, "the head's state"
            )
        except (GithubRefused, GithubUnavailable) as error:
            _log.info("asking the REST API instead: %s", error)
            return None


def _state(repository: Mapping[str, Any], head_sha: str, *, with_checks: bool) -> HeadState:
    pull = repository["pullRequest"]
    base = pull["baseRef"] or {}
    return HeadState(
        head_sha=str(pull["headRefOid"]),
        base_ref=str(pull["baseRefName"]),
        state="open" if pull["state"] == "OPEN" else "closed",
        is_merged=pull["state"] == "MERGED",
        is_draft=bool(pull["isDraft"]),
        title=str(pull["title"]),
        labels=tuple(str(one["name"]) for one in _all(pull["labels"])),
        num_comments=int(pull["comments"]["totalCount"]),
        risk_labels=frozenset(str(repository[level]["name"]) for level in RISK_LABELS if repository[level]),
        base_tip=str(base["target"]["oid"]) if base.get("target") else None,
        checks=newest_of(_checks(repository["object"], head_sha)) if with_checks else (),
        by_rules=frozenset(_required(base)) if with_checks else frozenset(),
    )


def _all(connection: Mapping[str, Any] | None) -> list[Any]:
    """Return the nodes of a connection; raise `_Partial` if there are more."""
    if connection is None:
        return []
    if connection["pageInfo"]["hasNextPage"]:
        raise _Partial
    return [node for node in connection["nodes"] if node is not None]


def _checks(commit: Mapping[str, Any], head_sha: str) -> Iterator[CheckFacts]:
    """Yield check runs and statuses, parsed as those of the REST API are."""
    for suite in _all(commit["checkSuites"]):
        for run in _all(suite["checkRuns"]):
            words = {name: (run[name] or "").lower() or None for name in ("status", "conclusion")}
            texts = {"title": run["title"], "summary": run["summary"]}
            place = {"head_sha": head_sha, "app": suite["app"], "check_suite": suite, "output": texts}
            yield check_from({**run, **words, **place})
    for one in (commit["status"] or {}).get("contexts", ()):
        state = "pending" if one["state"] == "EXPECTED" else one["state"].lower()
        yield status_from({**one, "state": state}, head_sha)


def _required(base: Mapping[str, Any]) -> Iterator[str]:
    for rule in _all(base.get("rules")):
        yield from (str(one["context"]) for one in (rule["parameters"] or {}).get("requiredStatusChecks", ()))
