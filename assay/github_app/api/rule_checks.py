"""Confirmed rules with their checks, for validation outside the App."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Response

from assay.github_app.api.caller import Caller
from assay.github_app.api.routing import ApiContext, answered
from assay.github_app.learning.handout.checked_rules import learned_rules
from assay.github_app.store import Scope


def add_rule_checks(routes: APIRouter, api: ApiContext) -> None:
    """Add `GET /api/v1/repos/{owner}/{repo}/rules/checks`, before `…/rules/{rule_id}`, which would match it."""
    reading = Depends(api.caller(Scope.rules_read, Scope.rules_write))

    @routes.get("/api/v1/repos/{owner}/{repo}/rules/checks")
    async def checks(owner: str, repo: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _checks(api, caller, f"{owner}/{repo}"))


def _checks(api: ApiContext, caller: Caller, name: str) -> dict[str, object]:
    repository = caller.repository(api.store, name)
    return {
        "repo": repository.full_name,
        "rules": [rule.to_data() for rule in learned_rules(api.store, repository.id)],
    }
