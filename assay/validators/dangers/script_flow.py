"""Flow of request text through a JavaScript or TypeScript module."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.validators.dangers.request_flow import Call, Flow, Function, Reads, Scope
from assay.validators.dangers.script_nodes import arguments, bare, property_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

SCRIPT_PARTS = frozenset(
    "query body params headers cookies url originalUrl rawBody files file searchParams nextUrl header param "
    "formData".split()
)
"""Properties of a request that hold text of its sender."""
_SAFE_FUNCTIONS = frozenset("Number parseInt parseFloat Boolean isNaN".split())
"""Functions whose result the sender cannot choose."""
_MUTATORS = frozenset("push unshift set append add assign write".split())
_FUNCTIONS = frozenset(
    "function_declaration function_expression arrow_function method_definition generator_function "
    "generator_function_declaration".split()
)
_SETTERS = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "augmented_assignment_expression": ("left", "right"),
    "for_in_statement": ("left", "right"),
    "public_field_definition": ("name", "value"),
    "field_definition": ("property", "value"),
}
_CALLS = ("call_expression", "new_expression")


class ScriptFlow:
    """Flow of one module, and the inputs of its dangerous expressions."""

    def __init__(self, nodes: Sequence[Node], parents: Mapping[int, Node], entered: Collection[str] = ()) -> None:
        self._nodes = nodes
        self._parents = parents
        self._entered = frozenset(entered)
        self._scopes: dict[int, Scope] = {}
        self.flow = Flow()
        for node in nodes:
            self._place(node)
        for node in nodes:
            self._note(node)
        self.flow.solve(entered)

    def reaches(self, node: Node) -> bool:
        """Return whether request text reaches a dangerous call, or a function that is passed on or renamed."""
        if node.type in _CALLS and self._holds(arguments(node)):
            return True
        names = self.flow.renamed(set(self._bound(node)))
        if names & self._entered:
            return True
        if not names:
            return self._holds([self._outermost(node)])
        calls = (one for one in self._nodes if one.type in _CALLS and self._mentions(one, names))
        return any(self._holds(arguments(one)) for one in calls)

    def _place(self, node: Node) -> None:
        """Record the scope of a node; nodes come parents first."""
        parent = self._parents.get(node.id)
        scope = self._scopes[parent.id] if parent is not None else Scope()
        if node.type in _FUNCTIONS:
            scope = Scope(scope)
            function = Function(scope, tuple(name for one in _parameters(node) for name in names_in(one)[:1]))
            for name in self._names_of(node):
                self.flow.functions.setdefault(name, []).append(function)
        self._scopes[node.id] = scope

    def _names_of(self, node: Node) -> Iterator[str]:
        """Yield the names a function is called by."""
        name = node.child_by_field_name("name")
        if name is not None:
            yield text_of(name)
        yield from (bound.removeprefix(".") for bound in self._bound(node))

    def _note(self, node: Node) -> None:
        """Record the flow of one node."""
        scope = self._scopes[node.id]
        if node.type in _SETTERS:
            target, value = map(node.child_by_field_name, _SETTERS[node.type])
            if target is not None and value is not None:
                self.flow.bindings.append((scope, tuple(names_in(target)), self._reads(value)))
        elif node.type in _CALLS:
            self._note_call(node, scope)
        elif node.type in ("return_statement", "yield_expression") and node.named_children:
            self._note_return(node, node.named_children[0])
        elif node.type == "arrow_function":
            body = node.child_by_field_name("body")
            if body is not None and body.type != "statement_block":
                self._note_return(body, body)
        elif node.type in _FUNCTIONS:
            for one in _parameters(node):
                value = one.child_by_field_name("value") or one.child_by_field_name("right")
                if value is not None:
                    self.flow.bindings.append((scope, tuple(names_in(one)), self._reads(value)))

    def _note_return(self, node: Node, value: Node) -> None:
        function: Node | None = node
        while function is not None and function.type not in _FUNCTIONS:
            function = self._parents.get(function.id)
        if function is not None:
            self.flow.returns.extend((name, self._reads(value)) for name in self._names_of(function))

    def _note_call(self, node: Node, scope: Scope) -> None:
        callee = bare(node.child_by_field_name("function") or node.child_by_field_name("constructor"))
        given = arguments(node)
        reads = [self._reads(one) for one in given]
        self.flow.calls.append(Call(last_name(callee), tuple((None, one) for one in reads)))
        holder = callee.child_by_field_name("object") if callee is not None else None
        if holder is not None and property_of(callee) in _MUTATORS:
            names = tuple(names_in(holder))
            self.flow.bindings.extend((scope, names, one) for one in reads)
        for one in given:
            if one.type in _FUNCTIONS:  # a callback gets what the call is given, or what it is called on
                names = tuple(name for parameter in _parameters(one) for name in names_in(parameter))
                sources = [*reads, self._reads(holder)] if holder is not None else reads
                self.flow.bindings.extend((self._scopes[one.id], names, source) for source in sources)

    def _bound(self, node: Node) -> Iterator[str]:
        """Yield the names an expression is bound to, directly or inside a container, a class or another binding."""
        inner = node
        while (parent := self._parents.get(inner.id)) is not None:
            if parent.type in _SETTERS:
                target = parent.child_by_field_name(_SETTERS[parent.type][0])
                if target is not None and target.id != inner.id:
                    yield from names_in(target)
            elif parent.type in ("class_declaration", "class"):
                yield text_of(parent.child_by_field_name("name"))
                return
            elif parent.type in ("required_parameter", "optional_parameter", "assignment_pattern"):
                yield from names_in(parent)
                return
            elif parent.type in (*_CALLS, *_FUNCTIONS):
                return
            inner = parent

    def _mentions(self, node: Node, names: set[str]) -> bool:
        parts = [node.child_by_field_name("function") or node.child_by_field_name("constructor"), *arguments(node)]
        return any(not names.isdisjoint(self._reads(part).names) for part in parts if part is not None)

    def _outermost(self, node: Node) -> Node:
        found = node
        while (parent := self._parents.get(found.id)) is not None:
            is_part = parent.type.endswith("_expression") or parent.type in ("arguments", "array", "pair", "object")
            if not is_part or parent.type in _FUNCTIONS:
                break
            found = parent
        return found

    def _holds(self, given: list[Node]) -> bool:
        return any(self.flow.holds(self._reads(one)) for one in given)

    def _reads(self, node: Node) -> Reads:
        names: set[str] = set()
        carried: set[str] = set()
        calls: set[str] = set()
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one.type in _CALLS:
                callee = bare(one.child_by_field_name("function") or one.child_by_field_name("constructor"))
                if last_name(callee) in _SAFE_FUNCTIONS:
                    continue
                holder = callee.child_by_field_name("object") if callee is not None else None
                if holder is None or holder.type == "this":
                    calls.add(last_name(callee))
            if one.type in ("identifier", "shorthand_property_identifier"):
                names.add(text_of(one))
            elif one.type in ("member_expression", "subscript_expression"):
                part = property_of(one)
                names.add(f".{part}")
                if part in SCRIPT_PARTS:
                    carried.add(last_name(bare(one.child_by_field_name("object"))))
            if one.type not in _FUNCTIONS:
                waiting.extend(one.named_children)
        scope = self._scopes[node.id]
        alone = last_name(bare(node)) or None
        return Reads(scope, frozenset(names), frozenset(carried), frozenset(calls), alone)


def names_in(node: Node) -> list[str]:
    """Return the names a target sets: for a member its name with a dot, for an element its container."""
    found: list[str] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(text_of(one))
        elif one.type in ("property_identifier", "private_property_identifier"):
            found.append(f".{text_of(one)}")
        elif one.type == "member_expression":
            found.append(f".{property_of(one)}")
        elif one.type == "subscript_expression":
            waiting.extend(filter(None, [one.child_by_field_name("object")]))
        elif one.type == "pair_pattern":
            waiting.extend(filter(None, [one.child_by_field_name("value")]))
        elif one.type in ("assignment_pattern", "object_assignment_pattern"):
            waiting.extend(filter(None, [one.child_by_field_name("left")]))
        elif one.type in ("required_parameter", "optional_parameter"):
            waiting.extend(filter(None, [one.child_by_field_name("pattern")]))
        elif one.type not in ("type_annotation", "string", "number"):
            waiting.extend(reversed(one.named_children))
    return found


def last_name(node: Node | None) -> str:
    """Return the name of an identifier, or of the accessed member."""
    if node is None:
        return ""
    return text_of(node) if node.type == "identifier" else property_of(node) or ""


def _parameters(node: Node) -> list[Node]:
    alone = node.child_by_field_name("parameter")
    if alone is not None:
        return [alone]
    every = node.child_by_field_name("parameters")
    return [one for one in every.named_children if one.type != "comment"] if every is not None else []
