"""Visible interface of a Python file in comparable form: everything but function bodies."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from assay.validators.languages.python.trees import nodes, parsed

_CLASS = re.compile(r"^[ \t]*class[ \t]+(\w+)[ \t]*(\([^()]*(?:\([^()]*\)[^()]*)*\))?", re.MULTILINE)
_STAR = re.compile(r"^from[ \t][^\n;#]{1,200}[ \t]import[ \t]*\*", re.MULTILINE)
_AS = re.compile(r"\b(\w+)[ \t]+as[ \t]+(\w+)")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*\.)")
LIMIT_CHARACTERS = 1_000_000
"""Maximum characters of a module; a longer one is a generated table."""
Interface = Mapping[str, str]
"""Dotted name inside the file -> its visible part, as text to compare."""


@lru_cache(maxsize=32)
def interface(source: str) -> Interface | None:
    """Return every definition and statement of a file's modules and classes by name; None for invalid Python."""
    if len(source) > LIMIT_CHARACTERS:
        return None
    try:
        found = dict(_pieces(_Outside().visit(ast.parse(source)), ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found | {f"__getattr__ {name}": name for name in dynamic_names(source).names}


def only_adds(before: Interface | None, after: Interface | None) -> bool:
    """Return whether everything visible is still there, unchanged."""
    return before is not None and after is not None and before.items() <= after.items()


def base_names(source: str) -> frozenset[str]:
    """Return the base class names of a file's classes, without modules; of an import `as` another name, both."""
    names = frozenset(word for match in _CLASS.finditer(source) for word in _WORD.findall(match[2] or ""))
    return names | {match[1] for match in _AS.finditer(source) if match[2] in names}


def defines_class(source: str, names: Collection[str]) -> bool:
    """Return whether a file defines a class with one of these names."""
    return any(match[1] in names for match in _CLASS.finditer(source))


def names_given_by_getattr(source: str) -> frozenset[str]:
    """Return texts in a module with a `__getattr__`: names it may still provide."""
    if len(source) > LIMIT_CHARACTERS:
        return frozenset()
    module = parsed(source)
    if module is None or not any(_getattrs(module.body)):
        return frozenset()
    texts = (node.value for node in nodes(module) if isinstance(node, ast.Constant))
    return frozenset(text for text in texts if isinstance(text, str) and text.isidentifier())


class DynamicNames(NamedTuple):
    """Public names that the `__getattr__` of a module provides; `is_open` if it may provide others too."""

    names: frozenset[str] = frozenset()
    is_open: bool = False


@lru_cache(maxsize=32)
def dynamic_names(source: str) -> DynamicNames:
    """Return the names that a module's `__getattr__` compares with the one asked for, and answers."""
    has_star = _STAR.search(source) is not None
    if "__getattr__" not in source:  # most modules: not parsed
        return DynamicNames(is_open=has_star)
    module = parsed(source) if len(source) <= LIMIT_CHARACTERS else None
    if module is None:
        return DynamicNames(is_open=True)
    functions = list(_getattrs(module.body))
    tables = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    texts: set[str] = set()
    # Bound in another way, as by a helper that makes it, it may provide anything.
    is_open = has_star or not functions
    for function in functions:
        for statement in function.body:
            compared = _compared_with(statement, function)
            if compared is not None and (table := _texts(compared, tables)) is not None:
                is_answered = any(isinstance(inner, ast.Return) for inner in ast.walk(statement))
                if is_answered:
                    texts |= table
            elif any(isinstance(inner, (ast.Return, ast.Yield)) for inner in ast.walk(statement)):
                is_open = True
    names = frozenset(text for text in texts if text.isidentifier() and text[0] != "_")
    return DynamicNames(names, is_open)


def _compared_with(statement: ast.stmt, function: ast.FunctionDef) -> ast.expr | None:
    """Return what a statement `if name == …:` or `if name in …:` compares the name asked for with."""
    test = statement.test if isinstance(statement, ast.If) and not statement.orelse else None
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Eq, ast.In)) or len(test.ops) > 1:
        return None
    asked = function.args.args[0].arg if function.args.args else None
    return test.comparators[0] if isinstance(test.left, ast.Name) and test.left.id == asked else None


def _texts(node: ast.expr, tables: Mapping[str, ast.expr]) -> set[str] | None:
    """Return the texts of one constant or of a literal, in place or bound to a name; None for anything else."""
    found = tables.get(node.id) if isinstance(node, ast.Name) else node
    if isinstance(found, ast.Constant):
        items: Sequence[ast.expr | None] = [found]
    elif isinstance(found, ast.Dict):
        items = found.keys
    elif isinstance(found, (ast.Tuple, ast.List, ast.Set)):
        items = found.elts
    else:
        return None
    constants = [item.value for item in items if isinstance(item, ast.Constant)]
    return {value for value in constants if isinstance(value, str)} if len(constants) == len(items) else None


def _getattrs(statements: Iterable[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """Yield each `__getattr__` a module defines, under conditions (`if not TYPE_CHECKING:`) too."""
    left = list(statements)
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
            yield node
        elif isinstance(node, (ast.If, ast.Try)):
            left += (*node.body, *node.orelse)


def _pieces(holder: ast.Module | ast.ClassDef, above: str) -> Iterator[tuple[str, str]]:
    for node in holder.body:
        if isinstance(node, ast.ClassDef):
            name = f"{above}{node.name}"
            yield name, ast.dump(ast.ClassDef(node.name, node.bases, node.keywords, [], node.decorator_list))
            yield from _pieces(node, f"{name}.")
        else:
            # Overloads share a name; their text keeps them apart.
            text = ast.dump(node)
            yield f"{above}{getattr(node, 'name', '')} {text}", text


def _is_told_by_value(node: ast.Assign) -> bool:
    """Return whether an assignment defines an alias, or lists the module's exports."""
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    return "__all__" in names or isinstance(node.value, (ast.Name, ast.Attribute, ast.Lambda))


_Function = TypeVar("_Function", ast.FunctionDef, ast.AsyncFunctionDef)


class _Outside(ast.NodeTransformer):
    """Transformer that empties functions, except for attributes of `self`, and drops docstrings."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return self._emptied(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return self._emptied(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:  # noqa: ARG002 - what is called gives no name
        return None

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        if not _is_told_by_value(node):
            node.value = ast.Constant(None)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        # Whether a data class field has a default is visible; its value is not.
        node.value = ast.Constant(None) if node.value is not None else None
        return node

    def _emptied(self, node: _Function) -> _Function:
        given = {
            below.attr
            for below in ast.walk(node)
            if isinstance(below, ast.Attribute)
            and isinstance(below.ctx, ast.Store)
            and isinstance(below.value, ast.Name)
            and below.value.id == "self"
        }
        node.body = [ast.Expr(ast.Constant(name)) for name in sorted(given)]
        return node
