"""Base class and column types of all tables: a value is read back unchanged from SQLite and PostgreSQL.

Text is untrusted. PostgreSQL rejects NUL and lone surrogates, so both are escaped before they are stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

from sqlalchemy import BigInteger, DateTime, Float, ForeignKeyConstraint, Integer, MetaData, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column
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


class JsonAs(Json):
    """Column of plain data that is converted when it is read; null is read as an empty list."""

    cache_ok = True

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        super().__init__()
        self.convert = convert

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        data = super().process_result_value(value, dialect)
        return self.convert(() if data is None else data)


class Choice(Words):
    """Text column of an enumeration's values."""

    cache_ok = True

    def __init__(self, kind: type[StrEnum]) -> None:
        super().__init__()
        self.kind = kind

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:  # noqa: ARG002
        return None if value is None else self.kind(value)


Big = Annotated[int, mapped_column(BIG)]
BigKey = Annotated[int, mapped_column(BIG, primary_key=True, autoincrement=False)]
Key = Annotated[str, mapped_column(primary_key=True)]
_TYPES = {
    str: Words,
    float: Float,
    datetime: UtcTime,
    tuple[str, ...]: JsonAs(tuple),
    tuple[int, ...]: JsonAs(tuple),
    Mapping[str, Any]: Json,
}


class StoredRow(MappedAsDataclass, DeclarativeBase):
    """Base class of rows: a class is its table, an object is one row, detached from the database.

    Columns without `Mapped` belong to the table only. Large ones are deferred: they are selected by name.
    """

    metadata = METADATA
    type_annotation_map = _TYPES


class OfAPull(MappedAsDataclass):
    """Columns that identify a pull request, at the beginning of a table's key."""

    repository_id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=False, sort_order=-2)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, sort_order=-1)


class Kept(StrEnum):
    """Retention of a table's rows, in the words of `docs/app/store.md`; `queries/retention.py` deletes them."""

    until_end = "until they end"
    keep_days = "keep days"
    pull = "pull request"
    task = "task"
    rule = "rule"
    history_days = "history days"
    always = "always"


def described(holds: str, kept: Kept) -> dict[str, Any]:
    """Return the options of a table: what it holds and how long, as `docs/app/store.md` says."""
    return {"info": {"holds": holds, "kept": kept}}


def of_a_pull() -> ForeignKeyConstraint:
    """Return the foreign key to a pull request; the row is deleted with it."""
    return ForeignKeyConstraint(
        ["repository_id", "number"], ["pulls.repository_id", "pulls.number"], ondelete="CASCADE"
    )
