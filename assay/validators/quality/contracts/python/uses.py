"""Uses in a Python file of the head that the base satisfied and the head does not."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from inspect import Parameter, Signature

from assay.validators.quality.contracts.contract import BreakKind, Use
from assay.validators.quality.contracts.python.changes import Changes
from assay.validators.quality.contracts.python.scopes import TYPES_ONLY, Seen, SourceFile
from assay.validators.quality.contracts.python.side import Absent, PythonSide, Value, names_of_all
from assay.validators.quality.contracts.python.signature import Call, keeps_arguments, mismatch, signature_of

_WIDE = frozenset(("Exception", "BaseException"))
_SILENCES = {
    BreakKind.name: frozenset(("ImportError", "ModuleNotFoundError", "AttributeError", "NameError", TYPES_ONLY)),
    BreakKind.module: frozenset(("ImportError", "ModuleNotFoundError", TYPES_ONLY)),
    BreakKind.attribute: frozenset(("AttributeError", TYPES_ONLY)),
    BreakKind.arguments: frozenset(("TypeError", TYPES_ONLY)),
}
"""Exceptions whose handling shows that the author expects the use to fail."""


class Uses:
    """Search for broken uses, one file of the head at a time."""

    def __init__(self, base: PythonSide, head: PythonSide, changes: Changes) -> None:
        self._base = base
        self._head = head
        self._changes = changes

    def broken(self, file: SourceFile) -> Iterator[Use]:
        """Yield every broken use in a file."""
        for seen in file.imports:
            yield from self._imports(file, seen)
        yield from self._names(file)
        for name, line in names_of_all(file):
            if name in self._changes.names and self._is_lost(file.path, name):
                yield self._lost_name(file, name, line, "still lists it in `__all__`", is_certain=False)
        for seen in file.attributes:
            node = seen.node
            if isinstance(node, ast.Attribute) and node.attr in self._changes.names - file.named_in_text:
                yield from self._attribute(file, node, seen)
        for seen in file.calls:
            if isinstance(seen.node, ast.Call):
                yield from self._call(file, seen.node, seen)

    # ------------------------------------------------------------- names

    def _imports(self, file: SourceFile, seen: Seen) -> Iterator[Use]:
        node = seen.node
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from self._module(file, alias.name, node.lineno, seen)
        elif isinstance(node, ast.ImportFrom):
            target = "." * node.level + (node.module or "")
            if self._head.module_of(file.path, target) is None:
                yield from self._module(file, target, node.lineno, seen)
                return
            for alias in node.names:
                yield from self._imported(file, target, alias, seen)

    def _imported(self, file: SourceFile, target: str, alias: ast.alias, seen: Seen) -> Iterator[Use]:
        if alias.name == "*" or self._head.imported(file.path, target, alias.name) is not Absent.missing:
            return
        before = self._base.imported(file.path, target, alias.name)
        if not isinstance(before, Value) or self._is_silent(seen, BreakKind.name):
            return
        module = self._base.module_of(file.path, target) or ""
        if before.kind == "module" and before.file not in self._head.tree:
            kind, place, symbol = BreakKind.module, before.file, before.file
        else:
            holder = self._base.holder(module, alias.name)
            kind, place, symbol = BreakKind.name, holder[0] if holder is not None else module, alias.name
        yield Use(kind, place, symbol, file.path, alias.lineno, "still imports it", self._is_sure(seen))

    def _module(self, file: SourceFile, target: str, line: int, seen: Seen) -> Iterator[Use]:
        before = self._base.module_of(file.path, target)
        if not before or self._is_silent(seen, BreakKind.module):
            return
        now = self._head.modules.place(file.path, target)
        if now.why is None and (now.file is not None or now.folders):
            return
        # If not even the first part exists, an installed package may have replaced it.
        is_inside = target.startswith(".") or now.file is not None
        is_sure = is_inside and self._is_sure(seen)
        yield Use(BreakKind.module, before, before, file.path, line, "still imports it", is_sure)

    def _names(self, file: SourceFile) -> Iterator[Use]:
        """Yield broken uses of names that the file itself defined, or got by a star import."""
        for seen in file.names:
            name = seen.node.id if isinstance(seen.node, ast.Name) else ""
            if name not in self._changes.names or hasattr(builtins, name) or seen.scope.find(name):
                continue
            is_text = seen.is_annotation and file.has_future_annotations
            if is_text or self._is_silent(seen, BreakKind.name) or not self._is_lost(file.path, name):
                continue
            line = getattr(seen.node, "lineno", 1)
            yield self._lost_name(file, name, line, "still uses it", is_certain=self._is_sure(seen))

    def _is_lost(self, path: str, name: str) -> bool:
        is_gone = self._head.lookup(path, name) is Absent.missing
        return is_gone and isinstance(self._base.lookup(path, name), Value)

    def _lost_name(self, file: SourceFile, name: str, line: int, how: str, is_certain: bool) -> Use:
        holder = self._base.holder(file.path, name)
        place = holder[0] if holder is not None else file.path
        return Use(BreakKind.name, place, name, file.path, line, how, is_certain)

    # ------------------------------------------------------------- attributes

    def _attribute(self, file: SourceFile, node: ast.Attribute, seen: Seen) -> Iterator[Use]:
        owner = self._head.resolve(file, node.value, seen.scope)
        if owner is None or self._head.member(owner, node.attr) is not Absent.missing:
            return
        if owner.kind == "module":
            if self._is_silent(seen, BreakKind.name) or not self._is_lost(owner.file, node.attr):
                return
            if (holder := self._base.holder(owner.file, node.attr)) is not None:
                is_sure = self._is_sure(seen)
                yield Use(BreakKind.name, holder[0], node.attr, file.path, node.lineno, "still uses it", is_sure)
            return
        path, name = self._changes.origin(owner)
        before = self._base.member(Value(owner.kind, path, name), node.attr)
        if not isinstance(before, Value) or not before.owner or self._is_silent(seen, BreakKind.attribute):
            return
        if before.kind == "other" and self._head.lineage(owner.file, owner.name).adds_attributes:
            return
        symbol, line, receiver = f"{before.owner}.{node.attr}", node.end_lineno or node.lineno, (owner.file, owner.name)
        kind, is_sure = BreakKind.attribute, self._is_sure(seen)
        yield Use(kind, before.file, symbol, file.path, line, "still uses it", is_sure, receiver=receiver)

    # ------------------------------------------------------------- calls

    def _call(self, file: SourceFile, node: ast.Call, seen: Seen) -> Iterator[Use]:
        if isinstance(node.func, ast.Attribute) and node.func.attr not in self._changes.names:
            return
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            return
        called = self._head.resolve(file, node.func, seen.scope)
        if called is None or called.kind not in ("function", "class"):
            return
        path, name = self._changes.origin(called)
        if called.kind == "class":
            if called.is_self:
                return
            after, before = self._head.constructor(called.file, called.name), self._base.constructor(path, name)
        else:
            after, before = self._signatures(called, path, name)
        if after is None or before is None or after == before or self._is_silent(seen, BreakKind.arguments):
            return
        call = Call.of(node)
        why = mismatch(after, call)
        if why is None or mismatch(before, call) is not None:
            return
        now = signature_text(after)
        yield Use(BreakKind.arguments, path, name, file.path, node.lineno, why, self._is_sure(seen), now)

    def _signatures(self, called: Value, path: str, name: str) -> tuple[Signature | None, Signature | None]:
        """Return a function's signature after and before."""
        if called.owner:
            holder, _, own = name.rpartition(".")
            found = self._base.member(Value("instance" if called.is_bound else "class", path, holder), own)
        else:
            found = self._base.lookup(path, name)
        if not isinstance(found, Value) or found.is_bound != called.is_bound:
            return None, None
        return _signature(called), _signature(found)

    @staticmethod
    def _is_silent(seen: Seen, kind: BreakKind) -> bool:
        return bool(seen.guards & _SILENCES[kind])

    @staticmethod
    def _is_sure(seen: Seen) -> bool:
        return not seen.guards & _WIDE


def _signature(value: Value) -> Signature | None:
    node = value.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not keeps_arguments(node):
        return None
    return signature_of(node, value.is_bound)


def signature_text(signature: Signature) -> str:
    """Return the parameters as in a signature, with `=…` for any default."""
    shown = []
    is_keyword = False
    for one in signature.parameters.values():
        if one.kind is Parameter.KEYWORD_ONLY and not is_keyword:
            if not any(other.kind is Parameter.VAR_POSITIONAL for other in signature.parameters.values()):
                shown.append("*")
            is_keyword = True
        stars = "*" if one.kind is Parameter.VAR_POSITIONAL else "**" if one.kind is Parameter.VAR_KEYWORD else ""
        shown.append(f"{stars}{one.name}{'' if one.default is Parameter.empty else '=…'}")
    return f"({', '.join(shown)})"
