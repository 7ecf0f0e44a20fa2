"""What a command is: a word after `/assay`, and what it does; who may say it stands in `authority`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assay.github.client import Permission, Repo
from assay.github.events.model import Person, PullFacts
from assay.github_app.runtime.context import Context


@dataclass(frozen=True, slots=True)
class Asked:
    """A command somebody gave, as far as it is known to be theirs to give.

    `text` is what follows the command's name, as it was typed. `key` names the comment's line or the press of a button:
    whatever is done under it is done once. `pull` is the pull request as GitHub describes it now; `said_at` is when
    the comment was written (None for a button, which belongs to `seen_head` instead). `made_by` is who made the
    head, for the acts that bar them.
    """

    context: Context
    repo: Repo
    repository_id: int
    pull: PullFacts
    by: Person
    permission: Permission
    text: str
    key: str
    at: datetime
    said_at: datetime | None = None
    seen_head: str | None = None
    made_by: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        return self.pull.number

    @property
    def place(self) -> tuple[int, int]:
        """(repository id, number): how the store names a pull request."""
        return self.repository_id, self.pull.number


class Command(Protocol):
    """One command. Carrying it out again under the same key changes nothing."""

    @property
    def name(self) -> str:
        """The word after `/assay`, and the register key."""

    @property
    def usage(self) -> str:
        """The name and what may follow it, as `help` shows it."""

    @property
    def about(self) -> str:
        """What it does, in one line of Markdown."""

    def carry_out(self, asked: Asked) -> str:
        """Do it; what is answered, as Markdown. Raises `CommandRefused` with the answer where it cannot be done."""
