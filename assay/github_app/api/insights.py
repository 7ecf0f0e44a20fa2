"""What was learned from tasks, for the next agent and for people: a page of the newest, or what a question finds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from assay.github_app.api.caller import Caller
from assay.github_app.api.door import Door, answered
from assay.github_app.api.forms import After, InRepository, PageSize, Question, mark, place_of
from assay.github_app.errors import ApiRefused
from assay.github_app.outcomes import find_insights, themes_of
from assay.github_app.store import InsightRow, InsightType, Scope


def add_insights(routes: APIRouter, door: Door) -> None:
    """`GET /api/v1/insights` and `GET /api/v1/insights/themes`."""
    reading = Depends(door.caller(Scope.feedback, Scope.rules_read))

    @routes.get("/api/v1/insights")
    async def newest(
        caller: Caller = reading,
        repo: InRepository = None,
        question: Question = None,
        kind: Annotated[InsightType | None, Query(alias="type")] = None,
        limit: PageSize = 20,
        after: After = None,
        untrusted: Annotated[bool, Query()] = False,
    ) -> Response:
        if question is not None and after is not None:
            raise ApiRefused(422, "after: what a question finds has one page; ask for more by limit")
        # Untrusted ones are for people to look through; whoever asks for them gets them all.
        is_trusted = None if untrusted else True
        return await answered(lambda: _page(door, caller, repo, question, kind, limit, after, is_trusted))

    @routes.get("/api/v1/insights/themes")
    async def themes(caller: Caller = reading, repo: InRepository = None) -> Response:
        return await answered(lambda: _themes(door, caller, repo))


def _page(
    door: Door,
    caller: Caller,
    repo: str | None,
    question: str | None,
    kind: InsightType | None,
    limit: int,
    after: str | None,
    is_trusted: bool | None,
) -> dict[str, Any]:
    repository, store = caller.repository(door.store, repo), door.store
    if question is not None:
        found = find_insights(
            store,
            repository.id,
            question,
            embedder=door.embedder,
            limit=limit,
            insight_type=kind,
            is_trusted=is_trusted,
        )
        return {"insights": [shown(row, repository.full_name) for row in found], "next": None}
    rows = store.insights.newest(
        repository.id, limit + 1, before=place_of(after), insight_type=kind, is_trusted=is_trusted
    )
    page = rows[:limit]
    more = mark(page[-1].at, page[-1].id) if len(rows) > limit else None
    return {"insights": [shown(row, repository.full_name) for row in page], "next": more}


def _themes(door: Door, caller: Caller, repo: str | None) -> dict[str, Any]:
    repository = caller.repository(door.store, repo)
    found = themes_of(door.store, repository.id, embedder=door.embedder)
    return {"repo": repository.full_name, "themes": [asdict(theme) for theme in found]}


def shown(row: InsightRow, full_name: str) -> dict[str, Any]:
    """An insight as the interface shows it, with the metadata a memory files it under."""
    values = {name: value for name, value in asdict(row).items() if name not in ("repository_id", "at")}
    return {"repo": full_name, "timestamp": row.at, **values}
