"""A repository whose people say things about pull requests, without GitHub: what is learned from it is in the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

from assay.embedding.embedder import EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github.client import Permission
from assay.github.events.model import CommentFacts, Person
from assay.github_app.learning.match.comparing import Reader
from assay.github_app.learning.rules.learned import LearningResult, learn_from
from assay.github_app.store import CommentRow, RuleRow, Store
from assay.validators import ConfirmedBy, Learning
from tests.github_app.remembering import REPOSITORY, after, pull

ID = REPOSITORY.id
NO_ANY = "Please use explicit types instead of `any`."
NO_ANY_AGAIN = "Use explicit types here instead of `any`, please."
EARLY = "Return early here rather than nesting."
ONE_EXIT = "Please use a single exit here instead of early returns."

READER = Reader(EMBEDDERS["bundled"](EmbeddingSettings()))
"""What reads and compares, as the App has it by default."""


@dataclass
class Village:
    """Its people are numbered by their names; each pull request is made by `ada`, unless somebody else is named.

    Here a quorum confirms, unless a test says otherwise.
    """

    store: Store
    settings: Learning = field(default_factory=lambda: Learning(confirmed_by=ConfirmedBy.quorum))
    ids: Any = field(default_factory=lambda: count(1))
    people: dict[str, int] = field(default_factory=dict)
    reader: Reader = READER

    def person(self, login: str) -> Person:
        return Person(login, self.people.setdefault(login, 100 + len(self.people)))

    def open(self, number: int, by: str = "ada", **changes: Any) -> None:
        """A pull request is opened."""
        facts = pull(id=900 + number, number=number, author=self.person(by), **changes)
        self.store.pulls.see(facts, REPOSITORY, after())

    def says(
        self,
        login: str,
        number: int,
        body: str,
        at: datetime | None = None,
        *,
        permission: Permission = Permission.write,
        comment_id: int | None = None,
        is_deleted: bool = False,
        **changes: Any,
    ) -> LearningResult:
        """Somebody comments on a line, or edits that (`comment_id`); what was learned."""
        row = self.comment(login, number, body, at, comment_id=comment_id, is_deleted=is_deleted, **changes)
        return self.learn(row, permission, at)

    def comment(
        self,
        login: str,
        number: int,
        body: str,
        at: datetime | None = None,
        *,
        comment_id: int | None = None,
        is_deleted: bool = False,
        **changes: Any,
    ) -> CommentRow:
        """The row of a comment; of an edited one `at` is the time of the edit."""
        if self.store.pulls.get(ID, number) is None:
            self.open(number)
        at = at or after(hours=number)
        known = self.store.reviews.comment(ID, "line", comment_id) if comment_id else None
        facts: dict[str, Any] = {
            "id": comment_id or next(self.ids),
            "author": self.person(login),
            "body": body,
            "created_at": known.created_at if known else at,
            "updated_at": at,
            "path": "src/app.ts",
            "line": 3,
        }
        facts |= changes
        self.store.reviews.put_comment(ID, number, CommentFacts(**facts), at, is_deleted=is_deleted)
        row = self.store.reviews.comment(ID, "line", facts["id"])
        assert row is not None
        return row

    def learn(
        self, row: CommentRow, permission: Permission = Permission.write, at: datetime | None = None
    ) -> LearningResult:
        """Learn from a comment as it stands."""
        known = self.store.pulls.get(ID, row.number)
        assert known is not None
        at = at or row.created_at or after()
        return learn_from(row, known, permission, self.store, self.reader, at, settings=self.settings)

    def rules(self) -> dict[str, str]:
        """Text -> state of every rule."""
        return {row.text: str(row.state) for row in self.store.rules.of(ID)}

    def rule(self) -> RuleRow:
        """The only rule."""
        (row,) = self.store.rules.of(ID)
        return row

    def repeats(self) -> list[int]:
        """The pull requests on which something came back."""
        return [one.number for one in self.store.rules.matches(ID)]
