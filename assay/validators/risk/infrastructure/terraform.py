"""Settings of Terraform, its variable files and other HCL."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.validators.io.structured_files import LIMIT_CHARACTERS, Unreadable
from assay.validators.risk.infrastructure.settings import MOST_VALUE, Setting

if TYPE_CHECKING:
    import tree_sitter

MOST_DEPTH = 60
_WRAPPERS = ("expression", "collection_value", "template_expr", "literal_value")


def terraform(text: str) -> Iterator[Setting]:
    """Yield the settings of every block; `moved` and `removed` name the resource that they keep."""
    if len(text) > LIMIT_CHARACTERS:
        raise Unreadable("larger than a settings file can be")
    root = _parser().parse(text.encode("utf-8", "surrogateescape")).root_node
    body = next((one for one in root.named_children if one.type == "body"), None)
    for one in body.named_children if body is not None else ():
        if one.type != "block":
            yield from _attribute("", (), one, 0)
            continue
        words = [_text(word) for word in one.named_children if word.type in ("identifier", "string_lit")]
        yield Setting(_resource(words), (), "", one.start_point.row + 1)
        yield from _body(_resource(words), (), one, 0)


def _resource(words: list[str]) -> str:
    """Return the address of a block as Terraform writes it: `aws_db_instance.main`, `data.x.y`, `module.z`."""
    return ".".join(words[1:] if words[0] == "resource" else words)


def _body(resource: str, path: tuple[str, ...], block: tree_sitter.Node, depth: int) -> Iterator[Setting]:
    if depth > MOST_DEPTH:
        raise Unreadable(f"nested deeper than {MOST_DEPTH} levels")
    numbers: Counter[str] = Counter()
    for one in (child for body in block.named_children if body.type == "body" for child in body.named_children):
        if one.type == "attribute":
            yield from _attribute(resource, path, one, depth)
        elif one.type == "block":
            words = [_text(word) for word in one.named_children if word.type in ("identifier", "string_lit")]
            name = words[-1] if words[0] == "dynamic" else words[0]
            inner = path if words == ["content"] else (*path, name, f"#{numbers[name]}")
            numbers[name] += 1
            yield from _body(resource, inner, one, depth + 1)


def _attribute(resource: str, path: tuple[str, ...], node: tree_sitter.Node, depth: int) -> Iterator[Setting]:
    if node.type == "attribute" and len(node.named_children) > 1:
        yield from _value(resource, (*path, _text(node.named_children[0])), node.named_children[-1], depth)


def _value(resource: str, path: tuple[str, ...], node: tree_sitter.Node, depth: int) -> Iterator[Setting]:
    if depth > MOST_DEPTH:
        raise Unreadable(f"nested deeper than {MOST_DEPTH} levels")
    children = node.named_children
    if node.type in _WRAPPERS and len(children) == 1:
        yield from _value(resource, path, children[0], depth + 1)
    elif node.type == "tuple":
        for at, one in enumerate(child for child in children if child.type == "expression"):
            yield from _value(resource, (*path, f"#{at}"), one, depth + 1)
    elif node.type == "object":
        for one in (child for child in children if child.type == "object_elem"):
            yield from _value(resource, (*path, _text(one.named_children[0])), one.named_children[-1], depth + 1)
    elif node.type == "function_call" and _text(children[0]) in ("jsonencode", "toset", "tolist", "merge", "concat"):
        for at, one in enumerate(child for group in children[1:] for child in group.named_children):
            yield from _value(resource, (*path, f"#{at}"), one, depth + 1)
    elif node.type == "heredoc_template":
        yield from _document(resource, path, node)
    else:
        yield Setting(resource, path, _text(node)[:MOST_VALUE], node.start_point.row + 1)


def _document(resource: str, path: tuple[str, ...], node: tree_sitter.Node) -> Iterator[Setting]:
    """Yield the settings of a policy that is written as JSON; all on the line where it begins."""
    words = "".join(_text(one) for one in node.named_children if one.type == "template_literal")
    try:
        document = json.loads(words)
    except (ValueError, RecursionError):
        return
    waiting: list[tuple[tuple[str, ...], Any]] = [(path, document)]
    while waiting:
        at, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*at, str(name)), one) for name, one in value.items()]
        elif isinstance(value, list):
            waiting += [((*at, f"#{number}"), one) for number, one in enumerate(value)]
        else:
            yield Setting(resource, at, str(value)[:MOST_VALUE], node.start_point.row + 1)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip('"')


@cache
def _parser() -> tree_sitter.Parser:
    import tree_sitter
    import tree_sitter_hcl

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_hcl.language()))
