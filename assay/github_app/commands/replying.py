"""The one reply: a comment of ours that is edited at every answer, with the answers before it folded below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github.client import Repo
from assay.github.errors import GithubRefused
from assay.github.publish import marker, read_marker
from assay.github_app.store import EventKind, EventRow, Store
from assay.validators import as_code

MARKER = "answers"
CARRIED_OUT, ANSWERED = EventKind.command_given, EventKind.command_answered
MOST_EARLIER = 10
MOST_ANSWER = 8_000
MOST_OF_EARLIER = 12_000
"""Bytes of one answer (a comment may hold five), and of the list of earlier ones; GitHub takes 65,535 in all."""
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Said:
    """One command and its answer: the login, the command as we write it, Markdown, and whether it was carried out."""

    by: str
    command: str
    text: str
    is_done: bool

    def lines(self) -> str:
        """Command and answer in one piece."""
        return f"{as_code(self.by)} · {self.command}\n\n{'✅' if self.is_done else '🤔'} {self.text}"


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where the reply stands: a pull request, its repository on GitHub, and what was said there before."""

    store: Store
    repo: Repo
    repository_id: int
    number: int
    log: Sequence[EventRow]

    def carried_out(self, key: str, said: Sequence[Said], at: datetime, *, by: str, is_guest: bool) -> None:
        """Write down what was done, before it is told: when telling fails, nothing is done again."""
        told = [{"command": one.command, "text": one.text, "is_done": one.is_done} for one in said]
        data = {"by": by, "said": told, "is_guest": is_guest}
        self.store.events.append(CARRIED_OUT, key, at, self.repository_id, self.number, data=data)

    def say(self, key: str, said: Sequence[Said], link: str | None, at: datetime) -> None:
        """Answer: edit our reply, or make it; then write down that this key is answered."""
        earlier = [event for event in self.log if event.kind == CARRIED_OUT and event.key != f"{CARRIED_OUT}:{key}"]
        reply_id = self._put(_body(said, link, earlier))
        self.store.events.append(ANSWERED, key, at, self.repository_id, self.number, data={"reply_id": reply_id})

    def _put(self, body: str) -> int:
        known = self._known()
        if known is not None:
            try:
                return self.repo.edit_comment(known, body).id
            except GithubRefused as error:
                # Somebody deleted it: say it in a new one.
                if error.status != _NOT_FOUND:
                    raise
        return self.repo.create_comment(self.number, body).id

    def _known(self) -> int | None:
        """Our reply: the one we wrote down, else one of ours with the marker (a marker alone anybody can write)."""
        ids = [event.data["reply_id"] for event in self.log if event.kind == ANSWERED and event.data.get("reply_id")]
        if ids:
            return int(ids[-1])
        found = ((one, read_marker(one.body)) for one in self.repo.comments(self.number) if self.repo.us.wrote(one))
        return next((one.id for one, mark in found if mark and mark[0] == MARKER), None)


def is_answered(log: Iterable[EventRow], key: str) -> bool:
    """Whether this comment or press has had its answer."""
    return any(event.key == f"{ANSWERED}:{key}" for event in log)


def was_carried_out(log: Iterable[EventRow], key: str) -> list[Said] | None:
    """What was done for it, where only the answer is missing; None where nothing was."""
    for event in log:
        if event.key == f"{CARRIED_OUT}:{key}":
            by = str(event.data["by"])
            return [Said(by, one["command"], one["text"], one["is_done"]) for one in event.data["said"]]
    return None


def _body(said: Sequence[Said], link: str | None, earlier: Sequence[EventRow]) -> str:
    parts = [marker(MARKER), *(_whole_lines(one.lines().split("\n"), MOST_ANSWER) for one in said)]
    if link:
        parts.append(f"<sub>Answer to [this comment]({link}).</sub>")
    before = _whole_lines(_earlier(earlier), MOST_OF_EARLIER)
    if before:
        parts.append(f"<details><summary>Earlier answers</summary>\n\n{before}\n\n</details>")
    return "\n\n".join(parts)


def _earlier(log: Sequence[EventRow]) -> Iterator[str]:
    for event in reversed(log[-MOST_EARLIER:]):
        by = as_code(str(event.data["by"]))
        for one in event.data["said"]:
            mark = "✅" if one["is_done"] else "🤔"
            yield f"- {event.at:%Y-%m-%d %H:%M} UTC · {by} · {one['command']} {mark} {_short(one['text'])}"


def _short(text: str) -> str:
    """The first line of an answer; whole or not at all, since half a code span would set free what it holds."""
    first = text.split("\n", 1)[0]
    return first if len(first) <= 600 and not first.startswith(("|", "-")) else "…"


def _whole_lines(lines: Iterable[str], most_bytes: int) -> str:
    """As many lines as fit, none of them in part."""
    kept: list[str] = []
    left = most_bytes
    for line in lines:
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            kept.append("…")
            break
        kept.append(line)
    return "\n".join(kept)
