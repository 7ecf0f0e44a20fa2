"""Django migrations: the database effect of their operations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from assay.validators.risk.migrations.django_fields import effect_of_altering, is_required
from assay.validators.risk.migrations.migration import Effect, Migration, Operation, Surroundings
from assay.validators.risk.migrations.python_calls import called, executed, in_words, keyword, parsed, text_of

_PLACE = re.compile(r"(^|/)migrations/[^/]+\.py$")
_EFFECTS = {
    **dict.fromkeys("RemoveField DeleteModel RenameField RenameModel AlterModelTable".split(), Effect.destructive),
    **dict.fromkeys("CreateModel AddIndex AddConstraint AddIndexConcurrently CreateExtension".split(), Effect.additive),
    "RunPython": Effect.unclear,
    **dict.fromkeys(
        "RemoveIndex RemoveConstraint AlterUniqueTogether AlterIndexTogether RenameIndex "
        "RemoveIndexConcurrently".split(),
        Effect.other,
    ),
    **dict.fromkeys("AlterModelOptions AlterModelManagers AlterOrderWithRespectTo".split(), Effect.additive),
}


def _claims(path: str, text: str) -> bool:
    return _PLACE.search(path) is not None and "Migration" in text and "operations" in text


def _operations(text: str, surroundings: Surroundings) -> Iterator[Operation]:
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.ClassDef) and node.name == "Migration":
            for statement in node.body:
                if isinstance(statement, ast.Assign) and any(
                    isinstance(target, ast.Name) and target.id == "operations" for target in statement.targets
                ):
                    yield from _listed(statement.value, set(), surroundings)


def _listed(node: ast.expr | None, made: set[str], around: Surroundings) -> Iterator[Operation]:
    if not isinstance(node, (ast.List, ast.Tuple)):
        if node is not None:
            yield Operation(Effect.unclear, "the operations are computed", node.lineno)
        return
    for item in node.elts:
        if not isinstance(item, ast.Call):
            yield Operation(Effect.unclear, "an operation is computed", item.lineno)
            continue
        if called(item) == "CreateModel":
            made.add((text_of(keyword(item, "name") or (item.args[0] if item.args else None)) or "").lower())
        if (text_of(keyword(item, "model_name")) or "?").lower() not in made:
            yield from _operation(item, made, around)


def _operation(node: ast.Call, made: set[str], around: Surroundings) -> Iterator[Operation]:
    name = called(node)
    if name == "SeparateDatabaseAndState":
        # State operations change Django's state, not the database.
        yield from _listed(keyword(node, "database_operations") or (node.args[0] if node.args else None), made, around)
    elif name == "RunSQL":
        yield from executed(node, keyword(node, "sql") or (node.args[0] if node.args else None))
    elif name == "AlterField":
        yield Operation(effect_of_altering(node, around.earlier()), in_words(node), node.lineno)
    elif name == "AddField":
        field = keyword(node, "field")
        yield Operation(Effect.destructive if is_required(field) else Effect.additive, in_words(node), node.lineno)
    else:
        yield Operation(_EFFECTS.get(name, Effect.unclear), in_words(node), node.lineno)


DJANGO = Migration("django", _claims, _operations)
