"""Definitions and exports of a JavaScript or TypeScript file, and its lines that cannot affect other files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from assay.validators.changes.language_table import language_of
from assay.validators.languages.language import Definition

if TYPE_CHECKING:
    import tree_sitter

LARGEST_PARSED = 2 * 1024 * 1024
_DEFAULT = "default"
_KINDS = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_signature": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "class": "class",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
    "internal_module": "namespace",
    "function_expression": "function",
    "arrow_function": "function",
}
VARIABLES = ("lexical_declaration", "variable_declaration")
_METHODS = (
    "method_definition",
    "abstract_method_signature",
    "method_signature",
    "public_field_definition",
    "field_definition",
)


_BOUND = frozenset(("identifier", "type_identifier", "shorthand_property_identifier_pattern"))
_WITH_DEFAULT = frozenset(("object_assignment_pattern", "assignment_pattern"))
_PATTERNS = frozenset(
    "object_pattern array_pattern rest_pattern formal_parameters import_clause named_imports namespace_import".split()
)


def definitions(path: str, source: str) -> list[Definition]:
    """Return functions, classes, `Class.method`, types, constants and re-exports at the top level, in line order.

    An unnamed default export is called `default`. A component's script (Vue, Svelte) is not read.
    """
    root = syntax_tree(path, source)
    found = list(_definitions(root)) if root is not None else []
    exported = {*exports(path, source).values()} if any(not one.exported for one in found) else set()
    return [replace(one, exported=True) if one.name.partition(".")[0] in exported else one for one in found]


def exports(path: str, source: str) -> dict[str, str]:
    """Return exported name -> local name, without names exported from another file."""
    root = syntax_tree(path, source)
    found: dict[str, str] = {}
    for node in root.children if root is not None else ():
        if node.type == "export_statement" and node.child_by_field_name("source") is None:
            found.update(_exported(node))
        elif node.type == "expression_statement":
            found.update((name, name) for name in _common_js(node))
    return found


def quiet_lines(path: str, source: str) -> set[int]:
    """Return blank lines, comments and imports."""
    quiet = {number for number, line in enumerate(source.split("\n"), 1) if not line.strip()}
    root = syntax_tree(path, source)
    if root is None:
        return quiet
    for node in root.children:
        if node.type == "import_statement":
            quiet.update(_lines(node))
    from tree_sitter import QueryCursor

    captured = QueryCursor(_comments(grammar_of(path))).captures(root)
    lines = source.encode("utf-8", "surrogateescape").split(b"\n")
    for node in captured.get("comment", []):
        before = lines[node.start_point[0]][: node.start_point[1]]
        after = lines[node.end_point[0]][node.end_point[1] :]
        if not before.strip() and not after.strip():
            quiet.update(_lines(node))
    return quiet


def _definitions(root: tree_sitter.Node) -> Iterator[Definition]:
    for node in root.children:
        if node.type == "export_statement":
            yield from _of_export(node)
        elif node.type == "expression_statement":
            inner = node.named_children[0] if node.named_children else None
            if inner is not None and inner.type == "internal_module":
                yield from _named(inner, node, is_exported=False)
            else:
                yield from (_definition(name, node, "export", True) for name in _common_js(node))
        else:
            yield from _of_declaration(node, node, is_exported=False)


def _of_export(node: tree_sitter.Node) -> Iterator[Definition]:
    declaration = node.child_by_field_name("declaration")
    value = node.child_by_field_name("value")
    if declaration is not None:
        found = list(_of_declaration(declaration, node, is_exported=True))
        yield from found or [_definition(_DEFAULT, node, _KINDS.get(declaration.type, "constant"), True)]
    elif value is not None:
        found = list(_named(value, node, is_exported=True)) if value.type in _KINDS else []
        yield from found or [_definition(_DEFAULT, node, "constant", True)]
    else:
        for name, _, line_of in _specifiers(node):
            yield _definition(name, line_of, "export", True)


def _of_declaration(node: tree_sitter.Node, whole: tree_sitter.Node, is_exported: bool) -> Iterator[Definition]:
    """Yield the definitions of a declaration; `whole` is its statement, with decorators and `export`."""
    if node.type == "ambient_declaration":
        for inner in node.named_children:
            yield from _of_declaration(inner, whole, is_exported)
    elif node.type in VARIABLES:
        for declarator in node.named_children:
            if declarator.type == "variable_declarator":
                for name in bound_names(declarator.child_by_field_name("name")):
                    yield _definition(
                        name, declarator if len(node.named_children) > 1 else whole, "constant", is_exported
                    )
    elif node.type in _KINDS:
        yield from _named(node, whole, is_exported)


def _named(node: tree_sitter.Node, whole: tree_sitter.Node, is_exported: bool) -> Iterator[Definition]:
    name = _text(node.child_by_field_name("name"))
    if not name:
        name = _DEFAULT
        if not is_exported:
            return
    yield _definition(name, whole, _KINDS[node.type], is_exported)
    body = node.child_by_field_name("body")
    if body is not None and body.type == "class_body":
        for member in body.named_children:
            inner = _text(member.child_by_field_name("name")) or _text(member.child_by_field_name("property"))
            if member.type in _METHODS and inner:
                yield _definition(f"{name}.{inner}", member, "method", is_exported)


def _exported(node: tree_sitter.Node) -> Iterator[tuple[str, str]]:
    is_default = any(child.type in (_DEFAULT, "=") for child in node.children)
    target = node.child_by_field_name("declaration") or node.child_by_field_name("value")
    if target is None:
        target = next((child for child in node.named_children if child.type == "identifier"), None)
    if target is None:
        yield from ((name, local) for name, local, _ in _specifiers(node))
    elif is_default:
        name = _text(target) if target.type == "identifier" else _text(target.child_by_field_name("name"))
        yield _DEFAULT, name or _DEFAULT
    else:
        for definition in _of_declaration(target, node, is_exported=True):
            if "." not in definition.name:
                yield definition.name, definition.name


def _specifiers(node: tree_sitter.Node) -> Iterator[tuple[str, str, tree_sitter.Node]]:
    """Yield (exported name, local name, node) of `export { local as name }` and `export * as name`."""
    for clause in node.named_children:
        if clause.type == "export_clause":
            for part in clause.named_children:
                local = _text(part.child_by_field_name("name"))
                yield _text(part.child_by_field_name("alias")) or local, local, part
        elif clause.type == "namespace_export":
            name = _text(clause.named_children[0]) if clause.named_children else ""
            yield name, name, clause


def _common_js(node: tree_sitter.Node) -> Iterator[str]:
    """Yield the names of `exports.name = …` and `module.exports.name = …`."""
    assignment = node.named_children[0] if node.named_children else None
    left = assignment.child_by_field_name("left") if assignment and assignment.type == "assignment_expression" else None
    if left is not None and left.type == "member_expression":
        text = _text(left)
        for start in ("module.exports.", "exports."):
            if text.startswith(start) and "." not in text[len(start) :]:
                yield text[len(start) :]


def bound_names(node: tree_sitter.Node | None) -> Iterator[str]:
    """Yield the names bound by a pattern, a parameter list or an import clause."""
    left = [node] if node is not None else []
    while left:
        part = left.pop()
        if part.type in _BOUND:
            yield _text(part)
        elif part.type == "import_specifier":
            left.append(part.child_by_field_name("alias") or part.child_by_field_name("name") or part.named_children[0])
        elif part.type == "pair_pattern":
            left.append(part.child_by_field_name("value") or part.named_children[-1])
        elif part.type in _WITH_DEFAULT:
            left += part.named_children[:1]
        elif part.type in _PATTERNS:
            left += reversed(part.named_children)


def _definition(name: str, node: tree_sitter.Node, kind: str, is_exported: bool) -> Definition:
    lines = _lines(node)
    return Definition(name, lines.start, lines.stop - 1, kind, is_exported)


def _lines(node: tree_sitter.Node) -> range:
    return range(node.start_point[0] + 1, node.end_point[0] + 2)


def text_of(node: tree_sitter.Node | None) -> str:
    """Return the text of a node; "" for none."""
    return node.text.decode("utf-8", "surrogateescape") if node is not None and node.text else ""


def _text(node: tree_sitter.Node | None) -> str:
    return text_of(node).strip("\"'")


def syntax_tree(path: str, source: str) -> tree_sitter.Node | None:
    """Return the root of a file's syntax tree; None for a component or a file that is too large."""
    content = source.encode("utf-8", "surrogateescape")
    row = language_of(path)
    if (row is not None and row.embeds) or len(content) > LARGEST_PARSED:
        return None
    from tree_sitter import Parser  # here and below: loaded only for JavaScript

    return Parser(grammar_of(path)).parse(content).root_node


def grammar_of(path: str) -> tree_sitter.Language:
    """Return the grammar of a script by its suffix; JavaScript's for other suffixes."""
    row = language_of(path)
    return _language(row.parser if row is not None and row.parser else "javascript")


@cache
def _language(parser: str) -> tree_sitter.Language:
    import tree_sitter_javascript
    import tree_sitter_typescript
    from tree_sitter import Language

    if parser == "typescript":
        return Language(tree_sitter_typescript.language_typescript())
    return Language(tree_sitter_typescript.language_tsx() if parser == "tsx" else tree_sitter_javascript.language())


@cache
def _comments(language: tree_sitter.Language) -> tree_sitter.Query:
    from tree_sitter import Query

    return Query(language, "(comment) @comment")
