"""Interface changes of GraphQL schemas: the definitions of one folder, before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.validators.changes.change import ChangedFile, FileKind, SourceTree, decoded
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.io.structured_files import LIMIT_CHARACTERS, Unreadable
from assay.validators.report.answers import unanswered
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.api.difference import NameChange
from assay.validators.risk.signal import RiskContext

if TYPE_CHECKING:
    from graphql import GraphQLSchema

MOST_FILES = 200
"""Maximum files of one folder that are read as one schema."""
MOST_TOKENS = 300_000
_NAME = re.compile(r"@?[A-Za-z_]\w*(?:\.\w+)?(?:\(\w+:\))?")


def of_graphql(context: RiskContext) -> Iterator[NameChange | NotChecked]:
    """Yield the changes of the touched schemas, and those that could not be read."""
    folders: dict[str, list[ChangedFile]] = {}
    for file in context.change.files:
        is_schema = file.path.endswith(suffixes("graphql")) and file.nature is Nature.source
        if is_schema and not file.is_example and file.kind is FileKind.text:
            folders.setdefault(_folder(file.base_path or file.path), []).append(file)
    for folder, files in folders.items():
        if context.deadline.passed:
            yield from unanswered(files, Question.interface, "the tier ran out of time before everything was compared")
            continue
        moved = {file.path: file.base_path for file in files if file.base_path is not None}
        try:
            before = _schema(context.change.base, {*_members(context.change.base, folder), *moved.values()})
            after = _schema(context.change.head, {*_members(context.change.head, folder), *moved})
        except Unreadable as error:
            yield from unanswered(files, Question.interface, str(error))
            continue
        if before is not None:
            yield from _differences(before, after, files)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _members(tree: SourceTree, folder: str) -> list[str]:
    endings = suffixes("graphql")
    return [path for path in tree.paths if path.endswith(endings) and _folder(path) == folder]


def _schema(tree: SourceTree, paths: set[str]) -> GraphQLSchema | None:
    """Build the schema these files define together; None if they define no type. Raises `Unreadable`."""
    from graphql import (  # loaded only for a changed schema
        DocumentNode,
        GraphQLError,
        TypeSystemDefinitionNode,
        TypeSystemExtensionNode,
        build_ast_schema,
        parse,
    )

    found = sorted(path for path in paths if path in tree)
    if len(found) > MOST_FILES:
        raise Unreadable(f"its folder holds more than {MOST_FILES} schema files")
    definitions = []
    try:
        for path in found:
            text = decoded(tree.read(path, LIMIT_CHARACTERS) or b"")
            nodes = parse(text, max_tokens=MOST_TOKENS).definitions if text.strip() else ()
            definitions += [
                node for node in nodes if isinstance(node, (TypeSystemDefinitionNode, TypeSystemExtensionNode))
            ]
        return build_ast_schema(DocumentNode(definitions=tuple(definitions))) if definitions else None
    except (GraphQLError, TypeError, ValueError, RecursionError) as error:
        said = str(error).partition("\n")[0][:200]
        raise Unreadable(f"the files of its folder do not form a schema: {said}") from error


def _differences(
    before: GraphQLSchema, after: GraphQLSchema | None, files: Sequence[ChangedFile]
) -> Iterator[NameChange]:
    from graphql import DangerousChangeType, GraphQLSchema, find_breaking_changes, find_dangerous_changes

    now = after if after is not None else GraphQLSchema()
    known = before.type_map.keys() | {f"@{one.name}" for one in before.directives}
    for kind, changes in (
        (ApiChangeKind.breaking, find_breaking_changes(before, now)),
        (ApiChangeKind.non_breaking, find_dangerous_changes(before, now)),
    ):
        for change in changes:
            said = change.description.removesuffix(".")
            found = [one for one in _NAME.findall(said) if re.split(r"[.(]", one)[0] in known]
            # The article of "A required field" may be the name of a type too.
            name = next((one for one in found if one != "A"), next(iter(found), "schema"))
            what = said.replace(f"{name} ", "", 1)
            is_default = change.type is DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE
            said_kind = ApiChangeKind.unknown if is_default else kind
            file, line = _place(name, files)
            yield NameChange(said_kind, name, name, what[:1].lower() + what[1:], file, line, exported=False)


def _place(name: str, files: Sequence[ChangedFile]) -> tuple[str, int | None]:
    """Return the changed file and line that name the field or type; else the first file."""
    last = re.findall(r"\w+", name)[-1]
    word = re.compile(rf"\b{last}\b")
    for file in files:
        for number, text in file.added.items():
            if word.search(text):
                return file.path, number
        if any(word.search(text) for text in file.removed.values()):
            return file.path, None
    return files[0].path, None
