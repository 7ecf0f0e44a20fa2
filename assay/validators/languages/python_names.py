"""The names a Python module offers at its top level."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

LARGEST_PARSED = 2 * 1024 * 1024
_BINDING = re.compile(
    rb"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE
)


def parsed(source: bytes | str) -> ast.Module | None:
    """The syntax tree of a module; None where Python cannot read it (broken, another version's, or nested too deep)."""
    if len(source) > LARGEST_PARSED:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def exported_names(content: bytes) -> frozenset[str]:
    """What `from module import *` can bring of the module's own: `__all__` where it is written out, else every public name."""
    tree = parsed(content)
    if tree is None:
        found = {match.decode("utf-8", "replace") for pair in _BINDING.findall(content) for match in pair if match}
        return frozenset(name for name in found if not name.startswith("_"))
    names = set(bound_names(tree.body))
    listed = _listed(tree)
    return frozenset(names & listed) if listed is not None else frozenset(n for n in names if not n.startswith("_"))


def bound_names(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements bind in the scope they stand in, those inside `if`, `try`, `with` and loops too."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from (inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name))
        for field in ("body", "orelse", "finalbody"):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from bound_names(getattr(node, field, []))
        for handler in getattr(node, "handlers", []):
            yield from bound_names(handler.body)


def _listed(tree: ast.Module) -> set[str] | None:
    """The names of a literal `__all__`; None where there is none, or one that is made up as the module runs."""
    found: set[str] | None = None
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
                value = node.value
                if not isinstance(value, (ast.List, ast.Tuple)):
                    return None
                strings = [e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
                if len(strings) != len(value.elts):
                    return None
                found = (found or set()) | set(strings)
    return found
