"""Alembic migrations: the operations of `upgrade`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from assay.validators.changes.language_table import suffixes
from assay.validators.risk.migrations.migration import Effect, Migration, Operation
from assay.validators.risk.migrations.python_calls import (
    called,
    executed,
    in_words,
    keyword,
    parsed,
    text_of,
)

_REVISION = re.compile(r"(?:^|[;,])\s*(down_)?revision\b\s*([:,][^=\n]+)?=", re.MULTILINE)
_EFFECTS = {
    **dict.fromkeys("drop_table drop_column rename_table".split(), Effect.destructive),
    **dict.fromkeys(
        "create_table add_column create_index create_foreign_key create_unique_constraint create_check_constraint "
        "create_primary_key bulk_insert create_table_comment".split(),
        Effect.additive,
    ),
    **dict.fromkeys(
        "drop_index drop_constraint drop_table_comment create_exclude_constraint alter_column".split(), Effect.other
    ),
}


def _claims(path: str, text: str) -> bool:
    return path.endswith(suffixes("python")) and "upgrade" in text and _REVISION.search(text) is not None


def _operations(text: str) -> Iterator[Operation]:
    calls = [node for node in _going_up(parsed(text)) if isinstance(node, ast.Call)]
    made = {text_of(node.args[0]) for node in calls if called(node) == "create_table" and node.args}
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        if not (node.args and called(node) != "create_table" and text_of(node.args[0]) in made):
            yield from _of_call(node)


def _going_up(module: ast.Module) -> Iterator[ast.AST]:
    """Yield every node except those of downgrade functions."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        children = ast.iter_child_nodes(node)
        waiting.extend(one for one in children if "downgrade" not in str(getattr(one, "name", "")))


def _of_call(node: ast.Call) -> Iterator[Operation]:
    name = called(node)
    if name == "execute":
        yield from executed(node, node.args[0] if node.args else None)
        return
    effect = _EFFECTS.get(name)
    if (name == "add_column" and _adds_required(node)) or (name == "alter_column" and _is_strict(node)):
        effect = Effect.destructive
    if effect is not None:
        yield Operation(effect, in_words(node), node.lineno)


def _is_strict(node: ast.Call) -> bool:
    """Return whether a column gets another name or type, or refuses null."""
    return _refuses_null(node) or any(keyword(node, name) is not None for name in ("new_column_name", "type_"))


def _adds_required(node: ast.Call) -> bool:
    """Return whether a column is added for which existing rows have no value."""
    columns = [argument for argument in node.args if isinstance(argument, ast.Call) and called(argument) == "Column"]
    return any(_refuses_null(column) and keyword(column, "server_default") is None for column in columns)


def _refuses_null(node: ast.Call) -> bool:
    nullable = keyword(node, "nullable")
    return isinstance(nullable, ast.Constant) and nullable.value is False


ALEMBIC = Migration("alembic", _claims, lambda text, _: _operations(text))
