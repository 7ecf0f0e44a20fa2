"""Full dotted names that the names of a Python module or a script may mean, in any scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

from assay.validators.dangers.syntax import (
    CALLS,
    NAMES,
    Tree,
    arguments,
    bare,
    callee_of,
    folded,
    holder_of,
    last_name,
    property_of,
    setting_of,
    text_of,
    walk,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_DEPTH = 60
"""Maximum depth of an expression that is followed; a tree may be deeper than Python's stack."""
_IMPORTING = ("__import__", "import_module", "require", "import")
_PYTHON_BUILTINS = frozenset(("builtins", "__builtins__", "__builtin__"))
_SCRIPT_BUILTINS = frozenset("globalThis window self global top parent frames".split())
"""Names of the object that holds the built-in functions."""


class Meanings:
    """Names of one module; `wanted` are the full names of interest.

    Built-in functions have full names in `builtins`, in scripts too.
    """

    def __init__(self, tree: Tree, wanted: Collection[str]) -> None:
        self._tree = tree
        self._wanted = wanted
        self._modules = frozenset(name.partition(".")[0] for name in wanted)
        self._builtins = _PYTHON_BUILTINS if tree.is_python else _SCRIPT_BUILTINS
        self._meant: dict[str, set[str]] = defaultdict(set)
        self._own = {
            text_of(node.child_by_field_name("name"))
            for node in tree.of("function_definition", "class_definition", "function_declaration", "class_declaration")
            if tree.is_top_level(node)
        }
        """Names that hide a built-in function."""
        self._set = {text_of(node.child_by_field_name("left")) for node in tree.of("assignment")}
        """Names that the module sets itself, so that they mean no other module."""
        for node in tree.of("import_statement", "import_from_statement"):
            if tree.is_python:
                self._import(node)
            else:
                self._import_script(node)
        for _ in range(3):
            for node in tree.of("assignment", "named_expression", "variable_declarator"):
                self._bind(node)
        for node in tree.of("call_expression"):
            if property_of(callee_of(node)) == "then":
                self._resolve(node)

    def of(self, node: Node | None, depth: int = 0) -> set[str]:
        """Return what an expression may mean; empty if unclear."""
        if node is None or depth > MOST_DEPTH:
            return set()
        if node.type in NAMES:
            return self._of_name(text_of(node))
        if node.type == "subscript":
            return self._of_item(node, depth)
        if node.type in ("dotted_name", "aliased_import"):
            statement = self._tree.parents.get(node.id)
            module = statement.child_by_field_name("module_name") if statement is not None else None
            called = text_of(node.child_by_field_name("name") or node)
            return {f"{text_of(module)}.{called}"} if module is not None else set()
        if node.type not in CALLS:
            return self._inside(holder_of(node), property_of(node), depth)
        function, given = last_name(callee_of(node)), arguments(node)
        if function in _IMPORTING and given:
            name = folded(given[0])
            return {name.removeprefix("node:")} if name else set()
        return self._inside(given[0], folded(given[1]), depth) if function == "getattr" and len(given) > 1 else set()

    def _of_name(self, name: str) -> set[str]:
        # A binding in another scope does not remove the name's meaning here.
        known = self._meant.get(name, set())
        if name in self._builtins:
            return known | {"builtins"}
        if name in self._modules and name not in self._set:
            return known or {name}
        is_builtin = f"builtins.{name}" in self._wanted and name not in self._own
        return known | {f"builtins.{name}"} if is_builtin else known

    def _of_item(self, node: Node, depth: int) -> set[str]:
        name, holder = folded(node.child_by_field_name("subscript")), bare(node.child_by_field_name("value"))
        if holder is None or not name:
            return set()
        if property_of(holder) == "modules":
            return {name}
        if property_of(holder) == "__dict__":
            return self._inside(holder_of(holder), name, depth)
        if holder.type == "call" and last_name(callee_of(holder)) == "vars" and arguments(holder):
            return self._inside(arguments(holder)[0], name, depth)
        return self._inside(holder, name, depth) & {f"builtins.{name}"}

    def _inside(self, holder: Node | None, name: str | None, depth: int) -> set[str]:
        full = self.of(bare(holder), depth + 1) if name else set()
        return full if name == "default" else {f"{one}.{name}" for one in full}

    def _import(self, node: Node) -> None:
        module = text_of(node.child_by_field_name("module_name"))
        for name, local in imported(node):
            if not module:
                self._mean(node, local, {name if local != name else name.partition(".")[0]})
            elif not module.startswith("."):
                # Other packages re-export the same module: `from kombu.serialization import pickle`.
                self._mean(node, local, {f"{module}.{name}"} | ({name} & self._modules))
            else:
                self._mean(node, local, set())
        if any(child.type == "wildcard_import" for child in node.children):
            for holder, _, name in (wanted.rpartition(".") for wanted in self._wanted):
                if holder == module:
                    self._meant[name].add(f"{holder}.{name}")

    def _import_script(self, node: Node) -> None:
        parts = list(walk(node))
        module = next((folded(part) or "" for part in parts if part.type == "string"), "").removeprefix("node:")
        for part in parts:
            if part.type == "import_specifier":
                name = text_of(part.child_by_field_name("name"))
                full = module if name == "default" else f"{module}.{name}"
                self._mean(node, text_of(part.child_by_field_name("alias")) or name, {full})
            elif part.type == "identifier" and self._tree.parent_type(part) != "import_specifier":
                self._mean(node, text_of(part), {module})

    def _mean(self, node: Node, name: str, full: set[str]) -> None:
        self._meant[name] |= full
        if self._tree.is_top_level(node):
            self._own.add(name)

    def _bind(self, node: Node) -> None:
        """Follow `m = pickle` and the like; a dangerous function that is bound is reported there."""
        setting = setting_of(node)
        if setting is None:
            return
        target, value = setting[0], bare(setting[1])
        promised = promised_by(value)
        full = self.of(promised) if promised is not None else self.of(value) & self._modules
        if full and target.type == "identifier":
            self._meant[text_of(target)] |= full
        for part in target.named_children if full and target.type == "object_pattern" else ():
            name = text_of(part.child_by_field_name("key") or part)
            self._meant[text_of(part.child_by_field_name("value") or part)] |= {f"{one}.{name}" for one in full}

    def _resolve(self, node: Node) -> None:
        """Follow `import("m").then((name) => …)`."""
        for given in arguments(node)[:1]:
            first = given.child_by_field_name("parameter") or given.child_by_field_name("parameters")
            for part in walk(first) if first is not None else ():
                if part.type == "identifier":
                    self._meant[text_of(part)] |= self.of(holder_of(callee_of(node))) & self._modules


def imported(node: Node) -> list[tuple[str, str]]:
    """Return the names that a statement of Python imports, each with the name it is bound to."""
    found = []
    for one in node.children_by_field_name("name"):
        name, alias = text_of(one.child_by_field_name("name") or one), text_of(one.child_by_field_name("alias"))
        found.append((name, alias or name))
    return found


def promised_by(node: Node | None) -> Node | None:
    """Return `exec` of `promisify(exec)`, which runs a shell when called later."""
    is_promise = node is not None and node.type == "call_expression" and last_name(callee_of(node)) == "promisify"
    return bare(next(iter(arguments(node)), None)) if node is not None and is_promise else None
