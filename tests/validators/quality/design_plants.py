"""Faults of structure planted into a tree: each departs in one way from what the tree's own files do.

The plants are made from syntax trees and from the import graph, not by the checks that should find them.
"""

from __future__ import annotations

import ast
import builtins
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

import networkx as nx

from assay.validators.changes.change import decoded
from assay.validators.changes.classify import Nature, nature_of
from assay.validators.graph.import_graph import ImportGraph

KINDS = ("direction", "cycle", "override", "not-implemented", "infrastructure", "repeated-helper", "dead-code")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Plant:
    """A fault: the files to write, those that must be in the base before, and the file in which it should be found."""

    kind: str
    file: str
    head: Mapping[str, str]
    base: Mapping[str, str] = field(default_factory=dict)


class Ground:
    """A tree to plant in: the Python source files that can be parsed, and their imports."""

    def __init__(self, graph: ImportGraph, seed: int = 7) -> None:
        self.graph = graph.graph
        self.random = random.Random(seed)
        contents = graph.sources.tree.read_many([path for path in graph.files if path.endswith(".py")])
        self.texts: dict[str, str] = {}
        for path, content in contents:
            if content is not None and nature_of(path, content) is Nature.source and not _is_for_show(path):
                self.texts[path] = decoded(content)
        self.trees: dict[str, ast.Module] = {}
        for path, text in self.texts.items():
            try:
                self.trees[path] = ast.parse(text)
            except (SyntaxError, ValueError):
                continue
        self.paths = [path for path in self.trees if not path.endswith("/__init__.py")]
        self.random.shuffle(self.paths)

    def module(self, path: str) -> str | None:
        """The absolute name of a module by its `__init__.py` files; None outside packages."""
        parts = [PurePosixPath(path).stem]
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/__init__.py" in self.texts:
            parts.insert(0, folder.rpartition("/")[2])
            folder = folder.rpartition("/")[0]
        return ".".join(parts) if len(parts) > 1 else None

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.paths:
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def edges(self, importers: str, targets: str) -> list[str]:
        """The files of a folder that import one of another."""
        return [
            path
            for path in self.texts
            if path.rpartition("/")[0] == importers
            and any(one.rpartition("/")[0] == targets for one in self.graph.successors(path) if one in self.texts)
        ]


def _is_for_show(path: str) -> bool:
    is_module = PurePosixPath(path).stem.isidentifier()
    return (
        not is_module or re.search(r"(?:^|/)(?:docs?|examples?|tests?|t|benchmarks?|vendor|_vendor)/", path) is not None
    )


def plants(ground: Ground, kind: str, most: int) -> list[Plant]:
    """Plants of one kind, at most so many."""
    found: list[Plant] = []
    for one in _MAKERS[kind](ground):
        if len(found) == most:
            break
        try:
            for path, text in {**one.base, **one.head}.items():
                ast.parse(text, path)
        except SyntaxError:
            continue
        found.append(one)
    return found


def _with_import(text: str, line: str) -> str:
    """A module with one more import, after the docstring and `from __future__` imports."""
    tree, at = ast.parse(text), 0
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        at = node.end_lineno or at
    lines = text.split("\n")
    return "\n".join([*lines[:at], line, *lines[at:]])


def _directions(ground: Ground) -> Iterator[Plant]:
    pairs = [(one, other) for one in ground.folders for other in ground.folders if not _nested(one, other)]
    ground.random.shuffle(pairs)
    for ours, theirs in pairs:
        if len(ground.edges(theirs, ours)) < 5 or ground.edges(ours, theirs):
            continue
        for path in ground.folders[ours][:3]:
            target = ground.folders[theirs][0]
            name = ground.module(target)
            if name is not None:
                line = f"import {name}"
                yield Plant("direction", path, {path: _with_import(ground.texts[path], line)})


def _nested(one: str, other: str) -> bool:
    return not one or not other or f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _cycles(ground: Ground) -> Iterator[Plant]:
    for target in ground.paths:
        name = ground.module(target)
        inner = [
            node
            for node in ground.trees[target].body
            if isinstance(node, ast.Import | ast.ImportFrom) and node.col_offset == 0
        ]
        if name is None or not inner:
            continue
        for path in sorted(ground.graph.successors(target)):
            is_plain = path in ground.trees and not path.endswith("__init__.py") and "_vendor" not in path
            stem = PurePosixPath(path).stem
            is_direct = any(
                (isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == stem)
                or (isinstance(node, ast.ImportFrom) and any(one.name == stem for one in node.names))
                for node in inner
            )
            if is_plain and is_direct and not nx.has_path(ground.graph, path, target):
                yield Plant("cycle", path, {path: _with_import(ground.texts[path], f"import {name}")})
                break


CLIENTS = ("boto3", "psycopg", "redis", "pymongo", "requests")


def _clients(ground: Ground) -> Iterator[Plant]:
    """A service beside others that go through one module, which is made the only one with a client."""
    used = {
        one
        for one in CLIENTS
        if any(re.search(rf"(?m)^\s*(?:import|from) {one}\b", text) for text in ground.texts.values())
    }
    for folder, paths in sorted(ground.folders.items()):
        through: dict[str, list[str]] = {}
        for path in paths:
            for target in ground.graph.successors(path):
                if target in ground.trees and not _nested(folder, target.rpartition("/")[0]):
                    through.setdefault(target, []).append(path)
        for target, users in sorted(through.items()):
            if len(users) < 3 or len(users) * 2 <= len(paths):
                continue
            client = next((one for one in CLIENTS if one not in used), None)
            if client is not None:
                new = f"{folder}/planted_service.py"
                text = f'"""Planted."""\nimport {client}\n\n\ndef planted(name):\n    return {client}.connect(name)\n'
                abstraction = {target: _with_import(ground.texts[target], f"import {client}")}
                yield Plant("infrastructure", new, {new: text}, abstraction)


# ------------------------------------------------------------------ methods


def _pairs(ground: Ground) -> Iterator[tuple[str, ast.ClassDef, _Function, _Function]]:
    """Overrides of classes whose parent is imported by name or in the same file: (file, class, method, parent's)."""
    classes: dict[str, list[tuple[str, ast.ClassDef]]] = {}
    for path, tree in ground.trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append((path, node))
    for path in ground.paths:
        imported = {
            one.name
            for node in ground.trees[path].body
            if isinstance(node, ast.ImportFrom)
            for one in node.names
            if one.asname is None
        }
        for child in ground.trees[path].body:
            if not isinstance(child, ast.ClassDef):
                continue
            for base in child.bases:
                known = classes.get(base.id, []) if isinstance(base, ast.Name) else []
                if len(known) == 1 and (known[0][0] == path or known[0][1].name in imported):
                    for own, theirs in _common(child, known[0][1]):
                        yield path, child, own, theirs


def _common(child: ast.ClassDef, parent: ast.ClassDef) -> Iterator[tuple[_Function, _Function]]:
    theirs = {one.name: one for one in parent.body if isinstance(one, _Function)}
    for own in child.body:
        if isinstance(own, _Function) and own.name in theirs and not own.name.startswith("_"):
            yield own, theirs[own.name]


def _is_plain(node: _Function) -> bool:
    takes = node.args
    return not (node.decorator_list or takes.vararg or takes.kwarg or takes.kwonlyargs or takes.posonlyargs)


def _overrides(ground: Ground) -> Iterator[Plant]:
    for path, _, own, theirs in _pairs(ground):
        if not _is_plain(own) or not _is_plain(theirs) or own.args.defaults or not own.args.args:
            continue
        last = own.args.args[-1]
        line, column = (last.end_lineno or 0) - 1, last.end_col_offset or 0
        lines = ground.texts[path].split("\n")
        lines[line] = f"{lines[line][:column]}, planted_a, planted_b, planted_c{lines[line][column:]}"
        if len(theirs.args.args) <= len(own.args.args) + 2:
            yield Plant("override", path, {path: "\n".join(lines)})


def _unimplemented(ground: Ground) -> Iterator[Plant]:
    for path, child, own, theirs in _pairs(ground):
        is_real = len(theirs.body) > 1 and not isinstance(theirs.body[-1], ast.Raise | ast.Pass)
        others = [one for one in child.body if isinstance(one, _Function) and one is not own and one.name[0] != "_"]
        if not _is_plain(own) or theirs.decorator_list or not is_real or not others:
            continue
        lines = ground.texts[path].split("\n")
        indent = " " * own.body[0].col_offset
        if own.body[0].lineno > own.lineno:
            lines[own.body[0].lineno - 1 : own.end_lineno] = [f"{indent}raise NotImplementedError"]
            yield Plant("not-implemented", path, {path: "\n".join(lines)})


# ------------------------------------------------------------------ functions


class _Rename(ast.NodeTransformer):
    """Gives the parameters and locals of a function other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.copy_location(ast.arg(self.names.get(node.arg, node.arg)), node)


def _helpers(ground: Ground) -> Iterator[Plant]:
    """Small functions of a module, again in another module with other names."""
    for path in ground.paths:
        imports = [node for node in ground.trees[path].body if isinstance(node, ast.Import)]
        modules = {
            one.name: node for node in imports for one in node.names if one.asname is None and "." not in one.name
        }
        for node in ground.trees[path].body:
            if not isinstance(node, ast.FunctionDef) or not _is_helper(node):
                continue
            used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            bound = {one.arg for one in node.args.args} | {
                one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            }
            free = used - bound - set(dir(builtins))
            place = next((one for one in ground.paths if one != path and _project(one) == _project(path)), None)
            if place is None or not free <= set(modules):
                continue
            copy = ast.parse(ast.unparse(node)).body[0]
            assert isinstance(copy, ast.FunctionDef)
            names = {name: f"planted_{index}" for index, name in enumerate(sorted(bound))}
            copy = _Rename(names).visit(copy)
            copy.name, copy.returns = f"planted_{node.name.strip('_')}", None
            text = ground.texts[place]
            for name in sorted(free):
                text = _with_import(text, f"import {name}")
            yield Plant("repeated-helper", place, {place: f"{text.rstrip()}\n\n\n{ast.unparse(copy)}\n"})


def _project(path: str) -> str:
    return path.rpartition("/")[0].partition("/")[0]


def _is_helper(node: ast.FunctionDef) -> bool:
    """A function of three to seven lines that does something."""
    first = node.body[0]
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    body: Sequence[ast.stmt] = node.body[1:] if has_docstring else node.body
    are_constant = all(isinstance(one, ast.Constant) for one in node.args.defaults)
    if not body or not are_constant or not _is_plain(node):
        return False
    num_lines = (node.end_lineno or 0) - body[0].lineno + 1
    num_statements = sum(isinstance(one, ast.stmt) for part in body for one in ast.walk(part))
    return 3 <= num_lines <= 7 and num_statements >= 3 and sum(1 for part in body for _ in ast.walk(part)) >= 35


def _dead(ground: Ground) -> Iterator[Plant]:
    """In turn a private function without a use, and a statement after the end of its block."""
    for number, path in enumerate(ground.paths):
        functions = [one for one in ground.trees[path].body if isinstance(one, ast.FunctionDef)]
        text = ground.texts[path]
        if number % 2:
            for node in functions[:1]:
                copy = ast.unparse(node).replace(f"def {node.name}(", f"def _planted_{node.name.strip('_')}(", 1)
                if not node.decorator_list:
                    yield Plant("dead-code", path, {path: f"{text.rstrip()}\n\n\n{copy}\n"})
            continue
        for node in functions:
            last, first = node.body[-1], node.body[0]
            if isinstance(last, ast.Return) and len(node.body) > 1 and last.lineno > first.lineno:
                lines = text.split("\n")
                indent = " " * last.col_offset
                lines.insert(last.end_lineno or 0, f"{indent}planted = {ast.unparse(last.value or ast.Constant(None))}")
                yield Plant("dead-code", path, {path: "\n".join(lines)})
                break


_MAKERS = {
    "direction": _directions,
    "cycle": _cycles,
    "override": _overrides,
    "not-implemented": _unimplemented,
    "infrastructure": _clients,
    "repeated-helper": _helpers,
    "dead-code": _dead,
}
