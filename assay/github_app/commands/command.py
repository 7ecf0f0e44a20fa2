"""Interface of commands; `assay.github.authority` defines who may use them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assay.github.client import Permission, Repo
from assay.github.events.model import Person, PullFacts
from assay.github_app.runtime.context import Context


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """Command of a user, from a comment or a button.

    `text` follows the command's name, unparsed. `key` identifies the line of the comment or the press of the button and
    makes effects idempotent. `pull` is the pull request as GitHub describes it now. `said_at` is the time of the
    comment (None for a button, which belongs to `seen_head`). `made_by` names the makers of the head, for acts that
    exclude them.
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
        """Key of the pull request in the store: (repository id, number)."""
        return self.repository_id, self.pull.number


class Command(Protocol):
    """Command, idempotent per key."""

    @property
    def name(self) -> str:
        """Word after `/assay`, and the register key."""

    @property
    def usage(self) -> str:
        """Name and arguments, for `/assay help`."""

    @property
    def about(self) -> str:
        """Description in one line of Markdown."""

    def carry_out(self, request: CommandRequest) -> str:
        """Run the command and return the reply as Markdown. Raises `CommandRefused` with the reply if it cannot."""
