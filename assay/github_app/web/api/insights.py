"""Insights from earlier tasks, for agents and users: newest first, or by a search query."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from assay.github.errors import ApiRefused
from assay.github_app.learning.handout.delivery import deliver_insights
from assay.github_app.outcomes import find_insights, must_be_own, themes_of
from assay.github_app.provenance.declarations import TASK_ID
from assay.github_app.store import InsightRow, InsightType, Scope
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.forms import After, InRepository, Line, PageSize, Question, mark, place_of
from assay.github_app.web.api.routing import ApiContext, Body, answered, body_of

HOW = "api"


class TrustBody(Body):
    """Body of a decision: `why_not` withdraws the insight; without it agents receive it."""

    why_not: Line | None = None


def add_insights(routes: APIRouter, api: ApiContext) -> None:
    """Add `GET /api/v1/insights`, `GET …/themes`, `POST …/{insight_id}/trust` and `DELETE …/{insight_id}`."""
    reading = Depends(api.caller(Scope.feedback, Scope.rules_read))
    deciding = Depends(api.caller(Scope.rules_write))

    @routes.get("/api/v1/insights")
    async def newest(
        caller: Caller = reading,
        repo: InRepository = None,
        question: Question = None,
        kind: Annotated[InsightType | None, Query(alias="type")] = None,
        limit: PageSize = 20,
        after: After = None,
        untrusted: Annotated[bool, Query()] = False,
        task_id: Annotated[str | None, Query(pattern=TASK_ID)] = None,
        pull: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    ) -> Response:
        if untrusted and (task_id is not None or pull is not None):
            raise ApiRefused(422, "untrusted: not allowed with task_id or pull; untrusted insights are for users only")
        if question is not None and after is not None:
            raise ApiRefused(422, "after: not allowed with q, whose results have one page; raise limit instead")
        # `untrusted` adds the untrusted insights, which are for users to review, to the trusted ones.
        search = _Search(question, kind, limit, after, None if untrusted else True, task_id, pull)
        return await answered(lambda: _page(api, caller, repo, search))

    @routes.get("/api/v1/insights/themes")
    async def themes(caller: Caller = reading, repo: InRepository = None) -> Response:
        return await answered(lambda: _themes(api, caller, repo))

    @routes.post("/api/v1/insights/{insight_id}/trust")
    async def trust(request: Request, insight_id: str, caller: Caller = deciding) -> Response:
        body = await body_of(request, TrustBody)
        return await answered(lambda: _trusted(api, caller, insight_id, body.why_not))

    @routes.delete("/api/v1/insights/{insight_id}")
    async def purge(insight_id: str, caller: Caller = deciding) -> Response:
        return await answered(lambda: _purged(api, caller, insight_id))


@dataclass(frozen=True, slots=True)
class _Search:
    """Parameters of a request; with a task or pull request the response is recorded as delivered to it."""

    question: str | None
    kind: InsightType | None
    limit: int
    after: str | None
    is_trusted: bool | None
    task_id: str | None
    number: int | None


def _page(api: ApiContext, caller: Caller, repo: str | None, search: _Search) -> dict[str, Any]:
    repository, store, more = caller.repository(api.store, repo), api.store, None
    must_be_own(store, repository.id, caller.name, search.task_id, (search.number,))
    kind, is_trusted, page_size = search.kind, search.is_trusted, search.limit
    if search.question is not None:
        page = find_insights(
            store,
            repository.id,
            search.question,
            embedder=api.embedder,
            limit=page_size,
            insight_type=kind,
            is_trusted=is_trusted,
        )
    else:
        after = place_of(search.after)
        rows = store.insights.newest(
            repository.id, page_size + 1, before=after, insight_type=kind, is_trusted=is_trusted
        )
        page = rows[:page_size]
        more = mark(page[-1].at, page[-1].id) if len(rows) > page_size else None
    task_id, number = search.task_id, search.number
    if task_id is not None or number is not None:
        ids = [row.id for row in page]
        deliver_insights(store, repository.id, ids, task_id=task_id, number=number, how=HOW, at=api.clock())
    return {"insights": [shown(row, repository.full_name) for row in page], "next": more}


def _themes(api: ApiContext, caller: Caller, repo: str | None) -> dict[str, Any]:
    repository = caller.repository(api.store, repo)
    found = themes_of(api.store, repository.id, embedder=api.embedder)
    return {"repo": repository.full_name, "themes": [asdict(theme) for theme in found]}


def _trusted(api: ApiContext, caller: Caller, insight_id: str, why_not: str | None) -> dict[str, Any]:
    _of(api, caller, insight_id)
    api.store.insights.trust(insight_id, why_not=why_not)
    return {"insight": insight_id, "is_trusted": why_not is None, "why_not": why_not}


def _purged(api: ApiContext, caller: Caller, insight_id: str) -> dict[str, Any]:
    _of(api, caller, insight_id)
    return {"insight": insight_id, "is_news": api.store.insights.purge(insight_id)}


def _of(api: ApiContext, caller: Caller, insight_id: str) -> InsightRow:
    """Return the insight of a repository that the caller may decide for. Raises `ApiRefused` (404)."""
    row = api.store.insights.get(insight_id)
    known = None if row is None else api.store.repositories.get(row.repository_id)
    if row is None or known is None or known.id not in caller.repository_ids or not known.is_given:
        raise ApiRefused(404, "no such insight", code="api.no-insight")
    return row


def shown(row: InsightRow, full_name: str) -> dict[str, Any]:
    """Return an insight as JSON data."""
    values = {name: value for name, value in asdict(row).items() if name not in ("repository_id", "at")}
    return {"repo": full_name, "timestamp": row.at, **values}
