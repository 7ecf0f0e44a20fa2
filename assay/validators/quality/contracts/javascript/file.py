"""Names that one JavaScript or TypeScript file binds, exports, calls and imports, by tree-sitter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.validators.languages.javascript.definitions import bound_names, exports, syntax_tree, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = frozenset("function_declaration function_expression arrow_function generator_function_declaration".split())
_NAMED = frozenset(
    "function_declaration generator_function_declaration function_signature function_expression class_declaration "
    "abstract_class_declaration class enum_declaration interface_declaration type_alias_declaration internal_module "
    "module variable_declarator type_parameter namespace_import import_specifier import_clause mapped_type_clause "
    "catch_clause for_in_statement required_parameter optional_parameter formal_parameters arrow_function "
    "import_alias import_require_clause infer_type rest_pattern".split()
)
_SETTERS = ("assignment_expression", "augmented_assignment_expression")
_BINDING_FIELDS = ("name", "pattern", "parameter", "parameters", "left", "alias")
_CLASSES = frozenset(("class_declaration", "abstract_class_declaration", "class"))
_MEMBERS = frozenset(
    "method_definition abstract_method_signature method_signature public_field_definition field_definition".split()
)
_OPEN = re.compile(
    r"\bexport\s*=|\bexport\s+import\b|\bexport\s+as\s+namespace\b|\bmodule\.exports\s*=(?!\s*\{)|\bexports\s*\["
)
_ESM = re.compile(r"^\s*(?:import|export)\b", re.MULTILINE)
_ASSIGNED = re.compile(r"\bexports\.([\w$]+)\s*=(?!=)")
_HANDED_ON = re.compile(r"[(,=]\s*(?:module\.)?exports\s*[,;)\n]")
"""CommonJS exports passed to a function or assigned to another name, which may add to them."""


@dataclass(frozen=True, slots=True)
class Arity:
    """Number of arguments a function takes; `most` is None if a rest parameter takes any number."""

    least: int
    most: int | None
    text: str = field(default="", compare=False)

    def takes(self, count: int) -> bool:
        return self.least <= count and (self.most is None or count <= self.most)


@dataclass
class ClassFacts:
    """Members of a class with the arity of its methods; `parent` is its base class, if any.

    `is_open`: it has members that its text does not name.
    """

    line: int = 1
    members: dict[str, int] = field(default_factory=dict)
    arities: dict[str, Arity | None] = field(default_factory=dict)
    parent: str | None = None
    is_open: bool = False
    is_enum: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """`owner.name`, or a call of it; `owner` is an identifier, or `this` inside the class `within`."""

    owner: str
    name: str
    line: int
    within: str = ""


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """Call of a plain name (`new` if `is_new`), or of a method of `this`."""

    name: str
    count: int
    line: int
    is_new: bool = False
    within: str = ""


class ScriptFile:
    """Facts of one file. `bound` counts the bindings of each name, in any scope."""

    def __init__(self, path: str, source: str) -> None:
        self.path = path
        self.exports = exports(path, source)
        is_esm = _ESM.search(source) is not None
        self.is_open = _OPEN.search(source) is not None or (not is_esm and _HANDED_ON.search(source) is not None)
        self.is_module = bool(self.exports) or is_esm
        self.passed_on: tuple[str, ...] = ()
        """Re-exported names; `default` stands for a star, which may add any name."""
        self.lines: dict[str, tuple[int, int]] = {}
        """Top-level name -> its lines."""
        self.arities: dict[str, Arity | None] = {}
        self.classes: dict[str, ClassFacts] = {}
        self.bound: Counter[str] = Counter()
        self.uses: dict[str, list[int]] = {}
        self.members: list[Member] = []
        self.calls: list[ScriptCall] = []
        self.made: dict[str, str] = {}
        """Name -> its certain class: `const x = new C()`."""
        self._assigned = frozenset(_ASSIGNED.findall(source))
        root = syntax_tree(path, source)
        self._source = source if root is None or root.has_error else ""
        if root is not None:
            self._define(root)
            self._walk(root)

    @property
    def is_broken(self) -> bool:
        """Whether part of the file could not be read."""
        return bool(self._source)

    def may_bind(self, name: str) -> bool:
        """Return whether unread code may bind a name, or add a class member of that name."""
        return re.search(rf"(?<![.\w$]){re.escape(name)}(?![\w$])", self._source) is not None

    def may_export(self, name: str) -> bool:
        """Return whether unread or conditional code may export a name."""
        word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
        unread = rf"\bexport\b(?:[^\n{{]{{0,5000}}|[^{{\n]{{0,5000}}\{{[^}}]{{0,5000}}?){word}"
        return name in self._assigned or re.search(unread, self._source) is not None

    def _define(self, root: Node) -> None:
        for statement in root.named_children:
            if statement.type == "export_statement" and statement.child_by_field_name("source") is not None:
                self.passed_on += tuple(_passed_on(statement))
            elif statement.type == "expression_statement":
                self._export_object(statement)
            inner = statement.child_by_field_name("declaration") if statement.type == "export_statement" else statement
            nodes = [inner] if inner is not None else []
            while nodes:
                node = nodes.pop()
                if node.type in ("lexical_declaration", "variable_declaration", "ambient_declaration"):
                    nodes += node.named_children
                elif node.type in _NAMED:
                    self._top_level(node, statement)

    def _export_object(self, statement: Node) -> None:
        """Record the names of `module.exports = { name, other: value }`."""
        node, is_exports = statement.named_children[0] if statement.named_children else statement, False
        while node.type == "assignment_expression":
            is_exports |= text_of(node.child_by_field_name("left")) == "module.exports"
            node = node.child_by_field_name("right") or statement
        for part in node.named_children if is_exports and node.type == "object" else ():
            name = text_of(part.child_by_field_name("key") or part.child_by_field_name("name")).strip("\"'")
            value = part.child_by_field_name("value")
            if part.type == "shorthand_property_identifier":
                self.exports[text_of(part)] = text_of(part)
            elif name and not name.startswith("["):
                self.exports[name] = text_of(value) if value is not None and value.type == "identifier" else name
            elif part.type != "comment":
                self.is_open = True

    def _top_level(self, node: Node, statement: Node) -> None:
        for name in bound_names(node.child_by_field_name("name")):
            self.lines[name] = (statement.start_point[0] + 1, statement.end_point[0] + 1)
            value = node.child_by_field_name("value") if node.type == "variable_declarator" else node
            if value is not None and value.type in _FUNCTIONS and node.child_by_field_name("type") is None:
                self.arities[name] = None if name in self.arities else arity(value)
            elif node.type == "function_signature":
                self.arities[name] = None
            if node.type in _CLASSES or node.type == "enum_declaration":
                self.classes[name] = _class(node) if name not in self.classes else ClassFacts(is_open=True)
            elif name in self.classes:
                self.classes[name].is_open = True  # an interface or namespace of the name adds to the class

    def _walk(self, root: Node) -> None:
        waiting: list[tuple[Node, str]] = [(root, "")]
        while waiting:
            node, within = waiting.pop()
            kind = node.type
            if kind == "export_statement" and node.child_by_field_name("source") is not None:
                continue
            if kind in _NAMED:
                self._bind(node)
            if kind in _CLASSES:
                within = text_of(node.child_by_field_name("name"))
            elif kind in ("function_declaration", "function_expression", "generator_function_declaration") or (
                kind == "method_definition" and node.parent is not None and node.parent.type == "object"
            ):
                within = ""
            self._note(node, kind, within)
            if kind != "import_statement":
                waiting += [(child, within) for child in node.named_children]
            else:
                self.bound.update(bound_names(next(iter(node.named_children), None)))

    def _bind(self, node: Node) -> None:
        for place in _BINDING_FIELDS:
            self.bound.update(bound_names(node.child_by_field_name(place)))
        value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
        name = node.child_by_field_name("name")
        if value is None or name is None:
            return
        if value.type == "new_expression":
            made = value.child_by_field_name("constructor")
            if made is not None and made.type == "identifier" and node.child_by_field_name("type") is None:
                self.made[text_of(name)] = text_of(made)

    def _note(self, node: Node, kind: str, within: str) -> None:
        line = node.start_point[0] + 1
        if kind in ("identifier", "type_identifier", "shorthand_property_identifier"):
            self.uses.setdefault(text_of(node), []).append(line)
        elif kind in ("member_expression", "nested_identifier", "nested_type_identifier"):
            owner = node.child_by_field_name("object") or node.child_by_field_name("module")
            name = node.child_by_field_name("property") or node.child_by_field_name("name")
            if owner is not None and name is not None and owner.type in ("identifier", "this"):
                parent = node.parent
                if parent is None or parent.type not in _SETTERS or parent.child_by_field_name("left") != node:
                    at = name.start_point[0] + 1
                    self.members.append(Member(text_of(owner), text_of(name), at, within))
        elif kind in ("call_expression", "new_expression"):
            self._call(node, line, within)

    def _call(self, node: Node, line: int, within: str) -> None:
        called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        arguments = node.child_by_field_name("arguments")
        if called is None or arguments is None or arguments.type != "arguments":
            return
        given = [child for child in arguments.named_children if child.type != "comment"]
        if any(child.type == "spread_element" for child in given):
            return
        is_new = node.type == "new_expression"
        if called.type == "identifier":
            self.calls.append(ScriptCall(text_of(called), len(given), line, is_new))
        elif called.type == "member_expression" and text_of(called.child_by_field_name("object")) == "this" and within:
            name = text_of(called.child_by_field_name("property"))
            self.calls.append(ScriptCall(name, len(given), line, within=within))


def arity(node: Node) -> Arity | None:
    """Return the number of arguments of a function, from its parameters."""
    single = node.child_by_field_name("parameter")
    if single is not None:
        return Arity(1, 1, f"({text_of(single)})")
    parameters = node.child_by_field_name("parameters")
    if parameters is None:
        return None
    least = most = 0
    has_rest = False
    for one in parameters.named_children:
        if one.type in ("comment", "decorator"):
            continue
        pattern = one.child_by_field_name("pattern") or one
        if text_of(pattern) == "this":
            continue
        if pattern.type == "rest_pattern":
            has_rest = True
            continue
        most += 1
        kind = text_of(one.child_by_field_name("type"))
        is_optional = one.type in ("optional_parameter", "assignment_pattern") or "void" in kind
        if not is_optional and one.child_by_field_name("value") is None:
            least = most
    return Arity(least, None if has_rest else most, " ".join(text_of(parameters).split()))


def _passed_on(statement: Node) -> Iterator[str]:
    clauses = [child for child in statement.named_children if child.type in ("export_clause", "namespace_export")]
    if not clauses:
        yield "default"
    for clause in clauses:
        for part in clause.named_children:
            yield text_of(part.child_by_field_name("alias") or part.child_by_field_name("name") or part)


def _class(node: Node) -> ClassFacts:
    facts = ClassFacts(node.start_point[0] + 1, is_enum=node.type == "enum_declaration")
    heritage = next((child for child in node.named_children if child.type == "class_heritage"), None)
    if heritage is not None:
        clause = next((child for child in heritage.named_children if child.type != "implements_clause"), None)
        is_extends = clause is not None and clause.type == "extends_clause"
        value = clause.child_by_field_name("value") if clause is not None and is_extends else clause
        facts.parent = text_of(value) if value is not None else None
        facts.is_open = value is not None and value.type != "identifier"
    facts.is_open |= any(child.type == "decorator" for child in node.named_children)
    body = node.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        _member(member, facts)
    text = text_of(body)
    facts.is_open |= (
        re.search(r"\bObject\.(?:assign|define\w+)\(\s*this\b|\bthis\[(?![\"'])[^\]]*\]\s*=(?!=)", text) is not None
    )
    # `this.run = this.run.bind(this)` needs the member it seems to define.
    for match in re.finditer(r"\bthis\.([\w$#]+)\s*=(?!=)(?!\s*this\.\1\b)", text):
        facts.members.setdefault(match[1], facts.line + text.count("\n", 0, match.start()))
    return facts


def _member(member: Node, facts: ClassFacts) -> None:
    line = member.start_point[0] + 1
    name = member.child_by_field_name("name") or member.child_by_field_name("property")
    if facts.is_enum:
        name = name if member.type == "enum_assignment" else member
    elif member.type == "index_signature":
        facts.is_open = True
        return
    elif member.type not in _MEMBERS:
        return
    if name is None or name.type == "computed_property_name":
        facts.is_open = True
        return
    key = text_of(name).strip("\"'")
    facts.members.setdefault(key, line)
    if member.type == "method_definition":
        is_accessor = any(child.type in ("get", "set") for child in member.children)
        facts.arities[key] = None if is_accessor or key in facts.arities else arity(member)
        for one in _properties(member) if key == "constructor" else ():
            facts.members.setdefault(one, line)
    elif member.type.endswith("method_signature"):
        facts.arities[key] = None


def _properties(constructor: Node) -> Iterator[str]:
    """Yield the fields that a constructor's parameters declare: `constructor(private name: string)`."""
    parameters = constructor.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        if any(child.type in ("accessibility_modifier", "readonly", "override_modifier") for child in one.children):
            yield from bound_names(one.child_by_field_name("pattern"))
