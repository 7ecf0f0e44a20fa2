"""Shape of a Python function: its body with other names for parameters and locals, equal for equal functions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

LEAST_NODES = 16
"""Expressions and statements of a body; a smaller one is a delegation, a getter or a formula."""
LEAST_STATEMENTS = 2
Function = ast.FunctionDef | ast.AsyncFunctionDef
_BUILTINS = frozenset(dir(builtins))
_HIDDEN = frozenset(("annotation", "returns", "type_comment", "ctx", "kind", "type_params", "simple"))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Shape:
    """Function with its `key`, equal for functions that do the same with other names.

    `free` maps each name from outside that is no builtin to what it means, a dotted path. `words` are the names and
    attributes that any equal function has in its text. `owner` is the class, "" for a function of the module.
    """

    name: str
    owner: str
    line: int
    end_line: int
    body_line: int
    key: str
    free: Mapping[str, str]
    words: frozenset[str]

    @property
    def qualified(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


def shapes_of(module: ast.Module, path: str) -> Iterator[Shape]:
    """Yield the functions of a module, and the methods of its classes without parents, that are worth a comparison."""
    meanings = _meanings(module, path)
    for node in module.body:
        if isinstance(node, Function):
            yield from _shape(node, "", meanings)
        elif isinstance(node, ast.ClassDef) and not node.bases and not node.keywords and not node.decorator_list:
            for one in node.body:
                if isinstance(one, Function):
                    yield from _shape(one, node.name, meanings)


def body_of(node: Function) -> list[ast.stmt]:
    """Return the statements of a function without the docstring."""
    first, *rest = node.body
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return rest
    return node.body


def same_meaning(one: str, other: str) -> bool:
    """Return whether two dotted paths mean the same: one may begin at a folder above the other's."""
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _meanings(module: ast.Module, path: str) -> dict[str, str]:
    """Return what each name of a module means: the dotted path of the import, or of the module and the name."""
    own = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package = path.rpartition("/")[0].split("/")
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            for one in node.names:
                name = one.asname or one.name.partition(".")[0]
                found[name] = one.name if one.asname else name
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            for one in node.names:
                found[one.asname or one.name] = f"{start}.{one.name}"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, f"{own}.{node.id}")
        elif isinstance(node, (*_SCOPES[:2], ast.ClassDef)):
            found.setdefault(node.name, f"{own}.{node.name}")
    return found


def _shape(node: Function, owner: str, meanings: Mapping[str, str]) -> Iterator[Shape]:
    decorators = [one.id if isinstance(one, ast.Name) else "" for one in node.decorator_list]
    is_special = node.name.startswith("__") and node.name.endswith("__")
    body = body_of(node)
    if is_special or not body or any(one != "staticmethod" for one in decorators):
        return
    num_statements = sum(isinstance(one, ast.stmt) for part in body for one in ast.walk(part))
    num_nodes = sum(isinstance(one, ast.expr | ast.stmt) for part in body for one in ast.walk(part))
    if num_nodes < LEAST_NODES or num_statements < LEAST_STATEMENTS:
        return
    names = _Names(node)
    is_bound = bool(owner) and not decorators
    receiver = next(iter(_arguments(node.args)), "") if is_bound else ""
    uses_receiver = is_bound and any(isinstance(one, ast.Name) and one.id == receiver for one in _nodes(body))
    if is_bound and not uses_receiver:
        names.drop(receiver)
    free = {one.id for one in _nodes(body) if isinstance(one, ast.Name) and one.id not in names.aliases}
    # A method that uses its object is equal only to methods of the same class.
    scope = meanings.get(owner, owner) if uses_receiver else ""
    key = "|".join((scope, type(node).__name__, _signature(node, is_bound), *(names.dumped(one) for one in body)))
    yield Shape(
        node.name,
        owner,
        node.lineno,
        node.end_lineno or node.lineno,
        body[0].lineno,
        key,
        {name: meanings.get(name, "") for name in free - _BUILTINS},
        frozenset({*free, *(one.attr for one in _nodes(body) if isinstance(one, ast.Attribute))}),
    )


def _nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield every node but those of annotations."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None) if name not in _HIDDEN else None
            waiting.extend(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST))


def _signature(node: Function, is_bound: bool) -> str:
    takes = node.args
    num = len(takes.posonlyargs) + len(takes.args) - is_bound
    defaults = [ast.dump(one) if one is not None else "" for one in (*takes.defaults, *takes.kw_defaults)]
    return f"{num} {len(takes.kwonlyargs)} {takes.vararg is None} {takes.kwarg is None} {defaults}"


class _Names:
    """Other names for the parameters and locals of a function, in the order of their first use."""

    def __init__(self, node: Function) -> None:
        found: dict[str, None] = dict.fromkeys(_arguments(node.args))
        outer: set[str] = set()
        for one in _in_order(node.body):
            if isinstance(one, ast.Global | ast.Nonlocal):
                outer.update(one.names)
            elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store | ast.Del):
                found.setdefault(one.id)
            elif isinstance(one, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and one.name is not None:
                found.setdefault(one.name)
            elif isinstance(one, _SCOPES):
                found.update(dict.fromkeys(_arguments(one.args)))
                if not isinstance(one, ast.Lambda):
                    found.setdefault(one.name)
        self.aliases = {name: f"_{index}" for index, name in enumerate(name for name in found if name not in outer)}
        self.aliases.setdefault(node.name, "_itself")

    def drop(self, receiver: str) -> None:
        """Number the names without the unused first argument of a method."""
        left = (name for name, alias in self.aliases.items() if name != receiver and alias != "_itself")
        self.aliases = {name: f"_{index}" for index, name in enumerate(left)}

    def dumped(self, node: object) -> str:
        """Return a syntax tree as text, with the other names, without annotations."""
        if isinstance(node, list):
            return f"[{','.join(map(self.dumped, node))}]"
        if not isinstance(node, ast.AST):
            return repr(node)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return f"Assign([{self.dumped(node.target)}],{self.dumped(node.value)})"
        fields = ((name, getattr(node, name, None)) for name in node._fields if name not in _HIDDEN)
        is_naming = isinstance(
            node, ast.Name | ast.arg | ast.ExceptHandler | ast.MatchAs | ast.MatchStar | Function | ast.alias
        )
        parts = (
            self.aliases.get(value, value) if is_naming and isinstance(value, str) else self.dumped(value)
            for _, value in fields
        )
        return f"{type(node).__name__}({','.join(parts)})"


def _arguments(takes: ast.arguments) -> list[str]:
    every = [*takes.posonlyargs, *takes.args, takes.vararg, *takes.kwonlyargs, takes.kwarg]
    return [one.arg for one in every if one is not None]


def _in_order(body: list[ast.stmt]) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))
