"""Migrations of strangers: nothing is run, nothing raises, and nothing takes for ever."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.io.structured_files import Unreadable
from assay.validators.risk.migrations.migration import Effect, Surroundings
from assay.validators.risk.migrations.register import MIGRATIONS
from assay.validators.risk.migrations.sql_statements import LIMIT_CHARACTERS, statement_operations
from assay.validators.risk.migrations.sql_words import effect_by_words

WORDS = st.sampled_from(
    "ALTER TABLE DROP COLUMN ADD NOT NULL DEFAULT CREATE INDEX ON users ( ) ; ' \" ` $$ -- /* */ , = 1 INSERT INTO "
    "VALUES SELECT RENAME TO TYPE SET DELETE FROM WHERE CASCADE \n [ ] { } :: % \0 é DO BEGIN END".split(" ")
)


@given(st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=200))
def test_no_statement_is_too_strange(text: str):
    for operation in statement_operations(text):
        assert operation.text.strip() == operation.text
        assert "\n" not in operation.text
        assert operation.line is None or 1 <= operation.line <= text.count("\n") + 1


@pytest.mark.parametrize("migration", MIGRATIONS, ids=lambda migration: migration.name)
@given(st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=200), st.text(max_size=50))
def test_a_reader_raises_nothing_but_unreadable(migration, text: str, before: str):
    migration.claims("db/migrate/migrations/versions/0001_x.py", text)
    with suppress(Unreadable):
        assert all(one.text for one in migration.operations(text, Surroundings(before, lambda: iter([before, text]))))


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "SELECT (",
        "ALTER TABLE a ADD COLUMN b ",
        "'",
        "/*",
        "--\n",
        "CASE WHEN a THEN ",
        "a.",
        "$a$",
        "NOT ",
        "DROP ",
        "INSERT INTO a VALUES (1);\n",
    ],
)
def test_garbage_is_read_in_bounded_time(piece: str):
    began = time.process_time()
    statement_operations(piece * (40_000 // len(piece)))
    assert time.process_time() - began < 20


def test_a_dump_of_data_is_not_parsed_but_refused_or_read_by_words():
    rows = ",\n".join(f"({n}, 'DROP TABLE users')" for n in range(10_000))
    assert [one.effect for one in statement_operations(f"INSERT INTO a VALUES {rows};")] == [Effect.additive]
    with pytest.raises(Unreadable):
        statement_operations("-" * (LIMIT_CHARACTERS + 1))


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("SELECT 'DROP TABLE users'", None),
        ("set search_path to x", None),
        ("alter type mood add value 'fine'", Effect.additive),
        ("alter index a rename to b", Effect.other),
        ("alter table a drop partition p1", Effect.destructive),
        ("exec sp_rename 'a', 'b'", Effect.destructive),
        ("frobnicate the table", Effect.unclear),
    ],
)
def test_words_tell_what_no_parser_knows(text: str, effect: Effect | None):
    assert effect_by_words(text) == effect
