"""Migrations written in JavaScript or TypeScript (Knex, Sequelize, TypeORM, MikroORM): the calls before `down`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.validators.changes.change import lines_of
from assay.validators.risk.migrations.migration import Effect, Migration, Operation
from assay.validators.risk.migrations.sql_statements import statement_operations

_PLACE = re.compile(r"(^|/)migrations?/[^/]+\.[cm]?[jt]s$")
_SIGN = re.compile(r"\b(knex|queryInterface|QueryRunner|queryRunner|MigrationInterface|addSql|exports\.up|schema)\b")
_DOWN = re.compile(r"\bdown\s*(\(|:|=)|\bfunction\s+down\b")
_UP = re.compile(r"\bup\s*(\(|:|=)|\bfunction\s+up\b")
_CALLS = {
    Effect.destructive: re.compile(
        r"\.(dropTable\w*|dropColumns?|removeColumn|renameColumn|renameTable|dropSchema|dropDatabase|changeColumn|alter)\s*\("
    ),
    Effect.other: re.compile(
        r"\.(dropIndex|removeIndex|dropForeign\w*|dropUnique|removeConstraint|dropCheckConstraint)\s*\("
    ),
    Effect.additive: re.compile(
        r"\.(createTable\w*|addColumns?|addIndex|createIndex|addConstraint|createForeignKey|bulkInsert|insert)\s*\("
    ),
    Effect.unclear: re.compile(r"\.(raw|query|addSql)\s*\("),
}
_SQL = re.compile(r"""\.(?:raw|query|addSql)\s*\(\s*(?:'([^'\n]*)'|"([^"\n]*)"|`([^`$]*)`)""")


def _claims(path: str, text: str) -> bool:
    return _PLACE.search(path) is not None and _SIGN.search(text) is not None


def _operations(text: str) -> Iterator[Operation]:
    is_down = False
    for number, line in enumerate(lines_of(text), 1):
        if len(line) > 4000:
            continue
        if _DOWN.search(line):
            is_down = True
        elif _UP.search(line):
            is_down = False
        if is_down:
            continue
        if sql := _SQL.search(line):
            for operation in statement_operations(sql[1] or sql[2] or sql[3] or ""):
                yield replace(operation, line=number)
            continue
        for effect, pattern in _CALLS.items():
            if pattern.search(line):
                yield Operation(effect, line.strip()[:100], number)
                break


JAVASCRIPT = Migration("javascript", _claims, lambda text, _: _operations(text))
