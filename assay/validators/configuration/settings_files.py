"""Readers of a tree's settings files; a missing or broken file is empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.validators.changes.change import SourceTree, decoded
from assay.validators.io.structured_files import (
    LIMIT_CHARACTERS,
    Node,
    Unreadable,
    ini,
    json_document,
    toml,
    yaml_document,
)


def text_of(tree: SourceTree, path: str, limit: int = LIMIT_CHARACTERS) -> str:
    """Return the text of a file, or "" if it is missing or larger than `limit` bytes."""
    content = tree.read(path, limit) if path in tree else None
    return decoded(content) if content else ""


def toml_of(tree: SourceTree, path: str) -> Mapping[str, Any]:
    """Parse a TOML file into a mapping."""
    try:
        return toml(text_of(tree, path))
    except Unreadable:
        return {}


def json_of(tree: SourceTree, path: str) -> Mapping[str, Any]:
    """Parse a JSON file into a mapping."""
    try:
        value = json_document(text_of(tree, path) or "{}")
    except Unreadable:
        return {}
    return value if isinstance(value, dict) else {}


def yaml_of(tree: SourceTree, path: str) -> Node:
    """Parse a YAML file into nodes with line numbers."""
    try:
        return yaml_document(text_of(tree, path))
    except Unreadable:
        return Node(1)


def ini_of(tree: SourceTree, path: str) -> Mapping[str, Mapping[str, str]]:
    """Parse an INI file: section -> name -> value."""
    return ini_sections(text_of(tree, path))


def ini_sections(text: str) -> Mapping[str, Mapping[str, str]]:
    """Parse INI text: section -> name -> value; empty if it is none."""
    try:
        parser = ini(text)
    except Unreadable:
        return {}
    return {name: dict(parser[name]) for name in parser.sections()}


def table(value: Any, *names: str) -> Mapping[str, Any]:
    """Return the mapping below these names; empty for any other value."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def strings(value: Any) -> list[str]:
    """Return the strings of a list, or a single string; other values are dropped."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []
