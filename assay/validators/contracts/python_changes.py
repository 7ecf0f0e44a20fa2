"""Which symbols of changed Python files are gone or take other arguments, by name; and where definitions moved to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from assay.validators.contracts.python_classes import members_of
from assay.validators.contracts.python_scopes import Binding, SourceFile
from assay.validators.contracts.python_side import Absent, PythonSide, Value

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Changes:
    """What a change does to the symbols of Python files.

    `names` are the last names to look for: uses of other names cannot be broken. `moved` leads from where a class or
    function stands now, (file, name), to where the base had it.
    """

    def __init__(self, base: PythonSide, head: PythonSide) -> None:
        self._base = base
        self._head = head
        self.names: set[str] = set()
        self.moved: dict[tuple[str, str], tuple[str, str]] = {}

    def compare(self, base_path: str, head_path: str) -> bool:
        """Take in one file that both sides have; False where a side does not parse."""
        before, after = self._base.file(base_path), self._head.file(head_path)
        if before is None or after is None:
            return False
        for name in before.module.bindings:
            found = self._head.lookup(head_path, name)
            if found is Absent.missing:
                self.names.add(name)
            elif isinstance(found, Value) and found.kind in ("class", "function") and found.file != head_path:
                self.moved[found.file, found.name] = (base_path, name)
        self.names.update(_changed_functions(before.module.bindings, after.module.bindings))
        for qualname in before.classes:
            if qualname in after.classes:
                self._compare_class(base_path, head_path, qualname)
        return True

    def gone(self, base_path: str) -> None:
        """Take in a file that the head does not have under this path."""
        before = self._base.file(base_path)
        if before is not None:
            self.names.update(before.module.bindings)

    def origin(self, value: Value) -> tuple[str, str]:
        """(file, qualified name) of a definition of the head as the base had it."""
        first, dot, rest = value.name.partition(".")
        file, name = self.moved.get((value.file, first), (value.file, first))
        return file, f"{name}{dot}{rest}"

    def _compare_class(self, base_path: str, head_path: str, qualname: str) -> None:
        before, after = self._base.own(base_path, qualname), self._head.own(head_path, qualname)
        lost = before.names.keys() - after.names.keys()
        self.names |= lost
        changed = set(_changed_functions(before.names, after.names))
        self.names |= changed
        if before.node is not None and after.node is not None:
            has_other_bases = _dumped(before.node.bases) != _dumped(after.node.bases)
            if has_other_bases:
                for path, name in self._base.lineage(base_path, qualname).own_classes():
                    self.names.update(self._base.own(path, name).names)
            has_other_fields = bool(before.node.decorator_list) and _dumped(_fields(before.node)) != _dumped(
                _fields(after.node)
            )
            if has_other_bases or has_other_fields or "__init__" in changed | lost:
                self.names |= {qualname.rpartition(".")[2], "__init__"}


def may_break(before: SourceFile | None, after: SourceFile | None) -> bool:
    """Whether one side of a file has anything that the other lacks or has otherwise, by the file alone."""
    if before is None or after is None:
        return False
    if before.module.bindings.keys() - after.module.bindings.keys() or before.classes.keys() - after.classes.keys():
        return True
    if any(_changed_functions(before.module.bindings, after.module.bindings)):
        return True
    for qualname, scope in before.classes.items():
        old, new = members_of(scope), members_of(after.classes[qualname])
        if old.names.keys() - new.names.keys() or any(_changed_functions(old.names, new.names)):
            return True
        if old.node is not None and new.node is not None and _head_of(old.node) != _head_of(new.node):
            return True
    return False


def _head_of(node: ast.ClassDef) -> list[str]:
    return _dumped([*node.bases, *node.decorator_list, *_fields(node)])


def _changed_functions(before: dict[str, list[Binding]], after: dict[str, list[Binding]]) -> Iterator[str]:
    """The names of functions that take other arguments, or are decorated otherwise."""
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


def _fields(node: ast.ClassDef) -> list[ast.stmt]:
    return [part for part in node.body if isinstance(part, ast.AnnAssign)]


def _dumped(nodes: Sequence[ast.AST]) -> list[str]:
    return [ast.dump(node) for node in nodes]


def definition_lines(file: SourceFile, qualname: str) -> tuple[int, int] | None:
    """The lines of a definition, decorators left out."""
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
