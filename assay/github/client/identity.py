"""Assay's account on GitHub, and recognition of its comments by marker and author.

A marker alone proves nothing, as any user can type it.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.github.events.model import CommentFacts, Person


@dataclass(frozen=True, slots=True)
class Us:
    """Account of the App (by id and slug), or of a workflow's token."""

    login: str
    app_id: int | None = None

    @classmethod
    def app(cls, app_id: int, slug: str) -> Us:
        """Return the account of an App's bot; no user's login can contain brackets."""
        return cls(f"{slug}[bot]", app_id)

    def wrote(self, comment: CommentFacts) -> bool:
        """Return whether this account wrote a comment; comments on lines have no App id, so the login decides."""
        if comment.app_id is not None and self.app_id is not None:
            return comment.app_id == self.app_id
        return self.is_me(comment.author)

    def is_me(self, person: Person) -> bool:
        """Return whether a person is this account; logins are case-insensitive."""
        return person.login.lower() == self.login.lower() and (person.is_bot or not self.login.endswith("[bot]"))


ACTIONS = Us("github-actions[bot]")
"""Account of a workflow's token."""
