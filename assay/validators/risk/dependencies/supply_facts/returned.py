"""Functions that may return more types than before."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from assay.validators.changes.language_table import suffixes
from assay.validators.io.structured_files import Unreadable
from assay.validators.languages.python.trees import parsed
from assay.validators.risk.dependencies.supply_facts.fact import Fact, Reader, Sides
from assay.validators.wording import quoted

_Found = Mapping[str, tuple[frozenset[str], int]]


def _facts(sides: Sides) -> Iterator[Fact]:
    lines = (*sides.file.added.values(), *sides.file.removed.values())
    if not sides.before or not sides.after or not any("->" in line for line in lines):
        return
    before = _returned(sides.before)
    for name, (types, line) in _returned(sides.after).items():
        was = before.get(name, (types, 0))[0]
        if was < types:
            more = ", ".join(sorted(types - was))
            yield Fact("return_widened", f"{name} may return {quoted(more)} now", line)


RETURNED = Reader("returned", lambda path: path.endswith(suffixes("python")), _facts)


def _returned(source: str) -> _Found:
    """Return public function -> (the types of its annotation, line)."""
    module = parsed(source)
    if module is None:
        raise Unreadable("not valid Python")
    return dict(_functions(module.body, ""))


def _functions(body: list[ast.stmt], above: str) -> Iterator[tuple[str, tuple[frozenset[str], int]]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _functions(node.body, f"{above}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            is_overload = any("overload" in ast.unparse(one) for one in node.decorator_list)
            if node.returns is not None and not node.name.startswith("_") and not is_overload:
                yield f"{above}{node.name}", (frozenset(_members(node.returns)), node.lineno)


def _members(node: ast.expr) -> Iterator[str]:
    """Yield the parts of a union, in any notation."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
        try:
            node = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            yield text
            return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _members(node.left)
        yield from _members(node.right)
        return
    holder = ast.unparse(node.value).rpartition(".")[2] if isinstance(node, ast.Subscript) else ""
    if isinstance(node, ast.Subscript) and holder in ("Optional", "Union"):
        for one in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            yield from _members(one)
        if holder == "Optional":
            yield "None"
        return
    yield ast.unparse(node).rpartition(".")[2] if isinstance(node, ast.Attribute) else ast.unparse(node)
