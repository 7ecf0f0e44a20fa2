"""Shape of a Python function: its body with other names for parameters and locals, equal for equal functions."""

from __future__ import annotations

import ast
import builtins
import contextlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from assay.validators.languages.python.module_files import dotted_name

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

    `free` maps each name from outside, builtins left out, to what it means, a dotted path. `words` are the names and
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


def shapes_of(module: ast.Module, path: str, lines: Collection[int] | None = None) -> Iterator[Shape]:
    """Yield the functions of a module, and the methods of its classes without parents, that are worth a comparison.

    With `lines`, only those that begin in them.
    """
    meanings: dict[str, str] | None = None
    for node, owner in _functions(module):
        if (lines is None or node.lineno in lines) and _is_substantial(node):
            meanings = _meanings(module, path) if meanings is None else meanings
            with contextlib.suppress(RecursionError):  # hundreds of terms nested in each other
                yield _shape(node, owner, meanings)


def names_in(module: ast.Module) -> set[str]:
    """Return the qualified names of these functions."""
    return {f"{owner}.{node.name}" if owner else node.name for node, owner in _functions(module)}


def _functions(module: ast.Module) -> Iterator[tuple[Function, str]]:
    """Yield the functions of a module, and the methods of its classes without parents, each with its class."""
    for node in module.body:
        if isinstance(node, Function):
            yield node, ""
        elif isinstance(node, ast.ClassDef) and not (node.bases or node.keywords or node.decorator_list):
            yield from ((one, node.name) for one in node.body if isinstance(one, Function))


def _is_substantial(node: Function) -> bool:
    """Return whether a function has a body worth a comparison, and only a decorator that changes nothing."""
    is_special = node.name.startswith("__") and node.name.endswith("__")
    if is_special or any(not isinstance(one, ast.Name) or one.id != "staticmethod" for one in node.decorator_list):
        return False
    num_statements = num = 0
    for one in _nodes(body_of(node)):
        num_statements += isinstance(one, ast.stmt)
        num += isinstance(one, ast.expr | ast.stmt)
        if num >= LEAST_NODES and num_statements >= LEAST_STATEMENTS:
            return True
    return False


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
    own = dotted_name(path)
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


def _shape(node: Function, owner: str, meanings: Mapping[str, str]) -> Shape:
    body = body_of(node)
    names = _Names(node)
    is_bound = bool(owner) and not node.decorator_list
    receiver = next(iter(_arguments(node.args)), "") if is_bound else ""
    uses_receiver = is_bound and any(isinstance(one, ast.Name) and one.id == receiver for one in _nodes(body))
    if is_bound and not uses_receiver:
        names.drop(receiver)
    free = {one.id for one in _nodes(body) if isinstance(one, ast.Name) and one.id not in names.aliases}
    # A method that uses its object is equal only to methods of the same class.
    scope = meanings.get(owner, owner) if uses_receiver else ""
    key = "|".join((scope, type(node).__name__, _signature(node, is_bound), *(names.dumped(one) for one in body)))
    return Shape(
        node.name,
        owner,
        node.lineno,
        node.end_lineno or node.lineno,
        body[0].lineno,
        key,
        {name: meanings.get(name, "") for name in free - _BUILTINS},
        frozenset({*free, *_words(body)}),
    )


def _words(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the attributes, keywords and plain strings of a body."""
    for one in _nodes(body):
        if isinstance(one, ast.Attribute):
            yield one.attr
        elif isinstance(one, ast.keyword) and one.arg is not None:
            yield one.arg
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield from re.findall(r"[A-Za-z_]{3,}", one.value)


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
