"""Facts for the flow of request text, from the syntax tree of a module in any language."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from assay.validators.dangers.request_flow import REQUEST, Call, Flow, Function, Reads, Scope
from assay.validators.dangers.syntax import (
    CALLS,
    CLASSES,
    FUNCTIONS,
    NAMES,
    Tree,
    Value,
    arguments,
    bare,
    callee_of,
    holder_of,
    inner,
    last_name,
    names_in,
    parts_of,
    property_of,
    setting_of,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_PARTS_OF_REQUESTS = frozenset(
    # Python and scripts
    "args form values json data cookies headers files get_json get_data query_params path_params GET POST COOKIES "
    "FILES body query_string query match_info rel_url stream path_info full_path params url originalUrl rawBody file "
    "searchParams nextUrl header param formData "
    # Go, JVM languages, C#, PHP, Ruby
    "FormValue PostFormValue PathValue Form PostForm URL Body Header Cookie Query Param getParameter getParameterMap "
    "getParameterValues getHeader getQueryString getInputStream getReader getCookies getPathInfo getRequestURI "
    "queryParams Cookies Headers QueryString RouteValues input post cookie getContent raw_post".split()
)
"""Members of a request that hold text of its sender."""
_REQUEST_TEXTS = frozenset("_GET _POST _REQUEST _COOKIE params".split())
"""Names that hold such text in PHP and Ruby."""
_SAFE_FUNCTIONS = frozenset(
    "int float bool UUID len quote isinstance Number parseInt parseFloat Boolean isNaN Atoi ParseInt ParseFloat "
    "parseLong toInt toLong intval to_i to_f Integer Float escape escapeshellarg shellescape".split()
)
"""Functions whose result the sender cannot choose."""
_MUTATORS = frozenset("append add extend insert update setdefault push put appendleft write unshift set assign".split())
_INNER = frozenset(
    "arguments argument_list array pair object call keyword_argument binary_operator boolean_operator attribute "
    "subscript await list tuple set dictionary list_splat interpolation string template_string template_substitution "
    "list_comprehension set_comprehension dictionary_comprehension comparison_operator not_operator".split()
)
"""Parts of an expression that are not called `…_expression`."""


class ModuleFlow:
    """Flow of one module, and the inputs of its dangerous expressions."""

    def __init__(self, tree: Tree, entered: Collection[str] = ()) -> None:
        self._tree = tree
        self._texts = _REQUEST_TEXTS if tree.row.name in ("php", "ruby") else frozenset[str]()
        self._entered = frozenset(entered)
        self._scopes: dict[int, Scope] = {}
        self._known: dict[int, Reads] = {}
        self.flow = Flow()
        for node in tree.nodes:
            self._place(node)
        for node in reversed(tree.nodes):  # inner calls first, so that outer ones take over what these read
            self._note(node)
        for facts in (self.flow.bindings, self.flow.calls, self.flow.returns):
            facts.reverse()  # text mostly flows forwards: fewer rounds
        self.flow.solve(entered)

    def reaches(self, node: Node) -> bool:
        """Return whether request text reaches a dangerous call, or a function that is passed on or renamed."""
        if self._holds(arguments(node) if node.type in CALLS else [node]):
            return True
        names = self.flow.renamed(set(self._bound(node)))
        if node.type == "import_from_statement":
            names.update(text_of(one) for part in node.children_by_field_name("name") for one in inner(part))
        if names & self._entered:
            return True
        if not names:
            return self._holds([self._outermost(node)])
        calls = (one for one in self._tree.nodes if one.type in CALLS and self._mentions(one, names))
        return any(self._holds(arguments(one)) for one in calls)

    def _place(self, node: Node) -> None:
        """Record the scope of a node; nodes come parents first."""
        parent = self._tree.parents.get(node.id)
        scope = self._scopes[parent.id] if parent is not None else Scope()
        if node.type in FUNCTIONS:
            scope = Scope(scope)
            parts = (one.child_by_field_name("name") or one for one in _parameters(node))
            names = [name for one in parts for name in names_in(one)[:1]]
            function = Function(scope, tuple(names[1:] if names[:1] in (["self"], ["cls"]) else names))
            for name in self._names_of(node):
                self.flow.functions.setdefault(name, []).append(function)
        self._scopes[node.id] = scope

    def _names_of(self, node: Node) -> Iterator[str]:
        """Yield the names a function is called by."""
        name = node.child_by_field_name("name")
        if name is not None:
            yield text_of(name)
        if node.type not in ("function_definition", "function_declaration"):
            yield from (bound.removeprefix(".") for bound in self._bound(node))

    def _note(self, node: Node) -> None:
        """Record the flow of one node."""
        kind = node.type
        if (setting := setting_of(node)) is not None:
            self.flow.bindings.append((self._scopes[node.id], tuple(names_in(setting[0])), self._reads(setting[1])))
        elif kind in CALLS:
            self._note_call(node)
        elif kind in ("return_statement", "yield_expression", "yield") and inner(node):
            self._note_return(node, inner(node)[0])
        elif kind in ("arrow_function", "lambda"):
            body = node.child_by_field_name("body")
            if body is not None and body.type != "statement_block":
                self._note_return(body, body)

    def _note_return(self, node: Node, value: Node) -> None:
        function: Node | None = node
        while function is not None and function.type not in FUNCTIONS:
            function = self._tree.parents.get(function.id)
        if function is not None:
            self.flow.returns.extend((name, self._reads(value)) for name in self._names_of(function))

    def _note_call(self, node: Node) -> None:
        callee, given = callee_of(node), arguments(node)
        reads = [self._reads(one) for one in given]
        named = tuple((_keyword(one), read) for one, read in zip(given, reads, strict=True))
        self.flow.calls.append(Call(last_name(callee), named))
        holder = holder_of(callee)
        if holder is not None and property_of(callee) in _MUTATORS:
            names = tuple(names_in(holder))
            self.flow.bindings.extend((self._scopes[node.id], names, one) for one in reads)
        for one in given:
            if one.type in FUNCTIONS:  # a callback gets what the call is given, or what it is called on
                names = tuple(name for parameter in _parameters(one) for name in names_in(parameter))
                sources = [*reads, self._reads(holder)] if holder is not None else reads
                self.flow.bindings.extend((self._scopes[one.id], names, source) for source in sources)

    def _bound(self, node: Node) -> Iterator[str]:
        """Yield the names an expression is bound to, directly or inside a container, a class or another binding."""
        within = node
        while (parent := self._tree.parents.get(within.id)) is not None:
            if (setting := setting_of(parent)) is not None:
                if setting[1].id == within.id:
                    yield from names_in(setting[0])
            elif parent.type in CLASSES:
                yield text_of(parent.child_by_field_name("name"))
                return
            elif parent.type in CALLS or parent.type in FUNCTIONS:
                return
            within = parent

    def _mentions(self, node: Node, names: set[str]) -> bool:
        parts = [callee_of(node), *arguments(node)]
        return any(not names.isdisjoint(self._reads(part).names) for part in parts if part is not None)

    def _outermost(self, node: Node) -> Node:
        found = node
        while (parent := self._tree.parents.get(found.id)) is not None:
            if parent.type in FUNCTIONS or not (parent.type.endswith("_expression") or parent.type in _INNER):
                break
            found = parent
        return found

    def _holds(self, given: list[Node]) -> bool:
        return any(self.flow.holds(self._reads(one)) for one in given)

    def _reads(self, node: Node) -> Reads:
        """Return what an expression reads; kept, since each danger asks it of all calls."""
        if node.id not in self._known:
            self._known[node.id] = self._read(node)
        return self._known[node.id]

    def _read(self, node: Node) -> Reads:
        names: set[str] = set()
        carried: set[str] = set()
        calls: set[str] = set()
        waiting: list[Node | None] = [node]
        while waiting:
            one = waiting.pop()
            if one is None or _is_safe_call(one):
                continue
            if (known := self._known.get(one.id)) is not None:
                names |= known.names
                carried |= known.carried
                calls |= known.calls
                continue
            if one.type in CALLS and text_of(holder_of(callee_of(one))) in ("", "self", "cls", "this"):
                calls.add(last_name(callee_of(one)))
            names.update(self._names(one))
            part = property_of(one)
            if part in _PARTS_OF_REQUESTS:
                carried.add(last_name(holder_of(one)))
            if one.type in NAMES and last_name(one) in self._texts:
                carried |= REQUEST
            waiting += _parts_of(one, is_member=part is not None)
        alone = last_name(bare(node)) or None
        return Reads(self._scopes[node.id], frozenset(names), frozenset(carried), frozenset(calls), alone)

    def _names(self, node: Node) -> Iterator[str]:
        """Yield the name that a node is, or accesses, or has in its text."""
        if node.type in NAMES:
            yield last_name(node)
        elif (part := property_of(node)) is not None:
            yield f".{part}"
        elif node.type == "string_literal":  # Kotlin's grammar takes `$name` for text
            yield from (part.name for part in parts_of(node) if isinstance(part, Value) and part.is_name)


def _parts_of(node: Node, *, is_member: bool) -> Sequence[Node | None]:
    """Return what an expression is made of, without functions in it, which run later."""
    if is_member:
        return [holder_of(node), node.child_by_field_name("index"), *arguments(node)]
    if node.type == "keyword_argument":
        return [node.child_by_field_name("value")]
    return () if node.type in NAMES or node.type in FUNCTIONS else node.named_children


def _is_safe_call(node: Node) -> bool:
    return node.type in CALLS and last_name(callee_of(node)) in _SAFE_FUNCTIONS


def _keyword(node: Node) -> str | None:
    return text_of(node.child_by_field_name("name")) if node.type == "keyword_argument" else None


def _parameters(node: Node) -> list[Node]:
    alone, every = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
    every = every or next((one for one in node.named_children if one.type.endswith("parameters")), None)
    return [alone] if alone is not None else inner(every) if every is not None else []
