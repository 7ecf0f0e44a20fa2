"""Classes of a Python file: members, ancestors, and the constructor of a data class."""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from inspect import Parameter, Signature

from assay.validators.quality.contracts.python.nodes import last_name
from assay.validators.quality.contracts.python.scopes import Binding, Scope
from assay.validators.quality.contracts.python.signature import made

ROOTS = (object, ABC)
"""Ancestors that take no arguments and add nothing to a constructor."""
PLAIN_DECORATORS = frozenset("dataclass final total_ordering runtime_checkable deprecated unique".split())
_DYNAMIC = frozenset(("__getattr__", "__getattribute__"))

Ancestor = tuple[str, str] | type
"""(file, qualified name) of a class of the tree, or a built-in one; `NoneType` for an unknown one."""


@dataclass
class Lineage:
    """Class and its ancestors, nearest first.

    `is_open`: attributes may be defined elsewhere. `is_plain`: calling the class calls its constructor.
    `adds_attributes`: its code sets attributes by computed names, which are rarely methods.
    """

    classes: list[Ancestor] = field(default_factory=list)
    is_open: bool = True
    is_plain: bool = False
    adds_attributes: bool = False

    def extend(self, parent: Lineage) -> None:
        """Inherit from another class."""
        self.classes += [one for one in parent.classes if one not in self.classes]
        self.is_open |= parent.is_open
        self.is_plain &= parent.is_plain
        self.adds_attributes |= parent.adds_attributes

    def own_classes(self) -> Iterator[tuple[str, str]]:
        """Return those of them defined in the tree."""
        return (one for one in self.classes if isinstance(one, tuple))


@dataclass
class OwnMembers:
    """Members of one class; `is_open` if `__getattr__` may provide others."""

    names: dict[str, list[Binding]] = field(default_factory=dict)
    is_open: bool = False
    node: ast.ClassDef | None = None


def members_of(scope: Scope) -> OwnMembers:
    """Return the members of a class from its body and from assignments to `self` in its methods."""
    found = {name: list(bindings) for name, bindings in scope.bindings.items()}
    for store in scope.stores:
        binding = Binding("attribute", store.node, store.value, store.annotation)
        found.setdefault(store.node.attr, []).append(binding)
    node = scope.node if isinstance(scope.node, ast.ClassDef) else None
    return OwnMembers(found, bool(_DYNAMIC & found.keys()), node)


def dataclass_options(node: ast.ClassDef | None) -> dict[str, bool] | None:
    """Return the options of `@dataclass`; None if a class has no such decorator, or its own constructor."""
    for decorator in node.decorator_list if node is not None else ():
        if last_name(decorator) == "dataclass":
            keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
            options = {one.arg or "": not _is_false(one.value) for one in keywords}
            body = node.body if node is not None else []
            has_own = any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in body)
            return None if has_own or not options.get("init", True) else options
    return None


def fields_signature(classes: Iterable[OwnMembers], lineage: Lineage) -> Signature | None:
    """Return the constructor made by `@dataclass` from the fields of a class and its ancestors; None if unclear."""
    if any(isinstance(one, type) and one not in ROOTS for one in lineage.classes):
        return None
    fields: dict[str, Parameter] = {}
    for own in reversed(list(classes)):
        options = dataclass_options(own.node)
        if options is None or own.node is None:
            if own.node is not None and own.node.decorator_list:
                return None
            continue
        is_keyword = options.get("kw_only", False)
        for part in own.node.body:
            if not isinstance(part, ast.AnnAssign) or not isinstance(part.target, ast.Name):
                continue
            declared = ast.unparse(part.annotation)
            if declared.endswith("KW_ONLY"):
                is_keyword = True
            elif "ClassVar" not in declared:
                parameter = _field(part.target.id, part.value, is_keyword)
                if parameter is not None:
                    fields[part.target.id] = parameter
    ordered = sorted(fields.values(), key=lambda one: one.kind is Parameter.KEYWORD_ONLY)
    return made(ordered)


def _field(name: str, value: ast.expr | None, is_keyword: bool) -> Parameter | None:
    has_default = value is not None
    if isinstance(value, ast.Call) and last_name(value) == "field":
        options = {one.arg: one.value for one in value.keywords}
        if "init" in options and _is_false(options["init"]):
            return None
        is_keyword = is_keyword if "kw_only" not in options else not _is_false(options["kw_only"])
        has_default = "default" in options or "default_factory" in options
    kind = Parameter.KEYWORD_ONLY if is_keyword else Parameter.POSITIONAL_OR_KEYWORD
    return Parameter(name, kind, default=None if has_default else Parameter.empty)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
