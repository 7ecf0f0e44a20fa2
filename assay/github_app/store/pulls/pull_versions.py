"""Order of the descriptions of a pull request, whatever order they arrive in.

GitHub's `updated_at` decides. It counts whole seconds, so within one: merged after closed after open, a head after its
predecessor, and else an arbitrary stable order. For that, the newest description of each head is stored until a later
second makes it obsolete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.orm import undefer

from assay.github.events.model import PullFacts
from assay.github_app.store.database.columns import clean
from assay.github_app.store.database.database import insert_new, one, rows, values_of
from assay.github_app.store.tables.pull_tables import DeclaredBy, HeadRow, PullRow

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_TIMES = ("created_at", "updated_at", "closed_at", "merged_at", "seen_at")


def newest_facts(
    connection: Connection, repository_id: int, pull: PullFacts, at: datetime, before: str | None
) -> dict[str, Any]:
    """Add a description; return the new columns of the pull request's row, which the caller has locked."""
    _see_head(connection, repository_id, pull, at, before)
    pull_key = {"repository_id": repository_id, "number": pull.number}
    described = select(HeadRow.sha, HeadRow.last_at, HeadRow.facts).where(HeadRow.facts.is_not(None))
    found = list(connection.execute(described.filter_by(**pull_key)))
    order = {head.sha: place for place, head in enumerate(heads_of(connection, repository_id, pull.number))}
    newest = max(found, key=lambda row: (_age(row.facts)[:-1], order[row.sha]))
    older = update(HeadRow).filter_by(**pull_key).where(HeadRow.last_at < newest.last_at)
    connection.execute(older.values(facts=None))
    return {name: _time(value) if name in _TIMES else value for name, value in newest.facts.items()}


def first_push(row: PullRow, pull: PullFacts, action: str | None, at: datetime) -> dict[str, Any]:
    """Return the columns set by the first events only; of several "ready" events, the earliest counts."""
    moment = pull.updated_at or at
    if action == "opened" and row.opened_head is None:
        return {"opened_head": pull.head_sha, "opened_as_draft": pull.is_draft}
    is_first = row.ready_at is None or (moment, pull.head_sha) < (row.ready_at, row.ready_head)
    if action == "ready_for_review" and is_first:
        return {"ready_head": pull.head_sha, "ready_at": moment}
    return {}


def heads_of(connection: Connection, repository_id: int, number: int) -> tuple[HeadRow, ...]:
    """Return the heads of a pull request, oldest first; within a second, each after its predecessor."""
    return in_order(rows(connection, select(HeadRow).filter_by(repository_id=repository_id, number=number)))


def in_order(heads: Iterable[HeadRow]) -> tuple[HeadRow, ...]:
    """Sort the heads of one pull request, oldest first; within a second, each after its predecessor."""
    known = {head.sha: head for head in heads}
    return tuple(sorted(known.values(), key=lambda head: (head.pushed_at, _steps(head, known), head.sha)))


def declared_values(declared: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return declarations (source -> name -> value) as columns, each by the source that ranks first.

    The issues are those of all sources.
    """
    values: dict[str, Any] = {"declared": dict(declared), "prompt_version_source": None}
    linked = (issue for source in DeclaredBy for issue in declared.get(source, {}).get("issues", "").split())
    values["issues"] = list(dict.fromkeys(linked))
    for name in ("task_id", "model", "prompt_version"):
        sources = [source for source in DeclaredBy if declared.get(source, {}).get(name) is not None]
        values[name] = declared[sources[0]][name] if sources else None
        if name == "prompt_version" and sources:
            values["prompt_version_source"] = str(sources[0])
    return values


def _see_head(connection: Connection, repository_id: int, pull: PullFacts, at: datetime, before: str | None) -> None:
    moment = pull.updated_at or _LONG_AGO
    key = {"repository_id": repository_id, "number": pull.number, "sha": clean(pull.head_sha)}
    facts, size = _packed(pull, at), _size(pull, moment)
    first = {**key, "before_sha": before, "pushed_at": moment, "last_at": moment, "facts": facts, **size}
    if insert_new(connection, HeadRow, first):
        return
    row = one(connection, select(HeadRow).filter_by(**key).options(undefer(HeadRow.facts)).with_for_update())
    if row is None:
        raise LookupError(f"head {pull.head_sha} is not there after it was seen")
    is_news = moment >= row.last_at and (row.facts is None or _age(facts) > _age(row.facts))
    changes = {
        # A head can be pushed twice from different places; the choice must not depend on the order of events.
        "before_sha": max(row.before_sha or "", before or "") or None,
        "pushed_at": min(row.pushed_at, moment),
        "last_at": max(row.last_at, moment),
        "facts": facts if is_news else row.facts,
        **(size if _size_age(size) > _size_age(values_of(row)) else {}),
    }
    connection.execute(update(HeadRow).filter_by(**key).values(**changes))


def _size(pull: PullFacts, moment: datetime) -> dict[str, Any]:
    """Return the lines this head adds and removes, if the description has them: they differ by base."""
    if pull.num_added is None or pull.num_removed is None:
        return {}
    return {"num_added": pull.num_added, "num_removed": pull.num_removed, "counted_at": moment}


def _size_age(values: Mapping[str, Any]) -> tuple[datetime, int, int]:
    counted_at = values.get("counted_at")
    return (counted_at, values["num_added"], values["num_removed"]) if counted_at else (_LONG_AGO, -1, -1)


def _packed(pull: PullFacts, at: datetime) -> dict[str, Any]:
    """Return the description as columns, times as text; `version` distinguishes two descriptions."""
    facts: dict[str, Any] = {
        "github_id": pull.id,
        "title": pull.title,
        "body": pull.body,
        "author": pull.author.login,
        "author_id": pull.author.id,
        "author_kind": pull.author.kind,
        "requested_by": pull.requested_by,
        "head_sha": pull.head_sha,
        "head_ref": pull.head_ref,
        "head_repository_id": pull.head_repository.id if pull.head_repository else None,
        "head_repository": pull.head_repository.full_name if pull.head_repository else None,
        "base_sha": pull.base_sha,
        "base_ref": pull.base_ref,
        "is_fork": pull.is_fork,
        "is_draft": pull.is_draft,
        "state": pull.state,
        "is_merged": pull.is_merged,
        "merge_commit_sha": pull.merge_commit_sha,
        "labels": sorted(pull.labels),
        "created_at": _text(pull.created_at),
        "updated_at": _text(pull.updated_at),
        "closed_at": _text(pull.closed_at),
        "merged_at": _text(pull.merged_at),
    }
    version = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    return {**facts, "version": version, "seen_at": _text(at)}


def _age(facts: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the sort key of a description."""
    moment = _time(facts["updated_at"]) or _LONG_AGO
    return (moment, facts["is_merged"], facts["state"] == "closed", facts["version"])


def _steps(head: HeadRow, known: Mapping[str, HeadRow]) -> int:
    """Return the number of stored predecessors of a head; a cycle ends where it began."""
    seen = {head.sha}
    before = head.before_sha
    while before is not None and before in known and before not in seen:
        seen.add(before)
        before = known[before].before_sha
    return len(seen)


def _text(time: datetime | None) -> str | None:
    return None if time is None else time.astimezone(UTC).isoformat()


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
