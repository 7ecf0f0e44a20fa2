"""The rules that hold, each with its check: what a judge elsewhere looks for on added lines."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Response

from assay.github_app.api.caller import Caller
from assay.github_app.api.door import Door, answered
from assay.github_app.learning.handout.checked_rules import learned_rules
from assay.github_app.store import Scope


def add_rule_checks(routes: APIRouter, door: Door) -> None:
    """`GET /api/v1/repos/{owner}/{repo}/rules/checks`; before `…/rules/{rule_id}`, which it would be taken for."""
    reading = Depends(door.caller(Scope.rules_read, Scope.rules_write))

    @routes.get("/api/v1/repos/{owner}/{repo}/rules/checks")
    async def checks(owner: str, repo: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _checks(door, caller, f"{owner}/{repo}"))


def _checks(door: Door, caller: Caller, name: str) -> dict[str, object]:
    repository = caller.repository(door.store, name)
    return {
        "repo": repository.full_name,
        "rules": [rule.to_data() for rule in learned_rules(door.store, repository.id)],
    }
