"""Effect on a column of a changed Django field."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from assay.validators.io.structured_files import Unreadable
from assay.validators.risk.migrations.migration import Effect
from assay.validators.risk.migrations.python_calls import called, keyword, parsed, text_of

MOST_EARLIER = 300
"""Maximum earlier migrations of an app that are searched for a field, newest first."""
_TEXT_FIELDS = frozenset("CharField TextField URLField EmailField SlugField FileField ImageField FilePathField".split())
_WITHOUT_COLUMN = frozenset("ManyToManyField AutoField BigAutoField SmallAutoField GeneratedField".split())
_SAID_TO_DJANGO_ONLY = frozenset(
    "verbose_name help_text choices validators blank editable error_messages related_name related_query_name default "
    "auto_now auto_now_add limit_choices_to upload_to storage on_delete encoder decoder to_field serialize".split()
)
"""Arguments without effect on the database."""
_LENGTHS = {"URLField": 200, "SlugField": 50, "EmailField": 254, **dict.fromkeys(["FileField", "ImageField"], 100)}
"""Default column lengths of Django's fields."""
_WIDENING = (
    "SmallIntegerField IntegerField BigIntegerField",
    "PositiveSmallIntegerField PositiveIntegerField PositiveBigIntegerField",
    "SlugField CharField TextField",
    "EmailField CharField TextField",
    "URLField CharField TextField",
)
"""Field kinds in rows; each kind holds every value of those before it."""
_CHECKED = frozenset("unique db_index db_constraint unique_for_date primary_key".split())


def is_required(field: ast.expr | None) -> bool:
    """Return whether existing rows lack a value for a new field; "" is a value if the field may be blank."""
    if not isinstance(field, ast.Call) or called(field) in _WITHOUT_COLUMN:
        return False
    if any(keyword(field, name) is not None for name in ("default", "db_default", "auto_now", "auto_now_add")):
        return False
    is_blank_text = called(field) in _TEXT_FIELDS and _says(field, "blank") is True
    return not is_blank_text and _says(field, "null") is not True


def effect_of_altering(operation: ast.Call, earlier: Iterable[str]) -> Effect:
    """Return the effect of an `AlterField` on the column, given earlier migrations, newest first."""
    now = keyword(operation, "field")
    model, name = text_of(keyword(operation, "model_name")), text_of(keyword(operation, "name"))
    if not isinstance(now, ast.Call) or model is None or name is None:
        return Effect.unclear
    for number, text in enumerate(earlier):
        if number >= MOST_EARLIER:
            break
        was = _definition(text, model.lower(), name) if name in text else None
        if was is not None:
            return _effect(was, now)
    return Effect.unclear


def _definition(text: str, model: str, name: str) -> ast.Call | None:
    """Return the last definition of a field in one migration."""
    try:
        module = parsed(text)
    except Unreadable:
        return None
    found: ast.Call | None = None
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        if called(node) in {"AddField", "AlterField"}:
            is_it = (text_of(keyword(node, "model_name")) or "").lower() == model and text_of(
                keyword(node, "name")
            ) == name
            field = keyword(node, "field") if is_it else None
        elif called(node) == "CreateModel" and (text_of(keyword(node, "name")) or "").lower() == model:
            field = _listed(keyword(node, "fields"), name)
        else:
            continue
        found = field if isinstance(field, ast.Call) else found
    return found


def _listed(fields: ast.expr | None, name: str) -> ast.expr | None:
    for pair in fields.elts if isinstance(fields, (ast.List, ast.Tuple)) else ():
        if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and text_of(pair.elts[0]) == name:
            return pair.elts[1]
    return None


def _effect(was: ast.Call, now: ast.Call) -> Effect:
    if called(was) != called(now) and not _widens(called(was), called(now)):
        return Effect.destructive
    before = {one.arg: ast.dump(one.value) for one in was.keywords if one.arg}
    after = {one.arg: ast.dump(one.value) for one in now.keywords if one.arg}
    differing = {name for name in {*before, *after} if before.get(name) != after.get(name)} - _SAID_TO_DJANGO_ONLY
    effects = [_effect_of_argument(name, _said(was, name), _said(now, name)) for name in differing]
    if called(was) != called(now):
        effects.append(Effect.other)
    return max(effects, key=list(Effect).index, default=Effect.additive)


def _widens(before: str, after: str) -> bool:
    """Return whether every value of one field kind is valid for the other."""
    rows = (row.split() for row in _WIDENING)
    return any(before in row and after in row[row.index(before) :] for row in rows)


def _effect_of_argument(name: str, before: Any, after: Any) -> Effect:
    if name == "null":
        return Effect.additive if after is True else Effect.destructive
    if name == "max_length" and isinstance(before, int):
        return Effect.additive if after is None or (isinstance(after, int) and after > before) else Effect.destructive
    return Effect.other if name in _CHECKED or name.startswith("db_") else Effect.destructive


def _said(field: ast.Call, name: str) -> Any:
    """Return the value of an argument, or Django's default."""
    value = _says(field, name)
    return _LENGTHS.get(called(field)) if value is None and name == "max_length" else value


def _says(field: ast.Call, name: str) -> Any:
    """Return the constant value of an argument, or None."""
    value = keyword(field, name)
    return value.value if isinstance(value, ast.Constant) else None
