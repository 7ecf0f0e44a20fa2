"""Value expressions in the code of a Python function: what it mentions, on which receivers."""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator

from assay.validators.languages.fact_writer import BUILT_IN, UNKNOWN, FactWriter, last_name
from assay.validators.languages.python.names import inner_statements

MOST_NESTED = 200
"""Maximum depth of statements and expressions that are read."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FunctionDef = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_LITERALS = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Compare, ast.UnaryOp, ast.JoinedStr)
_CONTAINERS = frozenset(
    "list List tuple Tuple set Set frozenset FrozenSet Sequence MutableSequence Iterable Iterator Generator Collection "
    "AsyncIterator AsyncIterable AsyncGenerator deque Deque".split()
)
_MAPPINGS = frozenset("dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict".split())
_WRAPPERS = frozenset(
    "Optional Union Annotated Final ClassVar Required NotRequired Awaitable Coroutine type Type".split()
)
_ITEM_OF = frozenset(("next", "min", "max"))
_SAME_AS = frozenset("copy deepcopy sorted reversed list tuple set iter".split())

_METHODS_OF_VALUES = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple, int, float, io.TextIOWrapper, io.BytesIO)
    for name in dir(kind)
    if not name.startswith("_")
)
"""Method names of built-in Python values."""

Scope = dict[str, str]
"""Local name -> its value expression."""


class MentionReader:
    """Reader of one file's statements and expressions, on behalf of `users`; `owner` is the class around them."""

    def __init__(self, renamed: dict[str, str]) -> None:
        self.writer = FactWriter(renamed, _METHODS_OF_VALUES)
        self.top = self.writer.symbol("", "module")
        self.users: list[int] = [self.top]
        self.owner = ""
        self._returned: list[str] = []
        self._depth = 0

    def within(self, users: list[int], node: ast.expr) -> str:
        before, self.users = self.users, users
        value = self.value(node, {})
        self.users = before
        return value

    def parameters(self, node: FunctionDef, kind: str, decorators: frozenset[str]) -> Scope:
        scope: Scope = {}
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        plain = len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults)
        for index, one in enumerate(every):
            known = self.annotated(one.annotation, self.users) if one.annotation is not None else ""
            if kind in ("test", "fixture") and index < plain and one.arg not in ("self", "cls"):
                self.writer.mention(f"@{one.arg}", self.users)
                known = known or f"@{one.arg}"
            elif index == 0 and self.owner and kind != "function" and "staticmethod" not in decorators:
                known = f"={self.owner}"
            scope[one.arg] = known or UNKNOWN
        for star in (node.args.vararg, node.args.kwarg):
            if star is not None:
                scope[star.arg] = BUILT_IN
        return scope

    def body(self, node: FunctionDef, scope: Scope) -> str:
        """Read a function's body; return what calling it gives, by its annotation or its `return` statements."""
        for name in _local_names(node):
            scope.setdefault(name, UNKNOWN)
        declared = self.annotated(node.returns, self.users) if node.returns is not None else ""
        before, self._returned = self._returned, []
        for statement in node.body:
            self.statement(statement, scope)
        known = [value for value in self._returned if value not in (UNKNOWN, BUILT_IN)]
        self._returned = before
        return declared or (known[0] if known else "")

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        self._depth += 1
        if self._depth < MOST_NESTED:
            self._statement_inside(node, scope)
        self._depth -= 1

    def _statement_inside(self, node: ast.stmt, scope: Scope) -> None:
        read = _STATEMENTS.get(type(node))
        if read is not None:
            getattr(self, read)(node, scope)
            return
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.value(part, scope)
            elif isinstance(part, ast.ExceptHandler) and part.type is not None:
                self.value(part.type, scope)
            elif isinstance(part, ast.match_case):
                for pattern in ast.walk(part.pattern):
                    if isinstance(pattern, (ast.MatchClass, ast.MatchValue)):
                        self.value(pattern.cls if isinstance(pattern, ast.MatchClass) else pattern.value, scope)
        for inner in inner_statements(node):
            self.statement(inner, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.value(node.value, scope)
        for target in node.targets:
            self._bind(target, value, scope)

    def _annotated_assign(self, node: ast.AnnAssign, scope: Scope) -> None:
        value = self.value(node.value, scope) if node.value is not None else UNKNOWN
        self._bind(node.target, self.annotated(node.annotation, self.users) or value, scope)

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        self._bind(node.target, _item(self.value(node.iter, scope)), scope)
        for inner in inner_statements(node):
            self.statement(inner, scope)

    def _with(self, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
        for item in node.items:
            value = self.value(item.context_expr, scope)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, _item(value, "with"), scope)
        for inner in inner_statements(node):
            self.statement(inner, scope)

    def _return(self, node: ast.Return, scope: Scope) -> None:
        if node.value is not None:
            self._returned.append(self.value(node.value, scope))

    def _ignored(self, node: ast.stmt, scope: Scope) -> None:
        """Ignore an import: its names are the file's."""

    def _nested_function(self, node: FunctionDef, scope: Scope) -> None:
        for part in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.value(part, scope)
        inner = {**scope, **self.parameters(node, "function", frozenset())}
        scope[node.name] = UNKNOWN
        returned = self._returned
        self.body(node, inner)
        self._returned = returned

    def _nested_class(self, node: ast.ClassDef, scope: Scope) -> None:
        bases = [self.value(part, scope) for part in node.bases]
        for part in [*node.decorator_list, *(keyword.value for keyword in node.keywords)]:
            self.value(part, scope)
        # An instance of a local class answers as its parent does.
        parent = next((base for base in bases if base.startswith(".")), "")
        scope[node.name] = f"={parent[1:]}" if parent else UNKNOWN
        outer, self.owner = self.owner, ""
        for inner in node.body:
            if isinstance(inner, FUNCTIONS) and inner.args.args:
                holder = {**scope, inner.args.args[0].arg: scope[node.name]}
                for part in inner.decorator_list:
                    self.value(part, scope)
                arguments = {one.arg: UNKNOWN for one in [*inner.args.args[1:], *inner.args.kwonlyargs]}
                returned, self._returned = self._returned, []
                self.body(inner, {**holder, **arguments})
                self._returned = returned
            else:
                self.statement(inner, dict(scope))
        self.owner = outer

    def _bind(self, target: ast.expr, value: str, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            if target.id in scope or self.owner or self.users != [self.top]:
                known = scope.get(target.id, UNKNOWN)
                scope[target.id] = value if value not in (UNKNOWN, BUILT_IN) or known == UNKNOWN else known
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._bind(one, _item(value), scope)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, BUILT_IN, scope)
        elif isinstance(target, ast.Attribute):
            holder = self.value(target.value, scope)
            if self.owner and holder == f"={self.owner}" and value not in (UNKNOWN, BUILT_IN):
                self.writer.attribute(f"{self.owner}.{target.attr}", value)
            elif holder not in (UNKNOWN, BUILT_IN):
                self.writer.mention(f"{holder}>{target.attr}", self.users)
        elif isinstance(target, ast.Subscript):
            self.value(target.value, scope)
            self.value(target.slice, scope)

    def value(self, node: ast.expr, scope: Scope) -> str:
        """Return the value expression of an expression, and record what it mentions."""
        self._depth += 1
        value = self._value_inside(node, scope) if self._depth < MOST_NESTED else UNKNOWN
        self._depth -= 1
        return value

    def _value_inside(self, node: ast.expr, scope: Scope) -> str:
        read = _VALUES.get(type(node))
        if read is not None:
            return str(getattr(self, read)(node, scope))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, scope)
        return BUILT_IN if isinstance(node, _LITERALS) else UNKNOWN

    def _name(self, node: ast.Name, scope: Scope) -> str:
        value = scope.get(node.id) or f".{node.id}"
        if node.id not in scope:
            self.writer.mention(value, self.users)
        return value

    def _attribute_of(self, node: ast.Attribute, scope: Scope) -> str:
        return self.writer.member(self.value(node.value, scope), node.attr, self.users)

    def _passed_on(self, node: ast.Await | ast.Starred, scope: Scope) -> str:
        return self.value(node.value, scope)

    def _named(self, node: ast.NamedExpr, scope: Scope) -> str:
        value = self.value(node.value, scope)
        self._bind(node.target, value, scope)
        return value

    def _subscript(self, node: ast.Subscript, scope: Scope) -> str:
        value = self.value(node.value, scope)
        self.value(node.slice, scope)
        return _item(value)

    def _if(self, node: ast.IfExp, scope: Scope) -> str:
        self.value(node.test, scope)
        return _first(self.value(node.body, scope), self.value(node.orelse, scope))

    def _any_of(self, node: ast.BoolOp, scope: Scope) -> str:
        return _first(*[self.value(one, scope) for one in node.values])

    def _lambda(self, node: ast.Lambda, scope: Scope) -> str:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        self.value(node.body, {**scope, **{one.arg: UNKNOWN for one in arguments}})
        return UNKNOWN

    def _yield(self, node: ast.Yield, scope: Scope) -> str:
        if node.value is not None:
            self._returned.append(self.value(node.value, scope))
        return UNKNOWN

    def _comprehension(self, node: _Comprehension, scope: Scope) -> str:
        inner = dict(scope)
        for one in node.generators:
            item = _item(self.value(one.iter, inner))
            inner.update({part.id: item for part in ast.walk(one.target) if isinstance(part, ast.Name)})
            for condition in one.ifs:
                self.value(condition, inner)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.value(part, inner)
        return BUILT_IN

    def _call(self, node: ast.Call, scope: Scope) -> str:
        function = node.func
        name = function.id if isinstance(function, ast.Name) and function.id not in scope else ""
        if name == "super":
            return f"^{self.owner}" if self.owner else UNKNOWN
        value = self.value(function, scope)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        given = [self.value(one, scope) for one in arguments]
        if name in ("getattr", "hasattr", "setattr") and len(node.args) > 1:
            attribute = node.args[1]
            if isinstance(attribute, ast.Constant) and isinstance(attribute.value, str):
                self.writer.member(given[0], attribute.value, self.users)
        if name in _ITEM_OF and given:
            return _item(given[0])
        if (name == "cast" or name in _SAME_AS) and given:
            return (self.annotated(node.args[0], []) or UNKNOWN) if name == "cast" else given[0]
        if value.startswith(".") and ">" not in value:
            self.writer.mention(f"(){value[1:]}", self.users)
            return f"(){value[1:]}"
        if value.startswith("=") and ">" not in value:
            self.writer.mention(f"(){value[1:]}", self.users)
            return value
        if value in (UNKNOWN, BUILT_IN):
            return value
        return f"{value}()" if ">" in value and not value.endswith(("()", "*", "with")) else f"{value}>()"

    def annotated(self, node: ast.expr | None, users: list[int]) -> str:
        """Return the value expression of what an annotation allows; "" if it names no single class."""
        match node:
            case ast.Constant(value=str() as text) if len(text) < 200:
                try:
                    return self.annotated(ast.parse(text, mode="eval").body, users)
                except (SyntaxError, ValueError, RecursionError, MemoryError):
                    return ""
            case ast.BinOp(op=ast.BitOr()):
                return self.annotated(node.left, users) or self.annotated(node.right, users)
            case ast.Subscript():
                return self._annotated_generic(node, users)
            case ast.Name() | ast.Attribute():
                chain = dotted(node)
                last = last_name(chain)
                if last == "Self" and self.owner:
                    return f"={self.owner}"
                if chain and last[:1].isupper() and last not in ("Any", "None", "Callable"):
                    self.writer.mention(f".{chain}", users)
                    return f"={chain}"
        return ""

    def _annotated_generic(self, node: ast.Subscript, users: list[int]) -> str:
        name = last_name(dotted(node.value))
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in _WRAPPERS:
            found = [self.annotated(part, users) for part in parts]
            return next(filter(None, found), "")
        if name in _CONTAINERS or name in _MAPPINGS:
            found = [self.annotated(part, users) for part in parts]
            # `tuple[()]` has no part.
            inner = found[-1 if name in _MAPPINGS else 0] if found else ""
            return f"*{inner}" if inner else ""
        for part in parts:
            self.annotated(part, users)
        return self.annotated(node.value, users)


_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.FunctionDef: "_nested_function",
    ast.AsyncFunctionDef: "_nested_function",
    ast.ClassDef: "_nested_class",
    ast.Assign: "_assign",
    ast.AnnAssign: "_annotated_assign",
    ast.For: "_for",
    ast.AsyncFor: "_for",
    ast.With: "_with",
    ast.AsyncWith: "_with",
    ast.Return: "_return",
    ast.Import: "_ignored",
    ast.ImportFrom: "_ignored",
}
_VALUES: dict[type[ast.expr], str] = {
    ast.Name: "_name",
    ast.Attribute: "_attribute_of",
    ast.Call: "_call",
    ast.Await: "_passed_on",
    ast.Starred: "_passed_on",
    ast.NamedExpr: "_named",
    ast.Subscript: "_subscript",
    ast.IfExp: "_if",
    ast.BoolOp: "_any_of",
    ast.Lambda: "_lambda",
    ast.Yield: "_yield",
    ast.ListComp: "_comprehension",
    ast.SetComp: "_comprehension",
    ast.GeneratorExp: "_comprehension",
    ast.DictComp: "_comprehension",
}


def _first(*values: str) -> str:
    return next((value for value in values if value not in (UNKNOWN, BUILT_IN)), UNKNOWN)


def _item(value: str, how: str = "*") -> str:
    return value if value in (UNKNOWN, BUILT_IN) else f"{value}>{how}"


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` of a name or attribute; "" for other expressions."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _local_names(node: FunctionDef) -> Iterator[str]:
    """Yield the names a function binds itself, without those it declares global."""
    shared: set[str] = set()
    left: list[ast.AST] = list(node.body)
    found: list[str] = []
    while left:
        one = left.pop()
        if isinstance(one, (ast.Global, ast.Nonlocal)):
            shared.update(one.names)
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.append(one.id)
        elif isinstance(one, (*FUNCTIONS, ast.ClassDef)):
            found.append(one.name)
            continue
        elif isinstance(one, ast.ExceptHandler) and one.name:
            found.append(one.name)
        left += ast.iter_child_nodes(one)
    return (name for name in found if name not in shared)
