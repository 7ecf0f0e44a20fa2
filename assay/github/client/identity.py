"""Who we are on GitHub, and which comments are ours: by the hidden marker AND by who wrote it.

A marker alone proves nothing: everybody can type one.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.github.events.model import CommentFacts, Person


@dataclass(frozen=True, slots=True)
class Us:
    """The App (its id and slug), or whatever account a workflow's token writes as."""

    login: str
    app_id: int | None = None

    @classmethod
    def app(cls, app_id: int, slug: str) -> Us:
        """A GitHub App's bot. No person can have a login with brackets in it."""
        return cls(f"{slug}[bot]", app_id)

    def wrote(self, comment: CommentFacts) -> bool:
        """Whether we wrote it. Comments on lines do not say which App made them; their author's login does."""
        if comment.app_id is not None and self.app_id is not None:
            return comment.app_id == self.app_id
        return self.is_me(comment.author)

    def is_me(self, person: Person) -> bool:
        """Whether an account is ours; logins are the same in capitals."""
        return person.login.lower() == self.login.lower() and (person.is_bot or not self.login.endswith("[bot]"))


ACTIONS = Us("github-actions[bot]")
"""What a workflow's own token writes as."""
