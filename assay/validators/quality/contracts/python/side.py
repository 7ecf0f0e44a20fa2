"""Name resolution in the Python modules of one tree: names, attributes and constructors."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from inspect import Signature

from assay.validators.changes.change import SourceTree
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.languages.python.modules import PythonModules
from assay.validators.languages.python.trees import parsed
from assay.validators.progress import Deadline
from assay.validators.quality.contracts.python.classes import (
    PLAIN_DECORATORS,
    ROOTS,
    Lineage,
    OwnMembers,
    dataclass_options,
    fields_signature,
    members_of,
)
from assay.validators.quality.contracts.python.nodes import declared_class, known_class, last_name
from assay.validators.quality.contracts.python.scopes import Binding, Scope, SourceFile, receiver_of
from assay.validators.quality.contracts.python.signature import keeps_arguments, signature_of

DEEPEST = 40
"""Maximum re-exports, aliases and attributes followed for one expression."""
_MODULE_NAMES = frozenset("__name__ __file__ __doc__ __path__ __package__ __spec__ __loader__ __dict__ __all__".split())


class Absent(Enum):
    """Reason why a name does not resolve: it is certainly missing, or unknown."""

    missing = "missing"
    unknown = "unknown"


@dataclass(frozen=True, slots=True)
class Value:
    """Value of an expression.

    `kind` is `module`, `class`, `function`, `instance` (of the class `name` in `file`), `super` (the same class's
    parents) or `other`. `is_self` is set if a subclass may replace the class; `is_bound` if a call passes the first
    argument implicitly.
    """

    kind: str
    file: str = ""
    name: str = ""
    node: ast.AST | None = None
    is_self: bool = False
    is_bound: bool = False
    owner: str = ""


OTHER = Value("other")


def parsed_file(tree: SourceTree, path: str) -> SourceFile | None:
    """Return the scopes of a file; None if it is absent, a generated module's stub, or does not parse."""
    content = None if path.endswith((".pyi", ".pyx")) else tree.read(path)
    module = parsed(content) if content is not None else None
    return SourceFile(path, module) if module is not None else None


class PythonSide:
    """Modules of the base or of the head; `known` are files that were read before."""

    def __init__(
        self, tree: SourceTree, graph: ImportGraph, deadline: Deadline, known: Mapping[str, SourceFile | None]
    ) -> None:
        self.tree = tree
        self.modules = graph.resolver(PythonModules)
        self._deadline = deadline
        self._files: dict[str, SourceFile | None] = dict(known)
        self._num_traced = 0
        self._lineages: dict[tuple[str, str], Lineage] = {}
        self._members: dict[tuple[str, str], OwnMembers] = {}

    def file(self, path: str) -> SourceFile | None:
        """Return the scopes of a file; None if it is absent or does not parse."""
        if path not in self._files:
            self._deadline.check("contracts")
            self._files[path] = parsed_file(self.tree, path)
        return self._files[path]

    def lookup(self, path: str, name: str, depth: int = 0) -> Value | Absent:
        """Return the value of a module's attribute."""
        file = self.file(path) if depth < DEEPEST else None
        if file is None:
            return Absent.unknown
        found = file.module.bindings.get(name)
        if found:
            return self._bound(file, name, found, file.module, depth + 1)
        child = self.modules.child(path, name)
        if child is not None:
            return Value("module", child)
        if name in _MODULE_NAMES:
            return OTHER
        return Absent.unknown if file.is_open or name in file.given else self._starred(file, name, depth + 1)

    def imported(self, path: str, target: str, name: str, depth: int = 0) -> Value | Absent | None:
        """Return the value of `from target import name` in the file `path`; None if the tree has no such module."""
        place = self.modules.place(path, target)
        if place.why is not None or (place.file is None and not place.folders):
            return None
        module = self.modules.submodule(path, place, name)
        found = self.lookup(place.file, name, depth + 1) if place.file is not None else Absent.missing
        if module is None:
            return found
        is_other = isinstance(found, Value) and found.file != module
        return OTHER if is_other else Value("module", module)

    def module_of(self, path: str, target: str) -> str | None:
        """Return the file of a module as named in the file at `path`, if it exists in full; "" for a bare folder."""
        place = self.modules.place(path, target)
        if place.why is not None or (place.file is None and not place.folders):
            return None
        return place.file or ""

    def holder(self, path: str, name: str) -> tuple[str, Binding] | None:
        """Return the file that binds a name imported from the module at `path`, through star imports."""
        for _ in range(DEEPEST):
            file = self.file(path)
            if file is None:
                return None
            if name in file.module.bindings:
                return path, file.module.bindings[name][0]
            following = [place.file for place in (self.modules.place(path, star) for star in file.stars) if place.file]
            path = next((star for star in following if isinstance(self.lookup(star, name), Value)), "")
        return None

    def resolve(self, file: SourceFile, node: ast.expr, scope: Scope, depth: int = 0) -> Value | None:
        """Return the value of an expression; None if it is not certain."""
        if depth > DEEPEST:
            return None
        if isinstance(node, ast.Name):
            return self._name(file, node.id, scope, depth + 1)
        if isinstance(node, ast.Attribute):
            owner = self.resolve(file, node.value, scope, depth + 1)
            found = self.member(owner, node.attr, depth + 1) if owner is not None else None
            return found if isinstance(found, Value) else None
        if isinstance(node, ast.Call):
            return self._called(file, node, scope, depth + 1)
        return None

    def member(self, owner: Value, name: str, depth: int = 0) -> Value | Absent | None:
        """Return the value of `owner.name`; None if the owner's attributes are unknown."""
        if owner.kind == "module":
            return self.lookup(owner.file, name, depth)
        if owner.kind not in ("class", "instance", "super"):
            return None
        return self._attribute(owner, name)

    def constructor(self, path: str, qualname: str) -> Signature | None:
        """Return the signature a class is called with; None if unclear."""
        lineage = self.lineage(path, qualname)
        if not lineage.is_plain:
            return None
        for one in lineage.classes:
            if isinstance(one, tuple):
                own = self.own(*one)
                if "__new__" in own.names:
                    return None
                if dataclass_options(own.node) is not None:
                    return fields_signature([self.own(*each) for each in lineage.own_classes()], lineage)
                if "__init__" in own.names:
                    return _initializer(own.names["__init__"])
            elif one not in ROOTS:
                return None
        return Signature()

    def lineage(self, path: str, qualname: str) -> Lineage:
        """Return a class with all its ancestors, nearest first."""
        key = (path, qualname)
        if key not in self._lineages:
            self._lineages[key] = Lineage()  # ends a circular inheritance
            if self._num_traced < DEEPEST:
                self._num_traced += 1
                self._lineages[key] = self._traced(path, qualname)
                self._num_traced -= 1
        return self._lineages[key]

    def own(self, path: str, qualname: str) -> OwnMembers:
        """Return the members defined by the body and the methods of one class."""
        key = (path, qualname)
        if key not in self._members:
            file = self.file(path)
            scope = file.classes.get(qualname) if file is not None else None
            self._members[key] = members_of(scope) if scope is not None else OwnMembers()
        return self._members[key]

    # ------------------------------------------------------------- names

    def _starred(self, file: SourceFile, name: str, depth: int) -> Value | Absent:
        result = Absent.missing
        for target in reversed(file.stars):
            place = self.modules.place(file.path, target)
            if place.file is None or place.why is not None:
                return Absent.unknown
            found = self.lookup(place.file, name, depth) if place.file != file.path else Absent.missing
            if found is Absent.unknown:
                result = Absent.unknown
            elif isinstance(found, Value) and self.modules.names(place.file).offers(name):
                return found
        return result

    def _bound(self, file: SourceFile, name: str, found: list[Binding], scope: Scope, depth: int) -> Value:
        """Return the value of a name with these bindings in one scope."""
        if len(found) != 1 or depth > DEEPEST:
            return OTHER
        binding = found[0]
        if binding.kind == "from":
            value = self.imported(file.path, binding.target, binding.original, depth)
            return value if isinstance(value, Value) else OTHER
        if binding.kind == "import":
            module = self.module_of(file.path, binding.target)
            return Value("module", module) if module else OTHER
        if binding.kind == "def":
            return Value("function", file.path, name, binding.node)
        if binding.kind == "class":
            qualname = f"{scope.qualname}.{name}".lstrip(".")
            is_known = file.classes.get(qualname) is not None and file.classes[qualname].node is binding.node
            return Value("class", file.path, qualname) if is_known else OTHER
        if binding.kind == "assign" and binding.value is not None:
            return self.resolve(file, binding.value, scope, depth) or OTHER
        return OTHER

    def _name(self, file: SourceFile, name: str, scope: Scope, depth: int) -> Value | None:
        found = scope.find(name)
        if not found:
            starred = self.lookup(file.path, name, depth) if file.stars else None
            return starred if isinstance(starred, Value) else None
        if found is file.module.bindings.get(name):
            value = self.lookup(file.path, name, depth)
            return value if isinstance(value, Value) and value is not OTHER else None
        if len(found) == 1 and found[0].kind == "parameter":
            return self._parameter(file, name, found[0], scope, depth)
        value = self._bound(file, name, found, scope, depth)
        return value if value is not OTHER else None

    def _parameter(self, file: SourceFile, name: str, binding: Binding, scope: Scope, depth: int) -> Value | None:
        holder: Scope | None = scope
        while holder is not None and name not in holder.bindings:
            holder = holder.parent
        if holder is None or holder.parent is None:
            return None
        own = _receiver(holder)
        if own is not None and own[0] == name and holder.parent.qualname:
            return Value(own[1], file.path, holder.parent.qualname, is_self=True)
        declared = declared_class(binding.annotation)
        value = self.resolve(file, declared, holder.parent, depth) if declared is not None else None
        return Value("instance", value.file, value.name) if value is not None and value.kind == "class" else None

    def _called(self, file: SourceFile, node: ast.Call, scope: Scope, depth: int) -> Value | None:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            method: Scope | None = scope
            while method is not None and not (method.kind == "function" and method.parent and method.parent.qualname):
                method = method.parent
            if method is None or method.parent is None:
                return None
            return Value("super", file.path, method.parent.qualname, is_bound=True)
        value = self.resolve(file, node.func, scope, depth)
        if value is None or value.kind != "class" or "__new__" in self._all_names(value):
            return None
        return Value("instance", value.file, value.name, is_self=value.is_self)

    # ------------------------------------------------------------- classes

    def _all_names(self, value: Value) -> set[str]:
        lineage = self.lineage(value.file, value.name)
        return {name for one in lineage.own_classes() for name in self.own(*one).names}

    def _attribute(self, owner: Value, name: str) -> Value | Absent:
        lineage = self.lineage(owner.file, owner.name)
        for one in lineage.classes[1:] if owner.kind == "super" else lineage.classes:
            if isinstance(one, tuple):
                bindings = self.own(*one).names.get(name)
                if bindings is not None:
                    return self._member_value(one, name, bindings, owner)
            elif hasattr(one, name):
                return OTHER
        if hasattr(object, name) or (owner.kind == "class" and hasattr(type, name)):
            return OTHER
        return Absent.unknown if lineage.is_open else Absent.missing

    def _member_value(self, place: tuple[str, str], name: str, bindings: list[Binding], owner: Value) -> Value:
        path, qualname = place
        if len(bindings) != 1:
            return replace(OTHER, owner=qualname, file=path)
        node = bindings[0].node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and bindings[0].kind == "def":
            decorators = {last_name(one) for one in node.decorator_list}
            is_bound = "staticmethod" not in decorators and (owner.kind != "class" or "classmethod" in decorators)
            return Value("function", path, f"{qualname}.{name}", node, owner.is_self, is_bound, qualname)
        if isinstance(node, ast.ClassDef):
            return Value("class", path, f"{qualname}.{name}", owner=qualname)
        return replace(OTHER, owner=qualname, file=path)

    def _traced(self, path: str, qualname: str) -> Lineage:
        file = self.file(path)
        scope = file.classes.get(qualname) if file is not None else None
        if file is None or scope is None or not isinstance(scope.node, ast.ClassDef):
            return Lineage()
        node, outer = scope.node, scope.parent or file.module
        own = self.own(path, qualname)
        lineage = Lineage([(path, qualname)], own.is_open, True, scope.adds_attributes)
        if any(last_name(one) not in PLAIN_DECORATORS for one in node.decorator_list):
            lineage.is_open |= not self._keeps_class(file, node, outer)
            lineage.is_plain = False
        for keyword in node.keywords:
            if keyword.arg == "metaclass":
                self._governed(file, keyword.value, outer, lineage)
        for base in node.bases:
            self._inherit(file, base, outer, lineage)
        return lineage

    def _keeps_class(self, file: SourceFile, node: ast.ClassDef, outer: Scope) -> bool:
        """Return whether every decorator of a class is a function of the tree, which rarely removes attributes."""
        values = [
            self.resolve(file, one.func if isinstance(one, ast.Call) else one, outer) for one in node.decorator_list
        ]
        return all(value is not None and value.kind == "function" for value in values)

    def _inherit(self, file: SourceFile, base: ast.expr, outer: Scope, lineage: Lineage) -> None:
        if isinstance(base, ast.Subscript):
            base = base.value
        value = self.resolve(file, base, outer)
        if value is not None and value.kind == "class":
            lineage.extend(self.lineage(value.file, value.name))
            return
        known = known_class(base, outer)
        lineage.is_open |= known is None
        lineage.classes.append(known if known is not None else type(None))

    def _governed(self, file: SourceFile, node: ast.expr, outer: Scope, lineage: Lineage) -> None:
        """Take a metaclass into account."""
        value = self.resolve(file, node, outer)
        if value is not None and value.kind == "class":
            names = self._all_names(value)
            lineage.is_open |= bool({"__getattr__", "__getattribute__"} & names)
            lineage.is_plain &= "__call__" not in names
        elif last_name(node) not in ("ABCMeta", "EnumMeta", "EnumType"):
            lineage.is_open, lineage.is_plain = True, False


def _receiver(method: Scope) -> tuple[str, str] | None:
    """Return (name, kind of value) of a method's first parameter."""
    name, node = receiver_of(method), method.node
    if name is None or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    is_class = any(last_name(one) == "classmethod" for one in node.decorator_list)
    is_class |= node.name in ("__new__", "__init_subclass__", "__class_getitem__")
    return name, "class" if is_class else "instance"


def _initializer(bindings: list[Binding]) -> Signature | None:
    node = bindings[0].node
    if len(bindings) != 1 or not isinstance(node, ast.FunctionDef) or not keeps_arguments(node):
        return None
    return signature_of(node, is_bound=True)


def names_of_all(file: SourceFile) -> Iterator[tuple[str, int]]:
    """Yield (name, line) of each text in a literal `__all__`."""
    for binding in file.module.bindings.get("__all__", []):
        if isinstance(binding.value, (ast.List, ast.Tuple)):
            for item in binding.value.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield item.value, item.lineno
