"""Functions of a JavaScript or TypeScript file, read with tree-sitter.

Cyclomatic complexity follows ESLint's `complexity` (each `case`, loop, condition, `&&`, `||` and `?:` is a path),
without `?.` and `??`, which give a default; nesting its `max-depth`, cognitive complexity Sonar's white paper. Nested
functions are counted separately. lizard is not used here: it misses the ends of TypeScript methods.
"""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from assay.validators.languages.functions.function import ANONYMOUS, Function

_FUNCTIONS = frozenset(
    "function_declaration function_expression arrow_function method_definition "
    "generator_function_declaration generator_function".split()
)
_LOOPS = frozenset("for_statement for_in_statement while_statement do_statement".split())
_PATHS = _LOOPS | {"if_statement", "ternary_expression", "switch_case"}
_BLOCKS = _LOOPS | {"if_statement", "switch_statement", "try_statement"}
_HARDER = _LOOPS | {"if_statement", "switch_statement", "catch_clause", "ternary_expression"}
_LOGICAL = frozenset(("&&", "||"))


@dataclass
class _Counted:
    """Function during the walk."""

    name: str
    node: Node
    cyclomatic: int = 1
    cognitive: int = 0
    nesting: int = 0


@dataclass(frozen=True)
class _Position:
    """Position of a node: the function around it, and its depth in blocks and in control flow."""

    function: _Counted | None = None
    names: tuple[str, ...] = ()
    blocks: int = 0
    hardness: int = 0


def functions_of(text: str, language: str) -> list[Function]:
    """Return every function with a body, callbacks included.

    Invalid code is skipped as tree-sitter skips it.
    """
    parser = Parser(_grammar(language))
    tree = parser.parse(text.encode("utf-8", "replace"))
    found: list[_Counted] = []
    waiting: list[tuple[Node, _Position]] = [(tree.root_node, _Position())]
    while waiting:
        node, place = waiting.pop()
        inner = _entered(node, place, found)
        waiting.extend((child, inner) for child in reversed(node.named_children))
    return [
        Function(
            each.name,
            each.node.start_point[0] + 1,
            each.node.end_point[0] + 1,
            each.cyclomatic,
            each.cognitive,
            each.nesting,
        )
        for each in found
    ]


def _grammar(language: str) -> Language:
    if language in ("tsx", "jsx"):
        return Language(tree_sitter_typescript.language_tsx())
    if language == "javascript":
        return Language(tree_sitter_javascript.language())
    return Language(tree_sitter_typescript.language_typescript())


def _entered(node: Node, place: _Position, found: list[_Counted]) -> _Position:
    """Count a node; return the position of its children."""
    kind = node.type
    if kind in _FUNCTIONS and node.child_by_field_name("body") is not None:
        names = (*place.names, _name_of(node))
        found.append(counted := _Counted(".".join(names), node))
        return _Position(counted, names)
    if kind in ("class_declaration", "class", "abstract_class_declaration"):
        name = node.child_by_field_name("name")
        return _Position(place.function, (*place.names, _text(name) or "(class)"), place.blocks, place.hardness)
    if place.function is not None:
        return _counted(node, kind, place, place.function)
    return place


def _counted(node: Node, kind: str, place: _Position, function: _Counted) -> _Position:
    is_else_if = kind == "if_statement" and node.parent is not None and node.parent.type == "else_clause"
    blocks, hardness = place.blocks, place.hardness
    if kind in _PATHS:
        function.cyclomatic += 1
    if kind == "binary_expression" and (operator := _operator(node)) in _LOGICAL:
        function.cyclomatic += 1
        parent = node.parent
        if parent is None or parent.type != "binary_expression" or _operator(parent) != operator:
            function.cognitive += 1
    if kind == "else_clause":
        function.cognitive += 1
    if kind in _HARDER and not is_else_if:
        function.cognitive += 1 + hardness
        hardness += 1
    if kind in _BLOCKS and not is_else_if:
        blocks += 1
        function.nesting = max(function.nesting, blocks)
    if (blocks, hardness) == (place.blocks, place.hardness):
        return place
    return _Position(function, place.names, blocks, hardness)


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return "" if operator is None else operator.type


def _name_of(node: Node) -> str:
    """Return a function's name, else its binding's, else the name of the call it is passed to."""
    name = node.child_by_field_name("name")
    parent = node.parent
    if name is None and parent is not None:
        if parent.type in ("variable_declarator", "public_field_definition", "field_definition"):
            name = parent.child_by_field_name("name") or parent.child_by_field_name("property")
        elif parent.type == "pair":
            name = parent.child_by_field_name("key")
        elif parent.type == "assignment_expression":
            name = parent.child_by_field_name("left")
        elif parent.type == "arguments" and parent.parent is not None:
            callee = parent.parent.child_by_field_name("function") or parent.parent.child_by_field_name("constructor")
            return f"{_text(callee)} callback" if callee is not None else ANONYMOUS
        elif parent.type == "return_statement":
            return "returned function"
    return _text(name) or ANONYMOUS


def _text(node: Node | None) -> str:
    """Return the node's text on one line, short enough for a name."""
    text = b"" if node is None or node.text is None else node.text[:120]
    line = " ".join(text.decode("utf-8", "replace").split())
    return line if len(line) <= 60 else line[:57] + "..."
