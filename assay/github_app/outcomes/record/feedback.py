"""Feedback of agents on missing context: answers at the end of tasks, and notes in descriptions, kept as insights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from assay.github_app.ops.observability import redact
from assay.github_app.rule_matching.screen import unfit
from assay.github_app.store import PULL_BODY, EventKind, InsightRow, InsightType, PullRow, Store

MOST_ANSWER = 16 * 1024
"""Maximum characters kept of an answer."""

UNCONFIRMED = "no maintainer has confirmed it"
"""Why an answer without other reasons against it is not delivered to agents."""

MOST_HEADING = 200
"""Maximum length of a heading line."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TITLE = re.compile(r"agent[ \t]{1,3}notes:?", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOTHING = re.compile(r"\W*(?:none|nothing|n/?a|no|nothing (?:was )?missing|everything was clear)\W*", re.IGNORECASE)


def take_feedback(
    store: Store,
    repository_id: int,
    answer: str,
    at: datetime,
    *,
    source: str,
    seen_at: datetime,
    task_id: str | None = None,
    number: int | None = None,
    told_by: str | None = None,
    agent: str | None = None,
    why_not: str | None = None,
) -> tuple[InsightRow, bool] | None:
    """Store an answer to `FEEDBACK_QUESTION` as an insight; return it, and whether it is new.

    Returns None if nothing was missing ("none", "n/a"), which is only logged. An answer is delivered to agents once a
    maintainer has confirmed it, because no pattern finds every bad advice; `why_not` and signs of injection are shown
    to the maintainer as reasons against it. Apparent credentials are redacted.
    """
    text = redact(answer.strip()[:MOST_ANSWER], is_prose=True)
    with store.together():
        if number is None and task_id is not None:
            task = store.tasks.get(repository_id, task_id)
            number = task.number if task else None
        kept = None
        if text and not _NOTHING.fullmatch(text):
            kept = store.insights.put(
                repository_id,
                InsightType.agent_self_feedback,
                text,
                at,
                source=source,
                seen_at=seen_at,
                task_id=task_id,
                number=number,
                told_by=told_by,
                agent=agent,
                why_not=why_not or unfit(text) or UNCONFIRMED,
            )
        key = f"{repository_id}:{task_id or number}:{kept[0].id if kept else at.isoformat()}"
        data = {"source": source, "told_by": told_by, "insight": kept[0].id if kept else None}
        store.events.append(EventKind.feedback_given, key, at, repository_id, number, task_id, data)
    return kept


def agent_notes(body: str) -> str | None:
    """Return the section `## Agent notes` of a description as text; None if it is missing or empty.

    The heading may have any level; the section ends at the next heading of that level or higher. Headings in code
    fences and text in HTML comments are ignored.
    """
    level = 0
    kept: list[str] = []
    for depth, title, line in _lines(_HIDDEN.sub("", body[:65_536])):
        if level and depth and depth <= level:
            break
        if level:
            kept.append(line)
        elif depth and _TITLE.fullmatch(title):
            level = depth
    text = "\n".join(kept).strip()
    return text[:MOST_ANSWER] or None


def read_notes(store: Store, pull: PullRow, at: datetime) -> InsightRow | None:
    """Store the notes in a description as feedback, replacing earlier ones.

    Notes from forks are shown to people only, because their authors are untrusted.
    """
    notes = agent_notes(pull.body)
    if notes is None:
        store.insights.forget_notes(pull.repository_id, pull.number, None)
        return None
    stranger = "the pull request comes from a fork" if pull.is_fork else None
    kept = take_feedback(
        store,
        pull.repository_id,
        notes,
        pull.updated_at or at,
        source=PULL_BODY,
        seen_at=at,
        task_id=pull.task_id or f"pull:{pull.number}",
        number=pull.number,
        told_by=pull.author,
        agent=pull.agent,
        why_not=stranger,
    )
    store.insights.forget_notes(pull.repository_id, pull.number, kept[0].id if kept else None)
    return kept[0] if kept else None


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (heading level or 0, title, line) for each line of Markdown."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            is_end = mark is not None and mark[1][0] == fence[0] and len(mark[1]) >= len(fence)
            fence = "" if is_end and not line.strip(" `~\t") else fence
            yield 0, "", line
            continue
        # On an overlong line the pattern would be quadratic in its blanks.
        heading = _HEADING.fullmatch(line) if len(line) <= MOST_HEADING else None
        fence = mark[1] if mark else ""
        yield (len(heading[1]), heading[2].strip(), line) if heading else (0, "", line)
