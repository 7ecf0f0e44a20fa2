"""Symbols of a JavaScript or TypeScript file and what their code mentions, for the symbol graph.

Receivers are followed as far as the text shows them: `this`, `new C()`, type annotations, calls of known functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from assay.validators.languages.fact_writer import BUILT_IN, UNKNOWN
from assay.validators.languages.javascript.definitions import VARIABLES, bound_names, syntax_tree, text_of
from assay.validators.languages.javascript.mentions import CLASSES, FUNCTIONS, MentionReader, is_import
from assay.validators.languages.language import Facts

if TYPE_CHECKING:
    import tree_sitter

MOST_OPEN = 200
"""Maximum brackets that stay open or close nothing: the grammar takes minutes for files with many more."""

_TYPES = {
    "interface_declaration": "class",
    "type_alias_declaration": "constant",
    "enum_declaration": "class",
    "internal_module": "constant",
    "function_signature": "function",
}
_ROUTES = frozenset("get post put delete patch all options head".split())
_IMPORTED = re.compile(rb"^import\b[^;'\"]{0,5000}", re.MULTILINE)
_RENAMED = re.compile(r"([\w$]+)\s+as\s+([\w$]+)")
_DEFAULT = re.compile(r"^import\s+(?:type\s+)?([\w$]+)\s*(?:,|from\b)")


def facts(content: bytes, path: str) -> Facts:
    """Return the facts of a script; none if its brackets do not match."""
    if not _is_balanced(content):
        return Facts()
    root = syntax_tree(path, content.decode("utf-8", "surrogateescape"))
    if root is None:
        return Facts()
    reader = _Reader(_renamed(content))
    for node in root.named_children:
        reader.statement(node)
    return reader.writer.facts()


def _is_balanced(content: bytes) -> bool:
    return all(
        abs(content.count(one) - content.count(other)) < MOST_OPEN
        for one, other in ((b"{", b"}"), (b"(", b")"), (b"[", b"]"))
    )


def _renamed(content: bytes) -> dict[str, str]:
    """Return local name -> name in the other file, of names imported under another name."""
    found: dict[str, str] = {}
    for match in _IMPORTED.finditer(content):
        clause = match[0].decode("utf-8", "surrogateescape")
        found.update({local: name for name, local in _RENAMED.findall(clause)})
        default = _DEFAULT.match(clause)
        if default and default[1] != "type":
            found[default[1]] = "default"
    return found


class _Reader(MentionReader):
    """Reader of the definitions of one file."""

    def statement(self, node: tree_sitter.Node) -> None:
        """Read a statement of the module's scope."""
        if node.type == "export_statement":
            self._export(node)
        elif node.type == "import_statement" or node.type == "comment":
            return
        elif node.type == "expression_statement" and node.named_children:
            self._expression(node.named_children[0])
        else:
            self._declaration(node, "")

    def _export(self, node: tree_sitter.Node) -> None:
        is_default = any(child.type == "default" for child in node.children)
        inner = node.child_by_field_name("declaration") or node.child_by_field_name("value")
        source = node.child_by_field_name("source")
        if inner is not None:
            name = text_of(inner if inner.type == "identifier" else inner.child_by_field_name("name"))
            if is_default and name and inner.type != "call_expression":
                self.writer.exported["default"] = name
            self._declaration(inner, "default" if is_default and not name else "")
            return
        for clause in node.named_children:
            for part in clause.named_children if clause.type == "export_clause" else ():
                local = text_of(part.child_by_field_name("name"))
                name = text_of(part.child_by_field_name("alias")) or local
                if source is None and name != local:
                    self.writer.exported[name] = local

    def _expression(self, node: tree_sitter.Node) -> None:
        """Read a top-level expression: CommonJS exports, tests, registrations."""
        left = node.child_by_field_name("left")
        if node.type == "internal_module":
            self._declaration(node, "")
        elif node.type == "assignment_expression" and left is not None and "exports" in text_of(left)[:20]:
            self._common_js(node, text_of(left))
        else:
            self._register(node)
            self.value(node, {})

    def _register(self, node: tree_sitter.Node) -> None:
        """Record the function that `app.get("/path", function)` registers as a route."""
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        verb = text_of(function.child_by_field_name("property")) if function is not None else ""
        given = arguments.named_children if arguments is not None else []
        if verb in _ROUTES and len(given) > 1 and given[0].type == "string" and text_of(given[0])[1:2] == "/":
            for one in given[1:]:
                if one.type == "identifier":
                    self.writer.enter(text_of(one), f"route {verb.upper()} {text_of(given[0])[1:-1][:100]}")

    def _common_js(self, node: tree_sitter.Node, left: str) -> None:
        right = node.child_by_field_name("right")
        name = left.rpartition(".")[2] if left not in ("module.exports", "exports") else "default"
        if right is None:
            return
        if name == "default" and right.type == "object":
            for part in right.named_children:
                key = text_of(part.child_by_field_name("key")) if part.type == "pair" else text_of(part)
                value = text_of(part.child_by_field_name("value"))
                if part.type == "pair" and value.isidentifier() and value != key:
                    self.writer.exported[key] = value
            self.value(right, {})
        elif right.type == "identifier":
            if text_of(right) != name:
                self.writer.exported[name] = text_of(right)
        else:
            self._named(name, right, [])

    def _declaration(self, node: tree_sitter.Node, unnamed: str) -> None:
        name = text_of(node.child_by_field_name("name")) or unnamed
        if node.type == "ambient_declaration":
            for inner in node.named_children:
                self._declaration(inner, "")
        elif node.type in VARIABLES:
            for one in node.named_children:
                if one.type == "variable_declarator" and not is_import(one):
                    self._variable(one)
        elif node.type in FUNCTIONS or node.type in CLASSES or node.type in _TYPES:
            self._named(name or "default", node, [])
        elif unnamed:
            self._named(unnamed, node, [])
        else:
            self.value(node, {})

    def _variable(self, node: tree_sitter.Node) -> None:
        names = list(bound_names(node.child_by_field_name("name")))
        value = node.child_by_field_name("value")
        declared = self.annotated(node.child_by_field_name("type"))
        if len(names) == 1 and value is not None:
            self._named(names[0], value, [declared])
            return
        users = [self.writer.symbol(name, "constant") for name in names]
        if value is not None:
            self.within([*users, self.top], value)

    def _named(self, name: str, node: tree_sitter.Node, gives: Iterable[str]) -> None:
        """Read a definition under its name."""
        if node.type in FUNCTIONS:
            self._function(self.writer.symbol(name, "function"), node)
        elif node.type in CLASSES:
            self._class(name, node)
        elif node.type in _TYPES:
            user = self.writer.symbol(name, _TYPES[node.type])
            bases = [self.annotated_name(one) for one in _heritage(node)]
            self.writer.describe(user, bases=filter(None, bases))
            outer, self.owner = self.owner, name
            self._members(name, node.child_by_field_name("body"))
            self.owner = outer
            self.within([user], node)
        else:
            user = self.writer.symbol(name, "constant")
            value = self.within([user, self.top], node)
            self.writer.describe(user, gives=next(filter(None, gives), value))

    def _function(self, user: int, node: tree_sitter.Node) -> None:
        before, self.users = self.users, [user]
        returned, self.returned = self.returned, []
        scope = self.parameters(node, {"this": f"={self.owner}"} if self.owner else {})
        body = node.child_by_field_name("body")
        value = self.body(body, scope) if body is not None else UNKNOWN
        declared = self.annotated(node.child_by_field_name("return_type"))
        known = [one for one in [*self.returned, value] if one not in (UNKNOWN, BUILT_IN)]
        self.writer.describe(user, gives=declared or (known[0] if known else ""))
        self.users, self.returned = before, returned

    def _class(self, name: str, node: tree_sitter.Node) -> None:
        user = self.writer.symbol(name, "class")
        bases = [self.annotated_name(one, [user, self.top]) for one in _heritage(node)]
        self.writer.describe(user, bases=filter(None, bases))
        outer, self.owner = self.owner, name
        for child in node.named_children:
            if child.type == "decorator":
                self.within([user, self.top], child)
        self._members(name, node.child_by_field_name("body"), user)
        self.owner = outer

    def _members(self, name: str, body: tree_sitter.Node | None, user: int = 0) -> None:
        for member in body.named_children if body is not None else ():
            own = text_of(member.child_by_field_name("name") or member.child_by_field_name("property")).strip("\"'")
            if not own:
                self.within([user, self.top], member)
                continue
            value = member.child_by_field_name("value")
            if member.type in ("method_definition", "method_signature", "abstract_method_signature"):
                self._function(self.writer.symbol(f"{name}.{own}", "method"), member)
                if own == "constructor":
                    self._declared_by_parameters(name, member)
            elif value is not None and value.type in FUNCTIONS:
                self._function(self.writer.symbol(f"{name}.{own}", "method"), value)
            else:
                given = self.within([user, self.top], value) if value is not None else UNKNOWN
                declared = self.annotated(member.child_by_field_name("type"))
                self.writer.describe(self.writer.symbol(f"{name}.{own}", "attribute"), gives=declared or given)

    def _declared_by_parameters(self, owner: str, node: tree_sitter.Node) -> None:
        """Record the properties that a constructor's parameters declare (`private readonly http: Client`)."""
        parameters = node.child_by_field_name("parameters")
        for one in parameters.named_children if parameters is not None else ():
            is_property = any(child.type in ("accessibility_modifier", "readonly") for child in one.children)
            declared = self.annotated(one.child_by_field_name("type"))
            if is_property and declared:
                self.writer.attribute(f"{owner}.{text_of(one.child_by_field_name('pattern'))}", declared)


def _heritage(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the names that a class or interface extends or implements."""
    for child in node.named_children:
        if child.type in ("class_heritage", "extends_clause", "implements_clause", "extends_type_clause"):
            inner = list(_heritage(child))
            yield from inner or child.named_children[:10]
