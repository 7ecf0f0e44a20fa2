"""Database changes: steps that lose data or break running code, and steps that only add."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, FileKind, SourceTree, decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in, languages
from assay.validators.io.globs import matcher
from assay.validators.io.structured_files import Unreadable
from assay.validators.report.answers import asked_of, language_name
from assay.validators.report.gravity import KINDS, Gravity
from assay.validators.report.model import Statement
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.migrations.migration import Effect, Operation, Surroundings
from assay.validators.risk.migrations.model_changes import model_changes
from assay.validators.risk.migrations.register import MIGRATIONS
from assay.validators.risk.signal import Measure, RiskContext

_KINDS = {
    Effect.destructive: "schema_destroyed",
    Effect.unread: "schema_unread",
    Effect.unclear: "schema_unclear",
    Effect.rewritten: "schema_rewritten",
    Effect.other: "schema_changed",
    Effect.additive: "schema_changed",
}
COVERED = languages("sql", "prisma", "python", "ruby", "javascript", "typescript")
_SQL = languages("sql")
_NUMBERED = re.compile(r"\d{3}")
"""Names of migrations, which run in order; other files in their folders help them."""
_NOT_APPLIED = frozenset({Nature.test, Nature.docs, Nature.vendored})


class SchemaSignal:
    """Signal `schema`: a revert does not restore data that a migration removed."""

    name = "schema"
    answers = Question.schema
    covers = COVERED

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every operation by its effect."""
        named = matcher(context.limits.paths.schemas)
        for file in context.change.files:
            is_named = named(file.path)
            if file.kind is not FileKind.text or (file.nature in _NOT_APPLIED and not is_named):
                continue
            yield from model_changes(context.change, file)
            try:
                for said in _operations(context, file, is_named):
                    if isinstance(said, NotChecked):
                        yield said
                        continue
                    kind = _KINDS[said.effect]
                    # A path that the configuration names is never only a notice.
                    is_raised = is_named and KINDS[kind].gravity is Gravity.notice
                    yield Statement("schema_path" if is_raised else kind, said.text, file.path, said.line)
            except Unreadable as error:
                yield Statement("schema_unread", f"cannot be read: {error}", file.path)
                yield NotChecked(shown(file.path), str(error), question=self.answers, files=(file.path,))


def _operations(context: RiskContext, file: ChangedFile, is_named: bool) -> Iterator[Operation | NotChecked]:
    before = _text(context.change.base, file.base_path)
    after = _text(context.change.head, file.path if file.exists else None)
    texts = [text for text in (after, before) if text is not None]
    reader = next((one for text in texts for one in MIGRATIONS if one.claims(file.path, text)), None)
    if reader is None:
        is_edited = bool(context.changed_code(file)) if before is not None else None
        yield from _unread(file, after or "", is_named, is_edited)
        return
    if reader.is_state:
        yield from reader.operations(after or "", Surroundings(before))
        return
    if after is None:
        yield Operation(Effect.rewritten, "a migration that may have been applied is deleted")
        return
    around = Surroundings(before, lambda: _earlier(context.change.base, file.base_path or file.path))
    old = Counter((one.effect, one.text) for one in reader.operations(before, around)) if before else Counter()
    new = []
    for operation in reader.operations(after, around):
        if old[operation.effect, operation.text] > 0:
            old[operation.effect, operation.text] -= 1
        else:
            new.append(operation)
    yield from new
    if file.base_path not in (None, file.path):
        text = f"a migration that may have been applied is renamed from {shown(file.base_path or '')}"
        yield Operation(Effect.rewritten, text)
    # A step on a table of the same file does not count as one on existing data, and still edits the file.
    is_edited = bool(new) or old.total() > 0 or (is_in(file.path, _SQL) and bool(context.changed_code(file)))
    if before is not None and is_edited:
        text = "a migration that may have been applied is edited"
        yield Operation(Effect.rewritten, text, next(iter(file.added), None))


def _unread(file: ChangedFile, text: str, is_named: bool, is_edited: bool | None) -> Iterator[Operation | NotChecked]:
    """Yield that no reader claims a file of migrations, or that the configuration names; `is_edited`: None if new."""
    line = next(iter(file.added), None)
    if is_named:
        yield Operation(Effect.unclear, "a schema definition is edited", line)
    elif text and not text.isspace() and Question.schema in asked_of(file):
        if _NUMBERED.search(file.path.rpartition("/")[2]) and is_edited is not False:
            text = (
                "a migration that may have been applied is edited"
                if is_edited
                else "a migration whose steps are not read"
            )
            yield Operation(Effect.rewritten if is_edited else Effect.unclear, text, line)
        if is_in(file.path, COVERED):
            why = "this kind of migration is not supported"
            yield NotChecked(language_name(file.path), why, question=Question.schema, files=(file.path,))


def _earlier(tree: SourceTree, path: str) -> Iterator[str]:
    """Yield the texts of the earlier files of its folder, nearest first; names are numbered."""
    folder = path.rpartition("/")[0] + "/"
    near = [one for one in tree.paths if one.rpartition("/")[0] + "/" == folder and one < path]
    yield from filter(None, (_text(tree, one) for one in sorted(near, reverse=True)))


def _text(tree: SourceTree, path: str | None) -> str | None:
    content = tree.read(path) if path is not None else None
    return None if content is None else decoded(content)
