"""Declarations of a pull request about itself: task id, prompt version, model.

Read from commit trailers, and from lines or hidden comments in the description:

    Task-Id: 01JD3K5V7W8X9Y0Z1A2B3C4D5E
    Prompt-Version: checkout-agent-7
    <!-- assay model: some-model-2 -->

Any author can write them, so they only group metrics and grant no permission.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MOST_TEXT = 65_536
_VALUE = r"[A-Za-z0-9][A-Za-z0-9_.:/@+=~-]{0,99}"
TASK_ID = rf"^{_VALUE}$"
"""Pattern of a task id."""
FEEDBACK_QUESTION = (
    "What information, context, or instructions were missing that would have helped you complete this task more "
    "effectively?"
)
"""Question for agents, asked literally after success and failure, before the session ends."""
_KEY = r"task-id|assay-task|prompt-version|model"
_GAP = r"[ \t]{0,4}"
_LINE = re.compile(rf"^{_GAP}({_KEY}){_GAP}:{_GAP}({_VALUE})[ \t\r]{{0,8}}$", re.IGNORECASE | re.MULTILINE)
_HIDDEN = re.compile(rf"<!--{_GAP}assay[ \t]{{1,4}}({_KEY}){_GAP}[:=]{_GAP}({_VALUE}){_GAP}-->", re.IGNORECASE)
_NAMES = {"task-id": "task_id", "assay-task": "task_id", "prompt-version": "prompt_version", "model": "model"}
_ULID = re.compile(r"(?<![0-9A-Za-z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Za-z])", re.IGNORECASE)
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True, slots=True)
class Declared:
    """Declared values; None for each one not declared."""

    task_id: str | None = None
    prompt_version: str | None = None
    model: str | None = None

    def __bool__(self) -> bool:
        return any((self.task_id, self.prompt_version, self.model))


def declared_in_body(body: str) -> Declared:
    """Return the declarations of a description; hidden comments take precedence, then the first line of each."""
    text = body[:MOST_TEXT]
    return _first([*_HIDDEN.findall(text), *_LINE.findall(text)])


def declared_in_commits(messages: Iterable[str]) -> Declared:
    """Return the declarations in commit trailers; pass the newest commit first, which takes precedence."""
    found: list[tuple[str, str]] = []
    for message in messages:
        # Trailers are the last paragraph; reading more lines allows for tools that append another paragraph.
        found += _LINE.findall("\n".join(message[-MOST_TEXT:].splitlines()[-30:]))
    return _first(found)


def declared_in_branch(branch: str) -> Declared:
    """Return the task id in a branch name: a separate ULID, as in `agent/01JD3K5V7W8X9Y0Z1A2B3C4D5E-fix`."""
    match = _ULID.search(branch[:500])
    return Declared(task_id=match[0].upper()) if match else Declared()


def submitted_at(task_id: str, now: datetime) -> datetime | None:
    """Return the time in the first 48 bits of a ULID (milliseconds since 1970); None for other ids.

    Times before 2015 or more than a day after `now` are rejected: such an id is not a ULID.
    """
    if not _ULID.fullmatch(task_id):
        return None
    milliseconds = 0
    for digit in task_id[:10].upper():
        milliseconds = milliseconds * 32 + _DIGITS.index(digit)
    if milliseconds > (now + timedelta(days=1)).timestamp() * 1000:
        return None
    made = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return made if made.year >= 2015 else None


def _first(found: Iterable[tuple[str, str]]) -> Declared:
    values: dict[str, str] = {}
    for key, value in found:
        values.setdefault(_NAMES[key.lower()], value)
    return Declared(**values)
