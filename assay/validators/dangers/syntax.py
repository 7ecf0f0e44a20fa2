"""Syntax trees of Python and of scripts, read in one way: both grammars' names of the same kind of node in one set."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.validators.changes.language_table import bare_suffixes
from assay.validators.languages.engine.rows import PYTHON as PYTHON_ROW
from assay.validators.languages.engine.rows import script_row

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

PYTHON = bare_suffixes("python", "cython")
SCRIPTS = bare_suffixes("javascript", "jsx", "typescript", "tsx")
LONGEST_NAME = 1000
"""Maximum bytes of an expression whose text is read."""
NAMES = frozenset(("identifier", "shorthand_property_identifier"))
CALLS = frozenset(("call", "call_expression", "new_expression"))
FUNCTIONS = frozenset(
    "function_definition lambda function_declaration function_expression arrow_function method_definition "
    "generator_function generator_function_declaration".split()
)
CLASSES = frozenset(("class_definition", "class_declaration", "class"))
SETTERS = {
    "assignment": ("left", "right"),
    "augmented_assignment": ("left", "right"),
    "named_expression": ("name", "value"),
    "for_statement": ("left", "right"),
    "for_in_clause": ("left", "right"),
    "default_parameter": ("name", "value"),
    "typed_default_parameter": ("name", "value"),
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "augmented_assignment_expression": ("left", "right"),
    "for_in_statement": ("left", "right"),
    "public_field_definition": ("name", "value"),
    "field_definition": ("property", "value"),
    "required_parameter": ("pattern", "value"),
    "optional_parameter": ("pattern", "value"),
    "assignment_pattern": ("left", "right"),
    "object_assignment_pattern": ("left", "right"),
}
"""Node that sets a target -> the fields of target and value."""
_MEMBERS = {"attribute": "attribute", "member_expression": "property"}
_LITERALS = frozenset("integer float number none null undefined true false".split())
_FIRST = frozenset(
    "parenthesized_expression non_null_expression as_expression satisfies_expression await_expression await".split()
)
_LAST = frozenset("sequence_expression type_assertion named_expression assignment assignment_expression".split())
_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{1,6})\}?")


class Tree:
    """Nodes of a module, parents first, and the parent of each by its id."""

    def __init__(self, source: str, suffix: str) -> None:
        self.is_python = suffix in PYTHON
        text = source.replace("\r\n", "\n").replace("\r", "\n") if self.is_python else source
        root = parser_of(suffix).parse(text.encode("utf-8", "surrogateescape")).root_node
        self.nodes = list(walk(root))
        # tree-sitter's `parent` takes time proportional to the parent's width.
        self.parents = {child.id: node for node in self.nodes for child in node.children}
        self._by_type: dict[str, list[Node]] = {}
        for node in self.nodes:
            self._by_type.setdefault(node.type, []).append(node)

    def of(self, *kinds: str) -> list[Node]:
        """Return the nodes of these types in source order."""
        found = [node for kind in kinds for node in self._by_type.get(kind, ())]
        return sorted(found, key=lambda node: node.start_byte) if len(kinds) > 1 else found

    def parent_type(self, node: Node) -> str:
        """Return the type of a node's parent."""
        parent = self.parents.get(node.id)
        return parent.type if parent is not None else ""

    def is_top_level(self, node: Node) -> bool:
        """Return whether a statement is outside of all functions, classes and blocks."""
        parent = self.parents.get(node.id)
        while parent is not None and parent.type in ("export_statement", "decorated_definition"):
            parent = self.parents.get(parent.id)
        return parent is self.nodes[0] or parent is None


def parser_of(suffix: str) -> Parser:
    """Return the parser of files with this suffix."""
    return PYTHON_ROW.parser if suffix in PYTHON else script_row(f"script.{suffix}").parser


def walk(root: Node) -> Iterator[Node]:
    """Yield a node and all below it in source order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def inner(node: Node) -> list[Node]:
    """Return the named children without comments."""
    return [one for one in node.named_children if one.type != "comment"]


def bare(node: Node | None) -> Node | None:
    """Return the expression inside brackets, casts and `await`; the value of an assignment or sequence."""
    while node is not None and (node.type in _FIRST or node.type in _LAST) and (parts := inner(node)):
        node = parts[-1 if node.type in _LAST else 0]
    return node


def text_of(node: Node | None) -> str:
    """Return the text of a node short enough to be a name, as the language reads it, else ""."""
    if node is None or node.end_byte - node.start_byte > LONGEST_NAME:
        return ""
    text = (node.text or b"").decode("utf-8", "replace")
    if "\\u" in text:
        text = _ESCAPE.sub(lambda match: chr(min(int(match[1], 16), 0x10FFFF)), text)
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def folded(node: Node | None) -> str | None:
    """Return the text of literals, several joined by `+` included; None for anything with a value in it."""
    waiting = [node]
    texts: list[str] = []
    while waiting:
        one = bare(waiting.pop())
        if one is None:
            return None
        if one.type == "concatenated_string":
            waiting += reversed(inner(one))
        elif one.type in ("binary_operator", "binary_expression") and any(child.type == "+" for child in one.children):
            waiting += [one.child_by_field_name("right"), one.child_by_field_name("left")]
        elif one.type in ("string", "template_string"):
            if any(child.type in ("interpolation", "template_substitution") for child in one.children):
                return None
            parts = (part for part in one.named_children if part.type not in ("string_start", "string_end"))
            texts += [(part.text or b"").decode("utf-8", "replace") for part in parts]
        elif one.type in _LITERALS:
            texts.append(text_of(one))
        else:
            return None
    return "".join(texts)


def property_of(node: Node | None) -> str | None:
    """Return the name of the accessed member, in a script written either way."""
    if node is None:
        return None
    if node.type in _MEMBERS:
        return text_of(node.child_by_field_name(_MEMBERS[node.type]))
    return folded(node.child_by_field_name("index")) if node.type == "subscript_expression" else None


def holder_of(node: Node | None) -> Node | None:
    """Return the object whose member is accessed."""
    return bare(node.child_by_field_name("object")) if node is not None else None


def last_name(node: Node | None) -> str:
    """Return the name of an identifier, or of the accessed member."""
    if node is None:
        return ""
    return text_of(node) if node.type in NAMES or node.type == "import" else property_of(node) or ""


def callee_of(node: Node) -> Node | None:
    """Return the called expression."""
    return bare(node.child_by_field_name("function") or node.child_by_field_name("constructor"))


def arguments(node: Node) -> list[Node]:
    """Return the arguments of a call, keyword arguments included."""
    given = node.child_by_field_name("arguments")
    if given is None:
        return []
    return inner(given) if given.type in ("arguments", "argument_list") else [given]


def names_in(node: Node) -> list[str]:
    """Return the names a target sets: for a member its name with a dot, for an element its container."""
    found: list[str] = []
    waiting: list[Node | None] = [node]
    while waiting:
        one = waiting.pop()
        if one is None or one.type in ("type_annotation", "type", "string", "number"):
            continue
        if one.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(text_of(one))
        elif one.type in ("property_identifier", "private_property_identifier"):
            found.append(f".{text_of(one)}")
        elif one.type in _MEMBERS:
            found.append(f".{property_of(one)}")
        elif one.type in ("subscript", "subscript_expression", "pair_pattern"):
            waiting.append(one.child_by_field_name("object") or one.child_by_field_name("value"))
        elif one.type in SETTERS:
            waiting.append(one.child_by_field_name(SETTERS[one.type][0]))
        else:
            waiting.extend(reversed(one.named_children))
    return found
