"""Models with changed columns in a change without a migration."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from assay.validators.changes.change import ChangedFile, ChangeSet, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.languages.python.names import last_name
from assay.validators.languages.python.trees import nodes, parsed
from assay.validators.report.model import Statement

_COLUMN = re.compile(r"(?:\w*Field|ForeignKey|OneToOneField|ManyToManyField|Column|mapped_column)")
_COLUMN_WORD = re.compile(r"Field|ForeignKey|Column|mapped_column")
"""Word of any column; without a prefix, since a repeated one would be slow on untrusted lines."""
_WORDED = frozenset("help_text verbose_name choices validators error_messages editable blank doc comment".split())
"""Arguments that do not change a table."""
_ALEMBIC = re.compile(r"(?:alembic|migrations?)/versions/[^/]+\.py$")
_APART = frozenset({Nature.test, Nature.docs, Nature.vendored, Nature.generated})
_PRISMA_FIELD = re.compile(r"^\s+(\w+)\s+\w[\w\[\]?]*", re.MULTILINE)


def model_changes(change: ChangeSet, file: ChangedFile) -> Iterator[Statement]:
    """Yield the columns that a changed model gets, loses or redefines while its folder of migrations stays."""
    if file.base_path is None or not file.exists or file.nature in _APART or not _may_hold_models(file.path):
        return
    is_prisma = file.path.endswith(".prisma")
    lines = (*file.added.values(), *file.removed.values())
    if not is_prisma and not any(map(_COLUMN_WORD.search, lines)):
        return
    folder = _folder_of_migrations(change, file.path, is_prisma=is_prisma)
    if folder is None or any(one.path.startswith(folder) for one in change.files):
        return
    read = _prisma if is_prisma else _columns
    before, after = read(text_at(change.base, file.base_path)), read(text_at(change.head, file.path))
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    for name in changed[:20]:
        line = after[name][1] if name in after else None
        if before.get(name, ("",))[0] != after.get(name, ("",))[0]:
            text = f"the column {name} changes and no migration comes in {folder}"
            yield Statement("model_without_migration", text, file.path, line)


def _may_hold_models(path: str) -> bool:
    return path.endswith((*suffixes("python"), "schema.prisma")) and "/migrations/" not in path


def _folder_of_migrations(change: ChangeSet, path: str, *, is_prisma: bool) -> str | None:
    """Return the migrations folder nearest to a model; for SQLAlchemy, Alembic's."""
    paths = change.base.paths
    folder = path.rpartition("/")[0]
    while True:
        prefix = f"{folder}/migrations/" if folder else "migrations/"
        if any(path.startswith(prefix) and (is_prisma or path.endswith(suffixes("python"))) for path in paths):
            return prefix
        if not folder:
            break
        folder = folder.rpartition("/")[0]
    versions = (path.rpartition("/")[0] + "/" for path in paths if _ALEMBIC.search(path))
    return next(versions, None)


def _columns(source: str) -> Mapping[str, tuple[str, int]]:
    """Return `Model.column` -> (its definition, line)."""
    module = parsed(source)
    found: dict[str, tuple[str, int]] = {}
    for owner in (node for node in (nodes(module) if module is not None else ()) if isinstance(node, ast.ClassDef)):
        if not _is_model(owner):
            continue
        for node in owner.body:
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if (
                isinstance(value, ast.Call)
                and isinstance(target, ast.Name)
                and _COLUMN.fullmatch(last_name(value.func))
            ):
                keywords = [one for one in value.keywords if one.arg not in _WORDED]
                found[f"{owner.name}.{target.id}"] = ast.dump(ast.Call(value.func, value.args, keywords)), node.lineno
    return found


def _is_model(owner: ast.ClassDef) -> bool:
    """Return whether a class is a table; forms, serializers, filters and page tables have no migrations."""
    names = [last_name(base) for base in owner.bases]
    return any(name.endswith(("Model", "Base", "Mixin")) or name == "db" for name in names) and not any(
        re.search(r"Form|Serializer|Filter|Table$|Type$|Schema", name) for name in (*names, owner.name)
    )


def _prisma(source: str) -> Mapping[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    model = ""
    for number, line in enumerate(source.split("\n"), 1):
        if match := re.match(r"\s*(?:model|enum)\s+(\w+)\s*\{", line):
            model = match[1]
        elif line.strip() == "}":
            model = ""
        elif model and (field := _PRISMA_FIELD.match(line)):
            found[f"{model}.{field[1]}"] = " ".join(line.partition("//")[0].split()), number
    return found
