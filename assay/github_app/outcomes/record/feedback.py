"""What agents say they lacked: asked at the end of every task, read from descriptions too, kept as insights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from assay.github_app.observability import redact
from assay.github_app.store import PULL_BODY, EventKind, InsightRow, InsightType, PullRow, Store

QUESTION = (
    "What information, context, or instructions were missing that would have helped you complete this task more "
    "effectively?"
)
"""Asked word for word, after success and failure alike, before the session ends."""

MOST_ANSWER = 16 * 1024
"""Characters kept of one answer."""

MOST_HEADING = 200
"""Characters of a line that may be a heading."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TITLE = re.compile(r"agent[ \t]{1,3}notes:?", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOTHING = re.compile(r"\W*(?:none|nothing|n/?a|no|nothing (?:was )?missing|everything was clear)\W*", re.IGNORECASE)

_SMELLS = {
    "it speaks of earlier instructions": r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,60}\b(?:instruction"
    r"|prompt|rule|guideline|polic|above|previous|prior|reviewer)",
    "it poses as a message of the system": r"(?:^|\n)[ \t]{0,8}(?:system|assistant|developer)[ \t]{0,3}:"
    r"|<\|?(?:im_start|system|assistant)\b|\byou are now\b|\bnew instructions?\b",
    "it names an address": r"\b[a-z][a-z0-9+.-]{1,10}://|\bwww\.[a-z0-9]",
    "it carries a command that fetches or runs something": r"\b(?:curl|wget|nc|bash|sh|powershell|eval|base64)\b[ \t]+-"
    r"|\|[ \t]{0,3}(?:ba|z)?sh\b|\brm[ \t]+-[rf]|\$\(|\bsudo\b|\bchmod\b",
    "it asks to weaken a safeguard": r"\b(?:skip|disable|turn off|remove|delete|bypass|comment out)\b[^.\n]{0,40}"
    r"\b(?:tests?|checks?|review|lint|ci|approval|security|validation|auth)",
    "it speaks of credentials": r"\b(?:print|send|post|upload|leak|echo|log|export)\b[^.\n]{0,40}"
    r"\b(?:secret|token|password|credential|api key|private key)",
}
_COMPILED = {why: re.compile(pattern, re.IGNORECASE) for why, pattern in _SMELLS.items()}


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
    """Keep an answer to `QUESTION` as an insight, with what it is about: (the insight, whether it is new).

    None where nothing was missing ("none", "n/a"): that is logged, and nobody needs to read it again. What smells of
    orders to other agents is kept and not handed to them; `why_not` says so of other answers too. What looks like a
    credential is taken out.
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
                why_not=why_not or why_not_trusted(text),
            )
        key = f"{repository_id}:{task_id or number}:{kept[0].id if kept else at.isoformat()}"
        data = {"source": source, "told_by": told_by, "insight": kept[0].id if kept else None}
        store.events.append(EventKind.feedback_given, key, at, repository_id, number, task_id, data)
    return kept


def why_not_trusted(text: str) -> str | None:
    """Why a text is shown to people and not handed to agents; None where nothing speaks against it.

    An insight is read by agents as something to go by, so it must not carry what makes one act against its orders.
    """
    return next((why for why, pattern in _COMPILED.items() if pattern.search(text[:MOST_ANSWER])), None)


def agent_notes(body: str) -> str | None:
    """The section `## Agent notes` of a description, as text; None where there is none, or nothing in it.

    A heading of any level counts; the section ends at the next heading of that level or a higher one. What stands in
    fences is no heading, and what nobody sees (HTML comments) is no note.
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
    """Keep the notes of a pull request's description as feedback, in place of those it had before.

    A fork's are shown to people alone: its author may be anybody.
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
    """(level of the heading or 0, its title, the line) of Markdown."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            is_end = mark is not None and mark[1][0] == fence[0] and len(mark[1]) >= len(fence)
            fence = "" if is_end and not line.strip(" `~\t") else fence
            yield 0, "", line
            continue
        # Of a line without end the pattern would try every place for every blank.
        heading = _HEADING.fullmatch(line) if len(line) <= MOST_HEADING else None
        fence = mark[1] if mark else ""
        yield (len(heading[1]), heading[2].strip(), line) if heading else (0, "", line)
