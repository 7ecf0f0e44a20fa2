"""Column types of all tables: a value is read back unchanged from SQLite and PostgreSQL.

Text is untrusted. PostgreSQL rejects NUL and lone surrogates, so both are escaped before they are stored.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, Column, DateTime, ForeignKeyConstraint, Integer, MetaData, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

MOST_TEXT = 256 * 1024
"""Maximum characters of a text; GitHub's own longest text, a comment's body, has 65,536."""

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Metadata of all tables; every constraint has a name, so that later migrations can refer to it."""

BIG = BigInteger().with_variant(Integer(), "sqlite")
"""Type of GitHub's ids, and of counters that SQLite assigns."""


def clean(text: str, most: int = MOST_TEXT) -> str:
    r"""Return text every database accepts: NUL as U+FFFD, lone surrogates escaped (`\udc80`), cut to `most`."""
    whole = text.replace("\x00", "�")
    if not whole.isascii():
        whole = whole.encode("utf-8", "backslashreplace").decode("utf-8")
    return whole[:most]


class Words(TypeDecorator[str]):
    """Text column that cleans its values."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else clean(str(value))


class UtcTime(TypeDecorator[datetime]):
    """Column of aware times, stored in UTC with microseconds; a time without a zone is a programming error."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone cannot be stored: {value!r}")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """Column of plain data as ASCII text: lossless, even for NUL and lone surrogates, and equal on both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        return None if value is None else json.loads(value)


def pull_key(*, is_primary: bool = False) -> tuple[Column[int], Column[int]]:
    """Return the two columns that identify a pull request."""
    return (
        Column("repository_id", BIG, primary_key=is_primary, nullable=False, autoincrement=False),
        Column("number", Integer(), primary_key=is_primary, nullable=False, autoincrement=False),
    )


def of_a_pull() -> ForeignKeyConstraint:
    """Return the foreign key to a pull request; the row is deleted with it."""
    return ForeignKeyConstraint(
        ["repository_id", "number"], ["pulls.repository_id", "pulls.number"], ondelete="CASCADE"
    )
