"""Scopes of a Python file: bindings, and uses of names, attributes and calls.

The tree is walked without recursion, since its depth is untrusted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from assay.validators.quality.contracts.python.nodes import (
    caught_names,
    is_namespace,
    is_update,
    last_name,
    names_given,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_GUARDS = frozenset("suppress raises assertRaises assertRaisesRegex".split())
TYPES_ONLY = "TYPE_CHECKING"
"""As a guard: code that type checkers read and that never runs."""


@dataclass(frozen=True, slots=True)
class Binding:
    """Place that binds a name: `kind` is `import`, `from`, `def`, `class`, `assign`, `parameter` or `other`.

    `value` is the assigned value, `annotation` the declared type; `target` and `original` are the imported names.
    """

    kind: str
    node: ast.AST
    value: ast.expr | None = None
    annotation: ast.expr | None = None
    target: str = ""
    original: str = ""


@dataclass(eq=False)
class Scope:
    """Module, class or function with its bindings. Scopes are compared by identity."""

    kind: str
    node: ast.AST
    parent: Scope | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer_names: set[str] = field(default_factory=set)
    qualname: str = ""
    stores: list[Store] = field(default_factory=list)
    """For a class: assignments to its attributes by methods, or by other code through its name."""
    adds_attributes: bool = False
    """For a class: whether its code sets attributes by computed names."""

    @property
    def module(self) -> Scope:
        """Scope of the whole file."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def find(self, name: str) -> list[Binding]:
        """Return the bindings of a name here; empty if the file does not bind it."""
        if name in self.outer_names:
            return self.module.bindings.get(name, [])
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or scope.kind != "class"):
                return scope.bindings[name]
            scope = scope.parent
        return []


@dataclass(frozen=True, slots=True)
class Seen:
    """Node with its scope and its guards: names of caught exceptions, `TYPE_CHECKING`."""

    node: ast.AST
    scope: Scope
    guards: frozenset[str]
    is_annotation: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """Assignment to an attribute."""

    node: ast.Attribute
    scope: Scope
    value: ast.expr | None
    annotation: ast.expr | None = None


class SourceFile:
    """Parsed file. `classes` are those of the module and nested ones, by qualified name."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.module = Scope("module", tree)
        self.classes: dict[str, Scope] = {}
        self._by_node: dict[int, Scope] = {}
        self.stars: list[str] = []
        self.names: list[Seen] = []
        self.attributes: list[Seen] = []
        self.calls: list[Seen] = []
        self.imports: list[Seen] = []
        self.foreign_stores: set[str] = set()
        """Attributes assigned to anything but a class of this file."""
        self.named_in_text: set[str] = set()
        """Names passed as text to `getattr`, `setattr`, `hasattr`, `patch` and the like."""
        self.has_future_annotations = False
        self.is_open = False
        """Whether the module may have names that its text does not bind."""
        self.given: frozenset[str] = frozenset()
        """Names that a module's `__getattr__` provides, if it lists them."""
        self._left: list[Seen] = [Seen(node, self.module, frozenset()) for node in reversed(tree.body)]
        visitors = self._visitors()
        while self._left:
            seen = self._left.pop()
            visitors.get(type(seen.node), self._inside)(seen.node, seen)
        for binding in self.module.bindings.get("__getattr__", []):
            given = names_given(binding.node)
            self.is_open |= given is None
            self.given |= given or frozenset()

    def _visitors(self) -> dict[type[ast.AST], Callable[[Any, Seen], None]]:
        return {
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.Lambda: self._lambda,
            ast.ClassDef: self._class,
            ast.Name: self._name,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.NamedExpr: self._walrus,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Subscript: self._subscript,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Global: self._outer,
            ast.Nonlocal: self._outer,
            ast.ExceptHandler: self._captured,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.If: self._if,
            ast.MatchAs: self._captured,
            ast.MatchStar: self._captured,
            ast.MatchMapping: self._captured,
            **dict.fromkeys(_COMPREHENSIONS, self._comprehension),
        }

    def _push(self, seen: Seen, *nodes: ast.AST | None, is_annotation: bool | None = None) -> None:
        marked = seen.is_annotation if is_annotation is None else is_annotation
        self._left += [Seen(node, seen.scope, seen.guards, marked) for node in reversed(nodes) if node is not None]

    def _inside(self, node: ast.AST, seen: Seen) -> None:
        self._push(seen, *ast.iter_child_nodes(node))

    def _bind(self, scope: Scope, name: str, binding: Binding) -> None:
        target = scope.module if name in scope.outer_names else scope
        target.bindings.setdefault(name, []).append(binding)

    def _function(self, node: Function, seen: Seen) -> None:
        self._bind(seen.scope, node.name, Binding("def", node))
        inner = self._parameters(seen, node.args, node)
        self._left += [Seen(one, inner, seen.guards) for one in reversed(node.body)]
        self._push(seen, node.returns, is_annotation=True)
        self._push(seen, *node.decorator_list)

    def _lambda(self, node: ast.Lambda, seen: Seen) -> None:
        inner = self._parameters(seen, node.args, node)
        self._left.append(Seen(node.body, inner, seen.guards))

    def _parameters(self, seen: Seen, arguments: ast.arguments, node: ast.AST) -> Scope:
        inner = Scope("function", node, seen.scope)
        plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for one in plain:
            self._bind(inner, one.arg, Binding("parameter", one, annotation=one.annotation))
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                self._bind(inner, rest.arg, Binding("other", rest))
                self._push(seen, rest.annotation, is_annotation=True)
        self._push(seen, *(one.annotation for one in plain), is_annotation=True)
        self._push(seen, *arguments.defaults, *arguments.kw_defaults)
        return inner

    def _class(self, node: ast.ClassDef, seen: Seen) -> None:
        self._bind(seen.scope, node.name, Binding("class", node))
        inner = Scope("class", node, seen.scope)
        if seen.scope.kind == "module" or seen.scope.qualname:
            inner.qualname = f"{seen.scope.qualname}.{node.name}".lstrip(".")
            self.classes.setdefault(inner.qualname, inner)
            self._by_node[id(node)] = inner
        self._left += [Seen(one, inner, seen.guards) for one in reversed(node.body)]
        self._push(seen, *node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords))

    def _comprehension(self, node: _Comprehension, seen: Seen) -> None:
        inner = Scope("function", node, seen.scope)
        for at, part in enumerate(node.generators):
            outer = seen.scope if at == 0 else inner
            self._left.append(Seen(part.iter, outer, seen.guards))
            self._left += [Seen(one, inner, seen.guards) for one in (*part.ifs, part.target)]
        results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        self._left += [Seen(one, inner, seen.guards) for one in results]

    def _name(self, node: ast.Name, seen: Seen) -> None:
        if isinstance(node.ctx, ast.Load):
            self.names.append(seen)
        else:
            self._bind(seen.scope, node.id, Binding("other", node))

    def _assign(self, node: ast.Assign, seen: Seen) -> None:
        for target in node.targets:
            self._target(target, seen, Binding("assign", node, node.value))
        self._push(seen, node.value)

    def _annotated(self, node: ast.AnnAssign, seen: Seen) -> None:
        self._target(node.target, seen, Binding("assign", node, node.value, node.annotation))
        self._push(seen, node.annotation, is_annotation=True)
        self._push(seen, node.value)

    def _target(self, target: ast.expr, seen: Seen, binding: Binding) -> None:
        if isinstance(target, ast.Name):
            self._bind(seen.scope, target.id, binding)
        elif isinstance(target, ast.Attribute):
            self._store(Store(target, seen.scope, binding.value, binding.annotation))
            self._push(seen, target.value)
        else:
            self._push(seen, target)

    def _walrus(self, node: ast.NamedExpr, seen: Seen) -> None:
        scope = seen.scope
        while isinstance(scope.node, _COMPREHENSIONS) and scope.parent is not None:
            scope = scope.parent
        self._bind(scope, node.target.id, Binding("assign", node, node.value))
        self._push(seen, node.value)

    def _attribute(self, node: ast.Attribute, seen: Seen) -> None:
        if isinstance(node.ctx, ast.Load):
            self.attributes.append(seen)
        else:
            self._store(Store(node, seen.scope, None))
        self._push(seen, node.value)

    def _subscript(self, node: ast.Subscript, seen: Seen) -> None:
        if isinstance(node.ctx, ast.Store) and is_namespace(node.value):
            self._adds_attributes(seen.scope)
        if last_name(node.value) == "modules" and last_name(node.slice) == "__name__":
            self.is_open = True
        is_read = isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Call)
        if is_read and last_name(node.value.func) == "globals":  # type: ignore[attr-defined]
            self._push(seen, node.slice)
        else:
            self._inside(node, seen)

    @staticmethod
    def _adds_attributes(scope: Scope) -> None:
        holder = class_around(scope)
        if holder is not None:
            holder.adds_attributes = True

    def _store(self, store: Store) -> None:
        """Assign the store to its class: by a method's receiver, or by the class's name."""
        owner = store.node.value
        holder = self._class_of(owner.id, store.scope) if isinstance(owner, ast.Name) else None
        if holder is not None:
            holder.stores.append(store)
        else:
            self.foreign_stores.add(store.node.attr)

    def _class_of(self, name: str, scope: Scope) -> Scope | None:
        found = scope.find(name)
        if len(found) == 1 and found[0].kind == "class":
            return self._by_node.get(id(found[0].node))
        method: Scope | None = scope
        while method is not None and name not in method.bindings:
            method = method.parent
        return method.parent if method is not None and receiver_of(method) == name else None

    def _call(self, node: ast.Call, seen: Seen) -> None:
        self.calls.append(seen)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if is_update(node) or name == "setattr" or (name == "locals" and seen.scope.kind == "class"):
            self._adds_attributes(seen.scope)
        # With a separate namespace, `exec` does not change the module's names.
        is_exec = name == "exec" and len(node.args) + len(node.keywords) < 2
        if is_exec or name == "globals" or (name in ("locals", "vars") and seen.scope is self.module):
            self.is_open = True
        for argument in node.args[:3]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                self.named_in_text.add(argument.value.rpartition(".")[2])
        self._inside(node, seen)

    def _import(self, node: ast.Import, seen: Seen) -> None:
        self.imports.append(seen)
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._bind(seen.scope, name, Binding("import", node, target=alias.name if alias.asname else name))

    def _import_from(self, node: ast.ImportFrom, seen: Seen) -> None:
        self.imports.append(seen)
        target = "." * node.level + (node.module or "")
        if target == "__future__":
            self.has_future_annotations |= any(alias.name == "annotations" for alias in node.names)
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(target)
            else:
                binding = Binding("from", node, target=target, original=alias.name)
                self._bind(seen.scope, alias.asname or alias.name, binding)

    def _outer(self, node: ast.Global | ast.Nonlocal, seen: Seen) -> None:
        if isinstance(node, ast.Global):
            seen.scope.outer_names.update(node.names)
        else:
            for name in node.names:
                self._bind(seen.scope, name, Binding("other", node))

    def _try(self, node: ast.Try | ast.TryStar, seen: Seen) -> None:
        caught = frozenset(name for handler in node.handlers for name in caught_names(handler.type))
        self._push(seen, *node.handlers, *node.orelse, *node.finalbody)
        self._left += [Seen(one, seen.scope, seen.guards | caught) for one in reversed(node.body)]

    def _with(self, node: ast.With | ast.AsyncWith, seen: Seen) -> None:
        guards = seen.guards
        for item in node.items:
            called = item.context_expr
            if isinstance(called, ast.Call) and last_name(called.func) in _GUARDS:
                guards |= {name for argument in called.args for name in caught_names(argument)}
            self._push(seen, item.context_expr, item.optional_vars)
        self._left += [Seen(one, seen.scope, guards) for one in reversed(node.body)]

    def _if(self, node: ast.If, seen: Seen) -> None:
        self._push(seen, *node.orelse)
        guards = seen.guards | {TYPES_ONLY} if last_name(node.test) == TYPES_ONLY else seen.guards
        self._left += [Seen(one, seen.scope, guards) for one in reversed(node.body)]
        self._push(seen, node.test)

    def _captured(self, node: ast.AST, seen: Seen) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            self._bind(seen.scope, name, Binding("other", node))
        self._inside(node, seen)


def class_around(scope: Scope | None) -> Scope | None:
    """Return the class whose method or body contains a scope."""
    while scope is not None and scope.kind != "class":
        scope = scope.parent
    return scope


def receiver_of(method: Scope) -> str | None:
    """Return the name of a method's first parameter; None for any other scope."""
    node = method.node
    if method.parent is None or method.parent.kind != "class" or not isinstance(node, _FUNCTIONS):
        return None
    first = [*node.args.posonlyargs, *node.args.args][:1]
    is_static = any(last_name(decorator) == "staticmethod" for decorator in node.decorator_list)
    return first[0].arg if first and not is_static else None
