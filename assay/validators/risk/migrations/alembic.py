"""Alembic migrations: the operations of `upgrade`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from assay.validators.language_table import suffixes
from assay.validators.risk.migrations.migration import Effect, Operation, Surroundings
from assay.validators.risk.migrations.python_calls import called, in_words, is_constant, keyword, parsed, text_of
from assay.validators.risk.migrations.sql_statements import statement_operations

_REVISION = re.compile(r"(?:^|[;,])\s*(down_)?revision\b\s*([:,][^=\n]+)?=", re.MULTILINE)
_DESTRUCTIVE = frozenset("drop_table drop_column rename_table".split())
_ADDITIVE = frozenset(
    "create_table add_column create_index create_foreign_key create_unique_constraint create_check_constraint "
    "create_primary_key bulk_insert create_table_comment".split()
)
_OTHER = frozenset("drop_index drop_constraint drop_table_comment create_exclude_constraint".split())


class Alembic:
    """Entry of the register."""

    name = "alembic"
    is_state = False

    def claims(self, path: str, text: str) -> bool:
        return path.endswith(suffixes("python")) and "upgrade" in text and _REVISION.search(text) is not None

    def operations(self, text: str, surroundings: Surroundings) -> Iterable[Operation]:  # noqa: ARG002 - it says all
        calls = [node for node in _going_up(parsed(text)) if isinstance(node, ast.Call)]
        made = {text_of(node.args[0]) for node in calls if called(node) == "create_table" and node.args}
        for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            if not (node.args and called(node) != "create_table" and text_of(node.args[0]) in made):
                yield from _operations(node)


def _going_up(module: ast.Module) -> Iterator[ast.AST]:
    """Yield every node except those of downgrade functions."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        children = ast.iter_child_nodes(node)
        waiting.extend(one for one in children if "downgrade" not in str(getattr(one, "name", "")))


def _operations(node: ast.Call) -> Iterator[Operation]:
    name = called(node)
    if name == "execute":
        yield from _executed(node)
        return
    effect = None
    if name in _DESTRUCTIVE:
        effect = Effect.destructive
    elif name == "add_column":
        effect = Effect.destructive if _adds_required(node) else Effect.additive
    elif name == "alter_column":
        strict = (
            keyword(node, "new_column_name") or keyword(node, "type_") or is_constant(keyword(node, "nullable"), False)
        )
        effect = Effect.destructive if strict else Effect.other
    elif name in _ADDITIVE:
        effect = Effect.additive
    elif name in _OTHER:
        effect = Effect.other
    if effect is not None:
        yield Operation(effect, in_words(node), node.lineno)


def _executed(node: ast.Call) -> Iterator[Operation]:
    sql = text_of(node.args[0]) if node.args else None
    if sql is None:
        yield Operation(Effect.unclear, in_words(node), node.lineno)
        return
    for operation in statement_operations(sql):
        yield Operation(operation.effect, operation.text, node.lineno)


def _adds_required(node: ast.Call) -> bool:
    """Return whether a column is added for which existing rows have no value."""
    columns = [argument for argument in node.args if isinstance(argument, ast.Call) and called(argument) == "Column"]
    return any(
        is_constant(keyword(column, "nullable"), False) and keyword(column, "server_default") is None
        for column in columns
    )
