"""Effects of SQL statements on a schema, parsed by sqlglot, or by their words where it fails.

Loading sqlglot takes a third of a second: only `sql_statements` may import this module, and only for SQL.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError

from assay.validators.risk.migrations.migration import Effect, Operation
from assay.validators.risk.migrations.sql_words import effect_by_words, without_comments
from assay.validators.wording import shortened

# sqlglot warns on standard error of every unknown statement; those are read by words.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

LIMIT_TOKENS_PARSED = 2000
"""Tokens; a longer statement loads data, and is read by its first words."""
_DIALECTS = ("postgres", "mysql", "tsql")
_DESTROYING_KINDS = frozenset("TABLE COLUMN SCHEMA DATABASE TYPE SEQUENCE VIEW".split())
_FILLING = (
    exp.DefaultColumnConstraint,
    exp.GeneratedAsIdentityColumnConstraint,
    exp.ComputedColumnConstraint,
    exp.AutoIncrementColumnConstraint,
)


def operations_in(sql: str) -> list[Operation]:
    """Return the effect of each statement on existing tables."""
    made: set[str] = set()
    found: list[Operation] = []
    for line, text, tree in _statements(sql):
        # IF NOT EXISTS keeps an existing table: a DROP after it removes that one.
        if isinstance(tree, exp.Create) and tree.kind in {"TABLE", "VIEW"} and not tree.args.get("exists"):
            made.add(_table(tree))
        elif tree is not None and not isinstance(tree, exp.Insert) and _table(tree) in made:
            continue
        effect = _effect(tree, text)
        if effect is not None:
            found.append(Operation(effect, shortened(without_comments(text[:1000]), 100), line))
    return found


def _statements(sql: str) -> Iterator[tuple[int, str, Any]]:
    """Yield (line, text, tree) of each statement; the tree is None if no dialect parses it."""
    try:
        tokens = list(Dialect.get_or_raise(_DIALECTS[0]).tokenize(sql))
    except (SqlglotError, RecursionError, ValueError, IndexError):
        yield from _split_plainly(sql)
        return
    chunk: list[Any] = []
    line, counted = 1, 0
    for token in [*tokens, None]:
        if token is not None and token.token_type.name != "SEMICOLON":
            chunk.append(token)
        elif chunk:
            start, text = chunk[0].start, sql[chunk[0].start : chunk[-1].end + 1]
            line += sql.count("\n", counted, start)
            counted = start
            yield line, text, _parsed(chunk, text)
            chunk = []


def _split_plainly(sql: str) -> Iterator[tuple[int, str, None]]:
    line = 1
    for part in sql.split(";"):
        if without_comments(part):
            yield line + part[: len(part) - len(part.lstrip())].count("\n"), part.strip(), None
        line += part.count("\n")


def _parsed(tokens: Sequence[Any], text: str) -> Any:
    if len(tokens) > LIMIT_TOKENS_PARSED:
        return None
    for dialect in _DIALECTS:
        try:
            trees = sqlglot.parse(text, read=dialect, error_level=ErrorLevel.RAISE)
        except (SqlglotError, RecursionError, ValueError, IndexError, AttributeError, TypeError, KeyError):
            # sqlglot raises more than `SqlglotError` for some texts that are not statements.
            continue
        if trees and trees[0] is not None and not isinstance(trees[0], exp.Command):
            return trees[0]
    return None


def _effect(tree: Any, text: str) -> Effect | None:
    """Return the worst effect of a statement; None if it changes nothing permanent."""
    if isinstance(tree, exp.Create) and tree.kind in {"FUNCTION", "PROCEDURE"}:
        return effect_by_words(text) or Effect.additive
    if isinstance(tree, (exp.Create, exp.Insert)):
        return Effect.additive
    if isinstance(tree, exp.Drop):
        return Effect.destructive if _kind(tree) in _DESTROYING_KINDS else Effect.other
    if isinstance(tree, exp.Delete):
        return Effect.other if tree.args.get("where") else Effect.destructive
    if isinstance(tree, exp.Alter) and tree.args.get("kind") == "TABLE":
        effects = [_effect_of(action, text) for action in tree.args.get("actions") or ()]
        return max(effects, key=list(Effect).index, default=Effect.other)
    return effect_by_words(text)


def _effect_of(action: Any, text: str) -> Effect:
    """Return the effect of one ALTER TABLE action."""
    if isinstance(action, exp.Drop):
        return Effect.destructive if (_kind(action) or "COLUMN") == "COLUMN" else Effect.other
    if isinstance(action, (exp.RenameColumn, exp.AlterRename)):
        return Effect.destructive
    if isinstance(action, exp.AddConstraint):
        return Effect.other
    if isinstance(action, exp.AlterColumn):
        is_strict = action.args.get("dtype") is not None or action.args.get("allow_null") is False
        return Effect.destructive if is_strict else Effect.other
    if isinstance(action, exp.ColumnDef):
        kinds = [constraint.kind for constraint in action.find_all(exp.ColumnConstraint)]
        is_filled = any(isinstance(kind, _FILLING) for kind in kinds)
        required = (kind for kind in kinds if isinstance(kind, exp.NotNullColumnConstraint))
        is_required = any(not kind.args.get("allow_null") for kind in required)
        return Effect.destructive if is_required and not is_filled else Effect.additive
    return effect_by_words(text) or Effect.other


def _kind(tree: Any) -> str:
    return str(tree.args.get("kind") or "").upper()


def _table(tree: Any) -> str:
    table = tree.find(exp.Table)
    return ".".join(part.name for part in table.parts).lower() if table is not None else ""
