"""Value expressions in the code of a script: what it mentions, on which receivers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.validators.languages.fact_writer import BUILT_IN, UNKNOWN, FactWriter
from assay.validators.languages.javascript.definitions import VARIABLES, bound_names, text_of

if TYPE_CHECKING:
    import tree_sitter

MOST_NESTED = 250
"""Maximum depth that is read."""

FUNCTIONS = frozenset(
    "function_declaration generator_function_declaration function_expression generator_function arrow_function "
    "method_definition".split()
)
CLASSES = frozenset("class_declaration abstract_class_declaration class".split())
_ATOMS = frozenset("string comment number regex property_identifier".split())
_RUNNERS = ("it", "test", "describe", "suite")
_LITERALS = frozenset(
    "template_string array object true false null undefined binary_expression unary_expression".split()
)
_READ = {
    "identifier": "_name",
    "shorthand_property_identifier": "_name",
    "type_identifier": "_name",
    "this": "_this",
    "super": "_super",
    "member_expression": "_member",
    "call_expression": "_call",
    "new_expression": "_new",
    "variable_declarator": "_local",
    "return_statement": "_return",
    "parenthesized_expression": "_passed_on",
    "await_expression": "_passed_on",
    "as_expression": "_passed_on",
    "satisfies_expression": "_passed_on",
    "non_null_expression": "_passed_on",
    **dict.fromkeys(FUNCTIONS, "_nested"),
}
"""Kind of node -> the method that reads it."""

_METHODS_OF_VALUES = frozenset(
    "at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach "
    "includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort "
    "splice toReversed toSorted toSpliced unshift values with add clear delete get has set size union "
    "intersection charAt charCodeAt codePointAt endsWith localeCompare match matchAll normalize padEnd "
    "padStart repeat replace replaceAll search split startsWith substring toLowerCase toUpperCase trim trimEnd "
    "trimStart then catch finally apply bind call exec test toString toJSON valueOf toFixed toPrecision "
    "getTime toISOString hasOwnProperty log info warn error debug on off once emit append remove write end "
    "pipe next return throw resolve reject all race assign freeze".split()
)
"""Method names of built-in values, streams and the console."""

_REQUIRED = re.compile(r"\(?(?:require|await\s+import)\s*\(\s*[\"'`][^\"'`]*[\"'`]\s*\)\)?(?:\s*\.\s*[\w$]+)?")
_Scope = dict[str, str]


def is_import(node: tree_sitter.Node) -> bool:
    """Return whether a declaration binds what `require` or `await import()` gives: names of another file."""
    value = node.child_by_field_name("value")
    return value is not None and _REQUIRED.fullmatch(text_of(value)) is not None


def _is_test(function: tree_sitter.Node, arguments: tree_sitter.Node, scope: _Scope) -> bool:
    """Return whether a call gives a runner a test: `it("…", f)`, `test.each(rows)`, `t.test("…", () => …)`.

    What gets an object alone is a helper of the same name: `test({ … })`.
    """
    given = arguments.named_children
    if arguments.type == "arguments" and (not given or given[0].type == "object"):
        return False
    last = text_of(function.child_by_field_name("property"))
    while function.type in ("member_expression", "call_expression"):
        function = function.child_by_field_name("object") or function.child_by_field_name("function") or given[0]
    first = text_of(function)
    return (first in _RUNNERS and first not in scope) or (last in _RUNNERS and given[-1].type in FUNCTIONS)


class MentionReader:
    """Reader of one file's expressions, on behalf of `users`; `owner` is the class around them."""

    def __init__(self, renamed: dict[str, str]) -> None:
        self.writer = FactWriter(renamed, _METHODS_OF_VALUES)
        self.top = self.writer.symbol("", "module")
        self.users: list[int] = [self.top]
        self.owner = ""
        self._depth = 0
        self.returned: list[str] = []

    def within(self, users: list[int], node: tree_sitter.Node) -> str:
        before, self.users = self.users, users
        value = self.value(node, {"this": f"={self.owner}"} if self.owner else {})
        self.users = before
        return value

    def parameters(self, node: tree_sitter.Node, scope: _Scope) -> _Scope:
        scope = dict(scope)
        single = node.child_by_field_name("parameter")
        if single is not None:
            scope[text_of(single)] = UNKNOWN
        parameters = node.child_by_field_name("parameters")
        for one in parameters.named_children if parameters is not None else ():
            pattern = one.child_by_field_name("pattern") or one
            declared = self.annotated(one.child_by_field_name("type"))
            for name in bound_names(pattern):
                scope[name] = (declared if pattern.type == "identifier" else "") or UNKNOWN
            value = one.child_by_field_name("value")
            if value is not None:
                self.value(value, scope)
        return scope

    def body(self, node: tree_sitter.Node, scope: _Scope) -> str:
        if node.type != "statement_block":
            return self.value(node, scope)
        self._declare(node, scope)
        for child in node.named_children:
            self.value(child, scope)
        return UNKNOWN

    def _declare(self, block: tree_sitter.Node, scope: _Scope) -> None:
        """Make the names that a block declares local to it."""
        for child in block.named_children:
            if child.type in VARIABLES:
                for one in child.named_children:
                    if is_import(one):
                        continue
                    for name in bound_names(one.child_by_field_name("name")):
                        scope[name] = UNKNOWN
            elif child.type in FUNCTIONS or child.type in CLASSES:
                scope[text_of(child.child_by_field_name("name"))] = UNKNOWN

    def value(self, node: tree_sitter.Node, scope: _Scope) -> str:
        """Return the value expression of a node, and record what it mentions."""
        self._depth += 1
        value = self._value_inside(node, scope) if self._depth < MOST_NESTED else UNKNOWN
        self._depth -= 1
        return value

    def _value_inside(self, node: tree_sitter.Node, scope: _Scope) -> str:
        kind = node.type
        if kind in _ATOMS:
            return BUILT_IN
        read = _READ.get(kind)
        if read is not None:
            return str(getattr(self, read)(node, scope))
        if kind in ("statement_block", "switch_body"):
            scope = dict(scope)
            self._declare(node, scope)
        for child in node.named_children:
            self.value(child, scope)
        return BUILT_IN if kind in _LITERALS else UNKNOWN

    def _this(self, node: tree_sitter.Node, scope: _Scope) -> str:  # noqa: ARG002 - one form for every kind
        return scope.get("this", UNKNOWN)

    def _super(self, node: tree_sitter.Node, scope: _Scope) -> str:  # noqa: ARG002 - one form for every kind
        return f"^{self.owner}" if self.owner else UNKNOWN

    def _passed_on(self, node: tree_sitter.Node, scope: _Scope) -> str:
        values = [self.value(child, scope) for child in node.named_children]
        return values[0] if values else UNKNOWN

    def _nested(self, node: tree_sitter.Node, scope: _Scope) -> str:
        inner = self.parameters(node, scope)
        if node.type not in ("arrow_function", "method_definition"):
            inner["this"] = UNKNOWN
        body = node.child_by_field_name("body")
        returned, self.returned = self.returned, []
        if body is not None:
            self.body(body, inner)
        self.returned = returned
        return UNKNOWN

    def _return(self, node: tree_sitter.Node, scope: _Scope) -> str:
        self.returned += [self.value(child, scope) for child in node.named_children]
        return UNKNOWN

    def _name(self, node: tree_sitter.Node, scope: _Scope) -> str:
        name = text_of(node)
        value = scope.get(name) or f".{name}"
        if name not in scope:
            self.writer.mention(value, self.users)
        return value

    def _member(self, node: tree_sitter.Node, scope: _Scope) -> str:
        holder = node.child_by_field_name("object")
        name = text_of(node.child_by_field_name("property"))
        value = self.value(holder, scope) if holder is not None else UNKNOWN
        return self.writer.member(value, name, self.users)

    def _call(self, node: tree_sitter.Node, scope: _Scope) -> str:
        function = node.child_by_field_name("function")
        value = self.value(function, scope) if function is not None else UNKNOWN
        arguments = node.child_by_field_name("arguments")
        if function is not None and arguments is not None and _is_test(function, arguments, scope):
            self.writer.has_tests = True
        if arguments is not None:
            self.value(arguments, scope)
        if value.startswith("^") and ">" not in value:
            self.writer.mention(f"{value}>constructor", self.users)
            return UNKNOWN
        if value.startswith(".") and ">" not in value:
            self.writer.mention(f"(){value[1:]}", self.users)
            return f"(){value[1:]}"
        if value in (UNKNOWN, BUILT_IN):
            return value
        return f"{value}()" if ">" in value and not value.endswith("()") else f"{value}>()"

    def _new(self, node: tree_sitter.Node, scope: _Scope) -> str:
        constructor = node.child_by_field_name("constructor")
        value = self.value(constructor, scope) if constructor is not None else UNKNOWN
        arguments = node.child_by_field_name("arguments")
        if arguments is not None:
            self.value(arguments, scope)
        if value.startswith(".") and ">" not in value:
            self.writer.mention(f"(){value[1:]}", self.users)
            return f"(){value[1:]}"
        return UNKNOWN

    def _local(self, node: tree_sitter.Node, scope: _Scope) -> str:
        if is_import(node):
            return UNKNOWN
        value = node.child_by_field_name("value")
        given = self.value(value, scope) if value is not None else UNKNOWN
        declared = self.annotated(node.child_by_field_name("type"))
        pattern = node.child_by_field_name("name")
        for name in bound_names(pattern):
            is_plain = pattern is not None and pattern.type == "identifier"
            scope[name] = (declared or given) if is_plain else UNKNOWN
        if pattern is not None and pattern.type == "object_pattern" and given not in (UNKNOWN, BUILT_IN):
            for part in pattern.named_children:
                key = text_of(part.child_by_field_name("key") or part)
                if key.isidentifier():
                    chain = f"{given}.{key}" if given.startswith(".") and ">" not in given else f"{given}>{key}"
                    self.writer.mention(chain, self.users)
        return UNKNOWN

    def annotated(self, node: tree_sitter.Node | None) -> str:
        """Return the value expression of what a type annotation allows; "" if it names no class."""
        if node is None:
            return ""
        for child in node.named_children if node.type in ("type_annotation", "union_type") else (node,):
            found = self.annotated_name(child)
            if found:
                return found
        return ""

    def annotated_name(self, node: tree_sitter.Node, users: list[int] | None = None) -> str:
        if node.type == "generic_type" and node.named_children:
            name = text_of(node.named_children[0])
            inner = node.named_children[-1].named_children
            if name in ("Promise", "Readonly", "Partial", "Required") and inner:
                return self.annotated(inner[0])
            return self.annotated_name(node.named_children[0], users)
        if node.type in ("type_identifier", "identifier", "nested_type_identifier", "member_expression"):
            name = text_of(node)
            if re.fullmatch(r"[\w$.]{1,100}", name):
                self.writer.mention(f".{name}", self.users if users is None else users)
                return f"={name}"
        return ""
