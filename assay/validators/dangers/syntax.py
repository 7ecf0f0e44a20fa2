"""Syntax trees of all languages of the engine, read in one way: a role of a node for the grammars' many names of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.validators.languages.engine.row import Row

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_NAME = 1000
"""Maximum bytes of an expression whose text is read."""
NAMES = frozenset("identifier shorthand_property_identifier variable_name constant".split())
CALLS = frozenset(
    "call call_expression new_expression method_invocation object_creation_expression invocation_expression "
    "function_call_expression member_call_expression scoped_call_expression macro_invocation".split()
)
FUNCTIONS = frozenset(
    "function_definition lambda function_declaration function_expression arrow_function method_definition "
    "generator_function generator_function_declaration method_declaration constructor_declaration func_literal "
    "function_item closure_expression method singleton_method anonymous_function lambda_expression lambda_literal "
    "local_function_statement".split()
)
CLASSES = frozenset(("class_definition", "class_declaration", "class"))
_MEMBERS = {
    "attribute": ("object", "attribute"),
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "field_access": ("object", "field"),
    "method_invocation": ("object", "name"),
    "member_access_expression": ("object", "name"),
    "field_expression": ("value", "field"),
    "scoped_identifier": ("path", "name"),
    "qualified_identifier": ("scope", "name"),
    "call": ("receiver", "method"),
    "scope_resolution": ("scope", "name"),
    "member_call_expression": ("object", "name"),
    "scoped_call_expression": ("scope", "name"),
}
"""Node of an accessed or called member -> the fields of its holder and its name."""
_TARGETS = ("left", "pattern", "alias", "declarator", "property", "name")
_VALUES = ("right", "value")
_SETTERS = re.compile(
    r"\w*assignment\w*|\w*declarat(?:or|ion)|named_expression|\w*for\w*|\w*definition|\w*parameter"
    r"|(?:var|const)_spec|range_clause|const_item|static_item|as_pattern"
)
_BOUND_TWICE = frozenset(("variable_declarator", "property_declaration"))
"""Nodes whose value some grammars give no field."""
_LITERAL = re.compile(
    r"(?:\w+_)?(?:integer|float|number|int)(?:_literal)?|none|null|nil|undefined|true|false|boolean(?:_literal)?"
)
_TEXT = re.compile(r"(?:\w+_)?string(?:_literal|_expression)?|heredoc(?:_body)?|string_array|char_literal")
_CONTENT = re.compile(r"\w*(?:content|fragment|escape_sequence)")
_LAYOUT = re.compile(r"\w*(?:start|end|beginning|brace|comment|conversion|specifier|clause|tag)")
_SUMS = frozenset(("binary_expression", "binary_operator", "binary"))
_FORMATS = frozenset("format sprintf Sprintf Format formatted snprintf asprintf Errorf".split())
_NAME = re.compile(r"[A-Za-z_]\w*")
_HOLE = re.compile(r"%(?:\(\w+\)|\d+\$)?[-+ #0]*[\d.]*[a-zA-Z]|\{[^{}\n]{0,100}\}")
_NUMERIC = re.compile(r"%.*[dufixXeEgGc]|\{[^{}]*:[^{}]*[dxfeg]\}")
_FIRST = frozenset(
    "parenthesized_expression non_null_expression as_expression satisfies_expression await_expression await "
    "parenthesized_statements reference_expression argument value_argument literal_element".split()
)
_LAST = frozenset("sequence_expression type_assertion named_expression assignment assignment_expression".split())
_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{1,6})\}?")


class Tree:
    """Syntax tree of a source; its nodes, parents first, and the parent of each are found when they are asked for.

    `root` is None if the source takes longer to parse than any real one.
    """

    def __init__(self, source: str, row: Row) -> None:
        self.is_python = row.name == "python"
        self.row = row
        text = source.replace("\r\n", "\n").replace("\r", "\n") if self.is_python else source
        parsed = row.parse(text.encode("utf-8", "replace"))
        self._parsed = parsed  # nodes are only valid while their tree is
        self.root = parsed.root_node if parsed is not None else None

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes, parents first."""
        return list(walk(self.root)) if self.root is not None else []

    @cached_property
    def parents(self) -> dict[int, Node]:
        """Id of a node -> its parent; tree-sitter's `parent` takes time proportional to the parent's width."""
        return {child.id: node for node in self.nodes for child in node.children}

    @cached_property
    def _by_type(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            found.setdefault(node.type, []).append(node)
        return found

    def of(self, *kinds: str) -> list[Node]:
        """Return the nodes of these types in source order."""
        found = [node for kind in kinds for node in self._by_type.get(kind, ())]
        return sorted(found, key=lambda node: node.start_byte) if len(kinds) > 1 else found

    def parent_type(self, node: Node) -> str:
        """Return the type of a node's parent."""
        parent = self.parents.get(node.id)
        return parent.type if parent is not None else ""

    def around(self, node: Node) -> Iterator[Node]:
        """Yield the nodes around a node, from the innermost outwards."""
        parent = self.parents.get(node.id)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent.id)

    def is_top_level(self, node: Node) -> bool:
        """Return whether a statement is outside of all functions, classes and blocks."""
        layout = ("export_statement", "decorated_definition")
        first = next((one for one in self.around(node) if one.type not in layout), None)
        return first is None or first is self.nodes[0]


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


def property_of(node: Node | None) -> str | None:
    """Return the name of the accessed member, in a script written either way."""
    if node is None:
        return None
    if node.type in _MEMBERS:
        name = node.child_by_field_name(_MEMBERS[node.type][1])
        return text_of(name) if name is not None else None
    if node.type == "navigation_expression":
        return text_of(node.named_children[-1])
    return folded(node.child_by_field_name("index")) if node.type == "subscript_expression" else None


def holder_of(node: Node | None) -> Node | None:
    """Return the object whose member is accessed."""
    if node is None:
        return None
    if node.type == "navigation_expression":
        return node.named_children[0]
    field = _MEMBERS[node.type][0] if node.type in _MEMBERS else "object"
    found = (node.child_by_field_name(name) for name in (field, "expression", "argument"))
    return bare(next((one for one in found if one is not None), None))


def last_name(node: Node | None) -> str:
    """Return the name of an identifier, or of the accessed or called member."""
    if node is None:
        return ""
    if node.type in CALLS and (callee := callee_of(node)) is not None and callee.id != node.id:
        return last_name(callee)
    is_name = node.type in NAMES or node.type in ("import", "name", "type_identifier")
    return _name_of(node) if is_name else property_of(node) or ""


def _name_of(node: Node) -> str:
    return text_of(node).removeprefix("$") if node.type == "variable_name" else text_of(node)


def callee_of(node: Node) -> Node | None:
    """Return the called expression; the call itself where it names its member."""
    for field in ("function", "constructor", "macro", "type"):
        if (callee := node.child_by_field_name(field)) is not None:
            return bare(callee)
    if node.type in ("call_expression", "object_creation_expression"):
        return bare(node.named_children[0])
    return node if node.type in _MEMBERS else None


def arguments(node: Node) -> list[Node]:
    """Return the arguments of a call, keyword arguments included."""
    given = node.child_by_field_name("arguments")
    if given is None:
        given = next((one for one in node.named_children if one.type in ("value_arguments", "arguments")), None)
    if given is None:
        return []
    is_list = given.type in ("arguments", "argument_list", "value_arguments")
    return [bare(one) or one for one in inner(given)] if is_list else [given]


def setting_of(node: Node) -> tuple[Node, Node] | None:
    """Return the target and the value of a node that sets a name."""
    if _SETTERS.fullmatch(node.type) is None:
        return None
    if node.type == "as_pattern" and len(node.named_children) > 1:
        return node.named_children[1], node.named_children[0]
    given = next((one for name in _VALUES if (one := node.child_by_field_name(name)) is not None), None)
    target = next((one for name in _TARGETS if (one := node.child_by_field_name(name)) is not None), None)
    if node.type in _BOUND_TWICE and given is None and len(node.named_children) > 1:
        target, given = target or node.named_children[0], node.named_children[-1]
    return (target, given) if target is not None and given is not None and target.id != given.id else None


def names_in(node: Node) -> list[str]:
    """Return the names a target sets: for a member its name with a dot, for an element its container."""
    found: list[str] = []
    waiting: list[Node | None] = [node]
    while waiting:
        one = waiting.pop()
        if one is None or one.type in ("type_annotation", "type", "string", "number"):
            continue
        if one.type in NAMES or one.type == "shorthand_property_identifier_pattern":
            found.append(_name_of(one))
        elif one.type in ("property_identifier", "private_property_identifier"):
            found.append(f".{text_of(one)}")
        elif (name := property_of(one)) is not None and one.type != "subscript_expression":
            found.append(f".{name}")
        elif one.type in ("subscript", "subscript_expression", "pair_pattern"):
            waiting.append(one.child_by_field_name("object") or one.child_by_field_name("value"))
        elif (setting := setting_of(one)) is not None:
            waiting.append(setting[0])
        else:
            waiting.extend(reversed(one.named_children))
    return found


# Texts


@dataclass(frozen=True, slots=True)
class Value:
    """Value in a text: an expression, or only its name where that is written into the text (`"$name"`)."""

    at: Node
    name: str
    is_name: bool


def parts_of(node: Node | None) -> list[str | Value]:
    """Return the fixed parts and the values of a composed text, in order; one value for any other expression."""
    found: list[str | Value] = []
    waiting = [node]
    while waiting:
        one = bare(waiting.pop())
        if one is None:
            continue
        if one.type == "concatenated_string":
            waiting += reversed(inner(one))
        elif _TEXT.fullmatch(one.type):
            found += _of_text(one)
        elif one.type in _SUMS and any(child.type in ("+", ".") for child in one.children):
            waiting += [one.child_by_field_name("right"), one.child_by_field_name("left")]
        elif _LITERAL.fullmatch(one.type):
            found.append(text_of(one))
        else:
            found += _formatted(one) or [value_of(one)]
    return found


def value_of(node: Node) -> Value:
    """Return an expression as a value of a text."""
    return Value(node, last_name(node), node.type in NAMES)


def folded(node: Node | None) -> str | None:
    """Return the text of literals, several joined by `+` included; None for anything with a value in it."""
    texts = [part for part in parts_of(node) if isinstance(part, str)] if node is not None else []
    return "".join(texts) if node is not None and len(texts) == len(parts_of(node)) else None


def _of_text(node: Node) -> Iterator[str | Value]:
    if not node.named_children:
        yield text_of(node).strip("@$\"'`")
    is_name = False
    for child in node.named_children:
        if _CONTENT.fullmatch(child.type):
            text = (child.text or b"").decode("utf-8", "replace")
            name = _NAME.match(text) if is_name else None
            is_name = text == "$"  # Kotlin's grammar takes `$name` for text
            if name is not None:
                yield Value(node, name[0], is_name=True)
            if not is_name:
                yield text[name.end() :] if name is not None else text
        elif child.type.endswith("body"):
            yield from _of_text(child)
        elif not _LAYOUT.fullmatch(child.type):
            given = [one for one in child.named_children if not _LAYOUT.fullmatch(one.type)]
            yield value_of(given[0] if given and child.type in ("interpolation", "template_substitution") else child)


def _formatted(node: Node) -> list[str | Value]:
    """Return the parts of a format with its values; empty if it is none, or the numbers of both differ."""
    given: list[Node] = []
    if node.type in _SUMS and any(child.type == "%" for child in node.children):
        right = bare(node.child_by_field_name("right"))
        form, given = node.child_by_field_name("left"), [right] if right is not None else []
        if right is not None and right.type in ("tuple", "array"):
            given = inner(right)
    elif node.type in CALLS and last_name(node) in _FORMATS:
        given = arguments(node) or inner(node.named_children[-1])
        given = [one.child_by_field_name("value") or one if one.type == "keyword_argument" else one for one in given]
        form = holder_of(callee_of(node))
        if form is None or _TEXT.fullmatch(form.type) is None:
            at = next((index for index, one in enumerate(given[:3]) if _TEXT.fullmatch(one.type)), None)
            form, given = (given[at], given[at + 1 :]) if at is not None else (None, [])
    else:
        return []
    text = folded(form)
    return _filled(text, given, node) if text is not None else []


def _filled(text: str, given: list[Node], node: Node) -> list[str | Value]:
    found: list[str | Value] = []
    end = 0
    for match in _HOLE.finditer(text):
        found.append(text[end : match.start()])
        end = match.end()
        name = _NAME.fullmatch(match[0].strip("{}").partition(":")[0])
        if name is not None and node.type == "macro_invocation":
            found.append(Value(node, name[0], is_name=True))
        elif given:
            value = given.pop(0)
            found.append("0" if _NUMERIC.fullmatch(match[0]) else value_of(value))
        else:
            return []
    return [*found, text[end:]] if found and (not given or node.type == "macro_invocation") else []
