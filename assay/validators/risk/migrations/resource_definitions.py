"""Kubernetes custom resource definitions: clusters need the new one before the program that uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.io.structured_files import Node, yaml_document
from assay.validators.risk.migrations.migration import Effect, Migration, Operation, Surroundings

_DEFINES = re.compile(r"^kind:\s*[\"']?CustomResourceDefinition\b", re.MULTILINE)
MOST_FIELDS = 50_000


def _claims(path: str, text: str) -> bool:
    return path.endswith((".yaml", ".yml")) and _DEFINES.search(text) is not None


def _operations(text: str, surroundings: Surroundings) -> Iterator[Operation]:
    old, new = _definitions(surroundings.before or ""), _definitions(text)
    for name in old.keys() - new.keys():
        yield Operation(Effect.destructive, f"the resource definition {name} is gone")
    for name, (line, fields) in new.items():
        if name not in old:
            yield Operation(Effect.additive, f"new resource definition {name}", line)
            continue
        before = old[name][1]
        if gone := sorted(before.keys() - fields.keys()):
            yield Operation(Effect.destructive, f"{name} loses {_named(gone)}", line)
        if come := sorted(fields.keys() - before.keys()):
            yield Operation(Effect.other, f"{name} gains {_named(come)}", fields[come[0]])


def _named(fields: list[str]) -> str:
    """Return the outermost of these fields: `spec.a and 2 more`."""
    outer = [one for one in fields if one.rpartition(".")[0] not in fields]
    return f"{outer[0]}{f' and {len(outer) - 1} more' if len(outer) > 1 else ''}"


def _definitions(text: str) -> dict[str, tuple[int, dict[str, int]]]:
    """Return name of each definition -> (its line, the fields of its newest version with their lines)."""
    found: dict[str, tuple[int, dict[str, int]]] = {}
    for document in _documents(text):
        if document.at("kind").text == "CustomResourceDefinition":
            versions = document.at("spec", "versions").items
            schema = versions[-1].at("schema", "openAPIV3Schema") if versions else Node(1)
            found[document.at("metadata", "name").text] = document.line, _fields(schema)
    return found


def _documents(text: str) -> Iterator[Node]:
    """Yield the documents of a file, their lines counted in the whole file."""
    at = 0
    for part in re.split(r"^---[^\S\n]*(?=\n)", text, flags=re.MULTILINE):
        if _DEFINES.search(part):
            yield yaml_document("\n" * at + part)
        at += part.count("\n")


def _fields(schema: Node) -> dict[str, int]:
    """Return dotted name of each property below a schema -> its line."""
    found: dict[str, int] = {}
    left = [("", schema)]
    while left and len(found) < MOST_FIELDS:
        name, one = left.pop()
        for key, each in one.at("properties").pairs.items():
            path = f"{name}.{key}".lstrip(".")
            found[path] = each.line
            left.append((path, each))
        left += [(name, one.at(inner)) for inner in ("items", "additionalProperties") if one.at(inner).pairs]
    return found


RESOURCE_DEFINITIONS = Migration("resource_definitions", _claims, _operations, is_state=True)
