"""Removed and changed symbols of changed Python files, and moved definitions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from assay.validators.quality.contracts.python.classes import members_of
from assay.validators.quality.contracts.python.scopes import Binding, SourceFile
from assay.validators.quality.contracts.python.side import PythonSide, Value

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Changes:
    """Effect of a change on the symbols of Python files.

    `names` are the last names to search for: uses of other names cannot be broken. `moved` maps (file, name) of a class
    or function in the head to its place in the base.
    """

    def __init__(self, base: PythonSide, head: PythonSide) -> None:
        self._base = base
        self._head = head
        self.names: set[str] = set()
        self.moved: dict[tuple[str, str], tuple[str, str]] = {}

    def compare(self, path: str) -> None:
        """Record a file that both sides have."""
        before, after = self._base.file(path), self._head.file(path)
        if before is None or after is None:
            return
        self.names |= altered_names(before, after)
        for name in before.module.bindings:
            found = self._head.lookup(path, name)
            if isinstance(found, Value) and found.kind in ("class", "function") and found.file != path:
                was = self._base.lookup(path, name)
                # A file that imports the name, such as a test, did not define it.
                self.moved[found.file, found.name] = (was.file, was.name) if isinstance(was, Value) else (path, name)
        for qualname in before.classes.keys() & after.classes.keys():
            old, new = self._base.own(path, qualname).node, self._head.own(path, qualname).node
            if old is not None and new is not None and _dumped(old.bases) != _dumped(new.bases):
                for place in self._base.lineage(path, qualname).own_classes():
                    self.names.update(self._base.own(*place).names)

    def gone(self, path: str) -> None:
        """Record a file that the head does not have under this path."""
        before = self._base.file(path)
        if before is not None:
            self.names.update(before.module.bindings)

    def origin(self, value: Value) -> tuple[str, str]:
        """Return (file, qualified name) in the base of a definition of the head."""
        first, dot, rest = value.name.partition(".")
        file, name = self.moved.get((value.file, first), (value.file, first))
        return file, f"{name}{dot}{rest}"


def altered_names(before: SourceFile | None, after: SourceFile | None) -> set[str]:
    """Return the names that one side of a file lacks or defines differently, by the file alone."""
    if before is None or after is None:
        return set()
    names = before.module.bindings.keys() - after.module.bindings.keys()
    names |= set(_changed_functions(before.module.bindings, after.module.bindings))
    for qualname, scope in before.classes.items():
        name = qualname.rpartition(".")[2]
        if qualname not in after.classes:
            names.add(name)
            continue
        old, new = members_of(scope), members_of(after.classes[qualname])
        members = (old.names.keys() - new.names.keys()) | set(_changed_functions(old.names, new.names))
        is_altered = old.node is not None and new.node is not None and _head_of(old.node) != _head_of(new.node)
        names |= members
        if is_altered or "__init__" in members:
            names |= {name, "__init__"}
    return names


def _head_of(node: ast.ClassDef) -> list[str]:
    return _dumped([*node.bases, *node.decorator_list]) + _fields(node)


def _changed_functions(before: dict[str, list[Binding]], after: dict[str, list[Binding]]) -> Iterator[str]:
    """Yield the names of functions with other arguments or decorators."""
    for name, bindings in before.items():
        node, other = bindings[-1].node, after[name][-1].node if name in after else None
        if not isinstance(node, _FUNCTIONS) or other is None:
            continue
        if not isinstance(other, _FUNCTIONS) or _outside(node) != _outside(other):
            yield name


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[object]:
    arguments = node.args
    positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    keywords = [
        (one.arg, default is None) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    rest = [arguments.vararg is None, arguments.kwarg is None, len(arguments.defaults), len(arguments.posonlyargs)]
    return [positional, keywords, rest, _dumped(node.decorator_list)]


def _fields(node: ast.ClassDef) -> list[str]:
    """Return the annotated fields; a default matters only as a call such as `field(init=False)`."""
    found: list[str] = []
    for part in node.body:
        if isinstance(part, ast.AnnAssign):
            default = "" if part.value is None else ast.dump(part.value) if isinstance(part.value, ast.Call) else "..."
            found.append(f"{ast.dump(part.target)}: {ast.dump(part.annotation)} = {default}")
    return found


def _dumped(nodes: Sequence[ast.AST]) -> list[str]:
    return [ast.dump(node) for node in nodes]


def definition_lines(file: SourceFile | None, qualname: str) -> tuple[int, int] | None:
    """Return the lines of a definition without decorators."""
    if file is None:
        return None
    holder, _, name = qualname.rpartition(".")
    scope = file.classes.get(holder) if holder else file.module
    if scope is None:
        return None
    found = scope.bindings.get(name) or [
        Binding("attribute", one.node) for one in scope.stores if one.node.attr == name
    ]
    node = found[0].node if found else None
    line = getattr(node, "lineno", None)
    return (line, getattr(node, "end_lineno", None) or line) if line is not None else None
