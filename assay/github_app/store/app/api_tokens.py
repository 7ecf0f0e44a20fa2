"""API tokens of agents: stored as a hash, limited to repositories and scopes.

        assay_ + 43 letters (32 random bytes) + 8 hex digits (CRC-32 of the preceding characters)

The checksum rejects mistyped tokens without a database query and lets secret scanners confirm a match.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import JsonAs, Kept, Key, StoredRow, Words, described
from assay.github_app.store.database.database import Tables, insert_new, rows

USED_EVERY = timedelta(minutes=1)
"""Precision of the last use: a write per request would make readers wait for writers."""
_FORM = re.compile(r"(assay_[A-Za-z0-9_-]{43})([0-9a-f]{8})")


class Scope(StrEnum):
    """Scope of a token."""

    tasks = "tasks"
    feedback = "feedback"
    traces = "traces"
    rules_read = "rules:read"
    rules_write = "rules:write"
    metrics_read = "metrics:read"


def _scopes(stored: Iterable[str]) -> frozenset[Scope]:
    return frozenset(map(Scope, stored))


class TokenRow(StoredRow):
    """A token, without its secret. `id` names it in lists and in the log."""

    __tablename__ = "api_tokens"
    __table_args__ = described("API tokens of agents: hash, scope and expiry.", Kept.always)

    id: Mapped[Key]
    name: Mapped[str]
    repository_ids: Mapped[frozenset[int]] = mapped_column(JsonAs(frozenset))
    scopes: Mapped[frozenset[Scope]] = mapped_column(JsonAs(_scopes))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    digest = mapped_column(Words, nullable=False, unique=True)

    def is_good(self, at: datetime) -> bool:
        """Return whether the token is valid at this time."""
        return self.revoked_at is None and at < self.expires_at


@dataclass(frozen=True, slots=True)
class MadeToken:
    """New token; the only place that has its `secret`."""

    row: TokenRow
    secret: str = field(repr=False)


class ApiTokens(Tables):
    """The table `api_tokens`."""

    def make(
        self, name: str, repository_ids: Iterable[int], scopes: Iterable[Scope], at: datetime, lifetime: timedelta
    ) -> MadeToken:
        """Create a token; only its hash is stored."""
        body = "assay_" + secrets.token_urlsafe(32)
        secret = body + _checksum(body)
        values = {
            "id": secrets.token_hex(6),
            "name": name,
            "digest": _digest(secret),
            "repository_ids": sorted(set(repository_ids)),
            "scopes": sorted(str(scope) for scope in set(scopes)),
            "created_at": at,
            "expires_at": at + lifetime,
        }
        with self._database.write() as connection:
            if not insert_new(connection, TokenRow, values):
                raise LookupError("a token of this id is there already")
            row = rows(connection, select(TokenRow).filter_by(id=values["id"]))[0]
        return MadeToken(row, secret)

    def known(self, secret: str) -> TokenRow | None:
        """Return the token with this secret, valid or not, or None if it never existed."""
        if not is_token(secret):
            return None
        return self._database.one(select(TokenRow).filter_by(digest=_digest(secret)))

    def used(self, token: TokenRow, at: datetime) -> None:
        """Record the use of a token, to the minute."""
        if token.last_used_at is not None and at - token.last_used_at < USED_EVERY:
            return
        before = TokenRow.last_used_at.is_(None) | (TokenRow.last_used_at < at)
        self._database.execute(update(TokenRow).where(TokenRow.id == token.id, before).values(last_used_at=at))

    def revoke(self, token_id: str, at: datetime) -> bool:
        """Revoke the token; return False if it does not exist or was revoked before."""
        valid = update(TokenRow).filter_by(id=token_id, revoked_at=None)
        return self._database.execute(valid.values(revoked_at=at)) > 0

    def all(self) -> tuple[TokenRow, ...]:
        """Return all tokens, including expired and revoked ones, oldest first."""
        return self._database.rows(select(TokenRow).order_by(TokenRow.created_at, TokenRow.id))


def is_token(text: str) -> bool:
    """Return whether a text has the form of a token, including its checksum."""
    found = _FORM.fullmatch(text)
    return found is not None and found[2] == _checksum(found[1])


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def _digest(secret: str) -> str:
    # 256 random bits need no salt and no slow hash: a brute-force search is infeasible.
    return hashlib.sha256(secret.encode()).hexdigest()
