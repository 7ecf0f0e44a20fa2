"""Reply to commands: one comment per pull request, edited for each reply, with earlier replies folded."""

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
"""Maximum bytes of one reply (a comment has up to five), and of the list of earlier ones; GitHub accepts 65,535."""
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply to one command: the user's login, the command escaped, Markdown, and whether it succeeded."""

    by: str
    command: str
    text: str
    is_done: bool

    def lines(self) -> str:
        """Return command and reply as Markdown."""
        return f"{as_code(self.by)} · {self.command}\n\n{'✅' if self.is_done else '🤔'} {self.text}"


@dataclass(frozen=True, slots=True)
class Conversation:
    """Pull request of the replies, with its earlier events."""

    store: Store
    repo: Repo
    repository_id: int
    number: int
    log: Sequence[EventRow]

    def carried_out(self, key: str, replies: Sequence[Reply], at: datetime, *, by: str, is_guest: bool) -> None:
        """Record the results before posting them, so that a failed post does not run the commands again."""
        texts = [{"command": one.command, "text": one.text, "is_done": one.is_done} for one in replies]
        data = {"by": by, "said": texts, "is_guest": is_guest}
        self.store.events.append(CARRIED_OUT, key, at, self.repository_id, self.number, data=data)

    def say(self, key: str, replies: Sequence[Reply], link: str | None, at: datetime) -> None:
        """Edit or create our comment, and record that this key has its reply."""
        earlier = [event for event in self.log if event.kind == CARRIED_OUT and event.key != f"{CARRIED_OUT}:{key}"]
        reply_id = self._put(_body(replies, link, earlier))
        self.store.events.append(ANSWERED, key, at, self.repository_id, self.number, data={"reply_id": reply_id})

    def _put(self, body: str) -> int:
        known = self._known()
        if known is not None:
            try:
                return self.repo.edit_comment(known, body).id
            except GithubRefused as error:
                # A user deleted it: create a new one.
                if error.status != _NOT_FOUND or known in {one.id for one in self.repo.comments(self.number)}:
                    raise
        return self.repo.create_comment(self.number, body).id

    def _known(self) -> int | None:
        """Return our comment: the recorded one, else one with our marker and author (users can write markers)."""
        ids = [event.data["reply_id"] for event in self.log if event.kind == ANSWERED and event.data.get("reply_id")]
        if ids:
            return int(ids[-1])
        found = ((one, read_marker(one.body)) for one in self.repo.comments(self.number) if self.repo.us.wrote(one))
        return next((one.id for one, mark in found if mark and mark[0] == MARKER), None)


def is_answered(log: Iterable[EventRow], key: str) -> bool:
    """Return whether this comment or press has its reply."""
    return any(event.key == f"{ANSWERED}:{key}" for event in log)


def was_carried_out(log: Iterable[EventRow], key: str) -> list[Reply] | None:
    """Return the recorded results of this comment or press, or None if it has not run."""
    for event in log:
        if event.key == f"{CARRIED_OUT}:{key}":
            by = str(event.data["by"])
            return [Reply(by, one["command"], one["text"], one["is_done"]) for one in event.data["said"]]
    return None


def _body(replies: Sequence[Reply], link: str | None, earlier: Sequence[EventRow]) -> str:
    parts = [marker(MARKER), *(_whole_lines(one.lines().split("\n"), MOST_ANSWER) for one in replies)]
    if link:
        parts.append(f"<sub>Reply to [this comment]({link}).</sub>")
    before = _whole_lines(_earlier(earlier), MOST_OF_EARLIER)
    if before:
        parts.append(f"<details><summary>Earlier replies</summary>\n\n{before}\n\n</details>")
    return "\n\n".join(parts)


def _earlier(log: Sequence[EventRow]) -> Iterator[str]:
    for event in reversed(log[-MOST_EARLIER:]):
        by = as_code(str(event.data["by"]))
        for one in event.data["said"]:
            mark = "✅" if one["is_done"] else "🤔"
            yield f"- {event.at:%Y-%m-%d %H:%M} UTC · {by} · {one['command']} {mark} {_short(one['text'])}"


def _short(text: str) -> str:
    """Return the first line of a reply, never truncated: half a code span would expose its content."""
    first = text.split("\n", 1)[0]
    return first if len(first) <= 600 and not first.startswith(("|", "-")) else "…"


def _whole_lines(lines: Iterable[str], most_bytes: int) -> str:
    """Join as many whole lines as fit."""
    kept: list[str] = []
    left = most_bytes
    for line in lines:
        left -= len(line.encode("utf-8", "replace")) + 1
        if left < 0:
            kept.append("…")
            break
        kept.append(line)
    return "\n".join(kept)
