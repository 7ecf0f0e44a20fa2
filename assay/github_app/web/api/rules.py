"""Learned rules: list them, deliver them to agents, and decide about them with a token of that scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import Field, StringConstraints

from assay.github.errors import ApiRefused
from assay.github_app.learning.checks.proposals import LETTERS
from assay.github_app.learning.handout.checked_rules import learned_rules
from assay.github_app.learning.handout.delivery import rules_for
from assay.github_app.learning.rules.accepting import MOST_TEXT, Acceptance, accept
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide
from assay.github_app.learning.rules.joining import join
from assay.github_app.learning.rules.listing import list_rules, show_rule
from assay.github_app.outcomes import must_be_own
from assay.github_app.provenance.declarations import TASK_ID
from assay.github_app.store import RuleState, Scope
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.routing import ApiContext, Body, answered, body_of
from assay.validators import as_visible

MOST_PATHS = 500
MOST_REASON = 500
HOW = "api"


class StateFilter(StrEnum):
    """Rules to list: of one state, or all. Without it the confirmed ones, recorded as delivered to an agent."""

    pending = "pending"
    confirmed = "confirmed"
    expired = "expired"
    rejected = "rejected"
    quarantined = "quarantined"
    joined = "joined"
    all = "all"


class Reason(Body):
    """Body of a decision."""

    reason: Annotated[str, StringConstraints(max_length=MOST_REASON)] | None = None


class Choice(Reason):
    """Body of an acceptance: the letter of a proposal, the wording, the scope, and whether a finding blocks."""

    check: Annotated[str, StringConstraints(max_length=1)] = ""
    text: Annotated[str, StringConstraints(max_length=MOST_TEXT)] | None = None
    paths: Annotated[list[Annotated[str, StringConstraints(max_length=300)]], Field(max_length=20)] | None = None
    block: bool = False


class Target(Reason):
    """Body that names the rule to join another one into."""

    into: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]


Paths = Annotated[list[Annotated[str, StringConstraints(max_length=1000)]], Query(max_length=MOST_PATHS)]
TaskId = Annotated[str | None, Query(pattern=TASK_ID)]


def add_rules(routes: APIRouter, api: ApiContext) -> None:
    """Add `GET /api/v1/repos/{owner}/{repo}/rules`, `checks`, `/{rule_id}`, `accept`, `join`, `reject`, `DELETE`."""
    reading = Depends(api.caller(Scope.rules_read, Scope.rules_write))
    deciding = Depends(api.caller(Scope.rules_write))
    here = "/api/v1/repos/{owner}/{repo}/rules"

    # Before `/{rule_id}`, which would match it.
    @routes.get(here + "/checks")
    async def checks(owner: str, repo: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _checks(api, caller, f"{owner}/{repo}"))

    @routes.get(here)
    async def rules(
        owner: str,
        repo: str,
        caller: Caller = reading,
        paths: Paths = [],  # noqa: B006 - FastAPI makes a new one for each request
        state: StateFilter | None = None,
        task_id: TaskId = None,
        pull: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    ) -> Response:
        return await answered(lambda: _rules(api, caller, f"{owner}/{repo}", paths, state, task_id, pull))

    @routes.get(here + "/{rule_id}")
    async def one(owner: str, repo: str, rule_id: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _one(api, caller, f"{owner}/{repo}", rule_id))

    @routes.post(here + "/{rule_id}/accept")
    async def accepted(request: Request, owner: str, repo: str, rule_id: str, caller: Caller = deciding) -> Response:
        choice = await body_of(request, Choice) if _has_body(request) else Choice()
        return await answered(lambda: _accept(api, caller, f"{owner}/{repo}", rule_id, choice))

    @routes.post(here + "/{rule_id}/join")
    async def joined(request: Request, owner: str, repo: str, rule_id: str, caller: Caller = deciding) -> Response:
        target = await body_of(request, Target)
        return await answered(lambda: _join(api, caller, f"{owner}/{repo}", rule_id, target))

    @routes.post(here + "/{rule_id}/reject")
    async def reject(request: Request, owner: str, repo: str, rule_id: str, caller: Caller = deciding) -> Response:
        why = (await body_of(request, Reason)).reason if _has_body(request) else None
        return await answered(lambda: _decide(api, caller, f"{owner}/{repo}", rule_id, Decision.reject, why))

    @routes.delete(here + "/{rule_id}")
    async def purge(owner: str, repo: str, rule_id: str, caller: Caller = deciding) -> Response:
        return await answered(lambda: _decide(api, caller, f"{owner}/{repo}", rule_id, Decision.purge))


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _checks(api: ApiContext, caller: Caller, name: str) -> dict[str, Any]:
    repository = caller.repository(api.store, name)
    rules = learned_rules(api.store, repository.id)
    return {"repo": repository.full_name, "rules": [rule.to_data() for rule in rules]}


def _rules(
    api: ApiContext,
    caller: Caller,
    name: str,
    paths: Sequence[str],
    state: StateFilter | None,
    task_id: str | None,
    number: int | None,
) -> dict[str, Any]:
    repository = caller.repository(api.store, name)
    if state is None:
        at = api.clock()
        must_be_own(api.store, repository.id, caller.name, task_id, (number,))
        handed, num_left = rules_for(api.store, repository.id, paths, task_id=task_id, number=number, how=HOW, at=at)
        rules = [{**asdict(rule), "paths": list(rule.paths)} for rule in handed]
        return {"repo": repository.full_name, "rules": rules, "num_left_out": num_left}
    states = None if state is StateFilter.all else [RuleState(state)]
    found = list_rules(api.store, repository.id, states=states, paths=paths or None)
    return {"repo": repository.full_name, "rules": found["rules"]}


def _one(api: ApiContext, caller: Caller, name: str, rule_id: str) -> dict[str, Any]:
    repository = caller.repository(api.store, name)
    found = show_rule(api.store, repository.id, rule_id)
    if found is None:
        raise ApiRefused(404, "no such rule", code="api.no-rule")
    return {"repo": repository.full_name, **found}


def _accept(api: ApiContext, caller: Caller, name: str, rule_id: str, choice: Choice) -> dict[str, Any]:
    repository = caller.repository(api.store, name)
    paths = None if choice.paths is None else tuple(choice.paths)
    wanted = Acceptance(choice.check, choice.text, paths, choice.block)
    with _refusals():
        done = accept(
            api.store, (repository.id, rule_id), wanted, api.clock(), by=caller.name, why=_reason(choice.reason)
        )
    return {
        "repo": repository.full_name,
        "rule_id": rule_id,
        "decision": "accept",
        "is_news": done.result.is_news,
        "check": None if done.chosen is None else done.chosen.what,
        "proposals": [
            {"letter": letter, "way": str(one.way), "what": one.what, "effect": one.effect_text}
            for letter, one in zip(LETTERS, done.proposals, strict=False)
        ],
    }


def _decide(
    api: ApiContext, caller: Caller, name: str, rule_id: str, decision: Decision, why: str | None = None
) -> dict[str, Any]:
    repository = caller.repository(api.store, name)
    with _refusals():
        done = decide(api.store, (repository.id, rule_id), decision, api.clock(), by=caller.name, why=_reason(why))
    return {"repo": repository.full_name, "rule_id": rule_id, "decision": str(decision), "is_news": done.is_news}


def _join(api: ApiContext, caller: Caller, name: str, rule_id: str, target: Target) -> dict[str, Any]:
    repository = caller.repository(api.store, name)
    place, why = (repository.id, rule_id), _reason(target.reason)
    with _refusals():
        done = join(api.store, place, target.into, api.clock(), by=caller.name, why=why)
    told = {"rule_id": rule_id, "decision": "join", "into": target.into, "is_news": done.is_news}
    return {"repo": repository.full_name, **told}


def _reason(why: str | None) -> str | None:
    return as_visible(why, MOST_REASON) if why else None


@contextmanager
def _refusals() -> Iterator[None]:
    """Raise refusals of a decision as responses."""
    try:
        yield
    except CannotDecide as refused:
        raise ApiRefused(404 if refused.code == "rule.unknown" else 409, refused.text, code=refused.code) from None
