"""Breaks to plant into a Python tree: edits of one definition that other lines of the tree certainly rely on.

Uses are found by unique names in the syntax trees of all files, without following any import: what the rule under
test knows of modules and scopes is not used here.
"""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.bench.planted import Plant

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class _Tree:
    files: dict[str, ast.Module] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)
    defined: dict[str, list[tuple[str, ast.AST]]] = field(default_factory=lambda: defaultdict(list))
    """Name -> where any scope binds it, methods, assignments and attributes included."""
    imported: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Name -> files with a top-level `from … import name`."""
    calls: dict[str, list[tuple[str, ast.Call]]] = field(default_factory=lambda: defaultdict(list))
    self_uses: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    texts: set[str] = field(default_factory=set)


def plants(sources: Mapping[str, str]) -> Iterator[Plant]:
    """Every break that can be planted, in a stable order."""
    tree = _read(sources)
    for path, module in sorted(tree.files.items()):
        if "/docs/" in f"/{path}" or path.startswith(("tests/", "t/", "examples/", "docs/")) or "test" in path:
            continue
        yield from _of_module(tree, path, module)


def _read(sources: Mapping[str, str]) -> _Tree:
    tree = _Tree()
    for path, text in sources.items():
        if path.endswith(".py"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    tree.files[path] = ast.parse(text)
                except (SyntaxError, ValueError):
                    continue
            tree.lines[path] = text.split("\n")
    for path, module in tree.files.items():
        for node in module.body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if alias.asname in (None, alias.name):
                        tree.imported[alias.name].add(path)
        for part in ast.walk(module):
            _note(tree, path, part)
    return tree


def _note(tree: _Tree, path: str, node: ast.AST) -> None:
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        tree.defined[node.name].append((path, node))
    elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for one in ast.walk(target):
                name = one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else ""
                if name and isinstance(getattr(one, "ctx", None), ast.Store):
                    tree.defined[name].append((path, node))
    elif isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        is_plain = not any(isinstance(one, ast.Starred) for one in node.args) and all(one.arg for one in node.keywords)
        if name and is_plain:
            tree.calls[name].append((path, node))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        tree.texts.add(node.value)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
        tree.self_uses[path, f"{node.value.id}.{node.attr}"] += 1


def _of_module(tree: _Tree, path: str, module: ast.Module) -> Iterator[Plant]:
    stem = path.rpartition("/")[2].removesuffix(".py")
    users = {
        user
        for user, other in tree.files.items()
        for node in other.body
        if isinstance(node, ast.ImportFrom) and node.level and node.module == stem and user != path
        if user.rpartition("/")[0] == path.rpartition("/")[0] and node.level == 1
    }
    if users and stem != "__init__":
        yield Plant("delete-module", path, path, {path: None})
    for node in module.body:
        name = getattr(node, "name", "") or _constant(node)
        if name and len(tree.defined[name]) == 1 and tree.imported[name] - {path}:
            kind = (
                "class"
                if isinstance(node, ast.ClassDef)
                else "function"
                if isinstance(node, _FUNCTIONS)
                else "constant"
            )
            yield Plant(f"remove-{kind}", path, name, _cut(tree, path, node))
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                yield Plant(
                    f"rename-{kind}", path, name, _replaced(tree, path, _head(node), f" {name}", f" {name}_new")
                )
        if isinstance(node, _FUNCTIONS) and name and len(tree.defined[name]) == 1 and tree.imported[name]:
            yield from _of_arguments(tree, path, node, name, node.name, 0)
        if isinstance(node, ast.ClassDef) and len(tree.defined[node.name]) == 1:
            yield from _of_class(tree, path, node)


def _of_arguments(tree: _Tree, path: str, node: ast.AST, called: str, symbol: str, first: int) -> Iterator[Plant]:
    """Other parameters for a function that is called by its own, unique name."""
    assert isinstance(node, _FUNCTIONS)
    arguments = node.args
    calls = tree.calls[called]
    is_plain = not (arguments.vararg or arguments.kwarg or node.decorator_list or arguments.posonlyargs)
    own = arguments.args[first:]
    if not calls or not is_plain or node.body[0].lineno == node.lineno:
        return
    if own and not arguments.defaults and not arguments.kwonlyargs:
        yield Plant("add-required", path, symbol, _after(tree, path, own[-1], ", planted"))
    named = {one.arg for _, call in calls for one in call.keywords}
    for one in (*own, *arguments.kwonlyargs):
        if one.arg in named:
            edit = _at(tree, path, one.lineno, one.col_offset, len(one.arg), f"{one.arg}_new")
            yield Plant("rename-parameter", path, symbol, edit)
            break
    if own and not arguments.defaults and any(len(call.args) == len(own) for _, call in calls) and len(own) > 1:
        last = own[-1]
        line = tree.lines[path][last.lineno - 1]
        end = last.end_col_offset or 0
        begin = line.rfind(",", 0, last.col_offset)
        if begin >= 0 and last.lineno == last.end_lineno:
            yield Plant("remove-parameter", path, symbol, _at(tree, path, last.lineno, begin, end - begin, ""))


def _of_class(tree: _Tree, path: str, node: ast.ClassDef) -> Iterator[Plant]:
    within = _self_loads(node)
    if any(isinstance(part, _FUNCTIONS) and part.name == "__getattr__" for part in node.body):
        return  # nobody can tell what such a class has
    for part in node.body:
        if isinstance(part, _FUNCTIONS) and part.name == "__init__" and tree.imported[node.name]:
            yield from _of_arguments(tree, path, part, node.name, node.name, 1)
        elif isinstance(part, _FUNCTIONS) and not part.decorator_list and len(tree.defined[part.name]) == 1:
            own = _self_loads(part)
            if part.name in within - own and part.name not in tree.texts and len(node.body) > 1:
                yield Plant("remove-method", path, f"{node.name}.{part.name}", _cut(tree, path, part))
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            for statement in part.body:
                name = _self_target(statement)
                if name and len(tree.defined[name]) == 1 and name in within and name not in tree.texts:
                    yield Plant("remove-attribute", path, f"{node.name}.{name}", _cut(tree, path, statement, "pass"))


def _self_loads(node: ast.AST) -> set[str]:
    loads = (one for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load))
    return {one.attr for one in loads if isinstance(one.value, ast.Name) and one.value.id == "self"}


def _self_target(node: ast.stmt) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    return target.attr if is_own else ""  # type: ignore[union-attr]


def _constant(node: ast.stmt) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) and not target.id.startswith("__") else ""


def _head(node: ast.stmt) -> int:
    return node.lineno


def _cut(tree: _Tree, path: str, node: ast.stmt, instead: str = "") -> dict[str, str | None]:
    lines = tree.lines[path]
    begin = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) - 1
    indent = lines[node.lineno - 1][: node.col_offset]
    kept = [f"{indent}{instead}"] if instead else []
    return {path: "\n".join([*lines[:begin], *kept, *lines[node.end_lineno or node.lineno :]])}


def _replaced(tree: _Tree, path: str, line: int, old: str, new: str) -> dict[str, str | None]:
    lines = list(tree.lines[path])
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return {path: "\n".join(lines)}


def _after(tree: _Tree, path: str, node: ast.arg, text: str) -> dict[str, str | None]:
    return _at(tree, path, node.end_lineno or node.lineno, node.end_col_offset or 0, 0, text)


def _at(tree: _Tree, path: str, line: int, column: int, size: int, text: str) -> dict[str, str | None]:
    lines = list(tree.lines[path])
    old = lines[line - 1].encode()
    lines[line - 1] = (old[:column] + text.encode() + old[column + size :]).decode()
    return {path: "\n".join(lines)}
