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
from typing import Any

from sqlalchemy import Column, Row, Table, select, update

from assay.github_app.store.database.columns import METADATA, Json, UtcTime, Words
from assay.github_app.store.database.database import Database, by_key, insert_new, locked

USED_EVERY = timedelta(minutes=1)
"""Precision of the last use: a write per request would make readers wait for writers."""
_FORM = re.compile(r"(assay_[A-Za-z0-9_-]{43})([0-9a-f]{8})")

API_TOKENS = Table(
    "api_tokens",
    METADATA,
    Column("id", Words, primary_key=True),
    Column("name", Words, nullable=False),
    Column("digest", Words, nullable=False, unique=True),
    Column("repository_ids", Json, nullable=False),
    Column("scopes", Json, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("revoked_at", UtcTime),
    Column("last_used_at", UtcTime),
    info={"holds": "API tokens of agents: hash, scope and expiry."},
)


class Scope(StrEnum):
    """Scope of a token."""

    tasks = "tasks"
    feedback = "feedback"
    traces = "traces"
    rules_read = "rules:read"
    rules_write = "rules:write"
    metrics_read = "metrics:read"


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token, without its secret. `id` names it in lists and in the log."""

    id: str
    name: str
    repository_ids: frozenset[int]
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None

    def is_good(self, at: datetime) -> bool:
        """Return whether the token is valid at this time."""
        return self.revoked_at is None and at < self.expires_at


@dataclass(frozen=True, slots=True)
class MadeToken:
    """New token; the only place that has its `secret`."""

    row: TokenRow
    secret: str = field(repr=False)


class ApiTokens:
    """The table `api_tokens`."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
            if not insert_new(connection, API_TOKENS, values):
                raise LookupError("a token of this id is there already")
            row = connection.execute(by_key(API_TOKENS, {"id": values["id"]})).one()
        return MadeToken(_token(row), secret)

    def known(self, secret: str) -> TokenRow | None:
        """Return the token with this secret, valid or not, or None if it never existed."""
        if not is_token(secret):
            return None
        with self._database.read() as connection:
            row = connection.execute(by_key(API_TOKENS, {"digest": _digest(secret)})).one_or_none()
        return None if row is None else _token(row)

    def used(self, token: TokenRow, at: datetime) -> None:
        """Record the use of a token, to the minute."""
        if token.last_used_at is not None and at - token.last_used_at < USED_EVERY:
            return
        with self._database.write() as connection:
            row = locked(connection, API_TOKENS, {"id": token.id})
            if row is not None and (row.last_used_at is None or row.last_used_at < at):
                connection.execute(update(API_TOKENS).where(API_TOKENS.c.id == token.id).values(last_used_at=at))

    def revoke(self, token_id: str, at: datetime) -> bool:
        """Revoke the token; return False if it does not exist or was revoked before."""
        with self._database.write() as connection:
            row = locked(connection, API_TOKENS, {"id": token_id})
            if row is None or row.revoked_at is not None:
                return False
            connection.execute(update(API_TOKENS).where(API_TOKENS.c.id == token_id).values(revoked_at=at))
            return True

    def all(self) -> tuple[TokenRow, ...]:
        """Return all tokens, including expired and revoked ones, oldest first."""
        with self._database.read() as connection:
            rows = list(connection.execute(select(API_TOKENS).order_by(API_TOKENS.c.created_at, API_TOKENS.c.id)))
        return tuple(_token(row) for row in rows)


def is_token(text: str) -> bool:
    """Return whether a text has the form of a token, including its checksum."""
    found = _FORM.fullmatch(text)
    return found is not None and found[2] == _checksum(found[1])


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def _digest(secret: str) -> str:
    # 256 random bits need no salt and no slow hash: a brute-force search is infeasible.
    return hashlib.sha256(secret.encode()).hexdigest()


def _token(row: Row[Any]) -> TokenRow:
    values = {name: value for name, value in row._asdict().items() if name != "digest"}
    lists = {"repository_ids": frozenset(row.repository_ids), "scopes": frozenset(map(Scope, row.scopes))}
    return TokenRow(**{**values, **lists})
