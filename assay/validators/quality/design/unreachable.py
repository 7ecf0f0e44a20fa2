"""Python statements that a change adds after the end of their block, or cuts off by an end that it adds."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, text_at
from assay.validators.changes.classify import Nature
from assay.validators.languages.python.module_files import is_module
from assay.validators.languages.python.trees import parsed
from assay.validators.quality.design.finding import design_finding
from assay.validators.report.model import Finding

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def unreachable_statements(change: ChangeSet) -> Iterator[Finding]:
    """Yield the first of the statements of a block that never run since the change.

    The same statements that did not run in the base either are only moved or rewritten.
    """
    for file in change.existing(Nature.source):
        if not is_module(file.path) or file.claimed is not None or not file.added:
            continue
        text = text_at(change.head, file.path)
        module = parsed(text)
        if module is not None:
            with contextlib.suppress(RecursionError):  # statements too deep to print
                yield from _of_module(change, file, module, text.split("\n"))


def _of_module(change: ChangeSet, file: ChangedFile, module: ast.Module, lines: list[str]) -> Iterator[Finding]:
    cuts = [(end, rest) for end, rest in _cut_off(module) if _is_new(file, end, rest[0])]
    before = parsed(text_at(change.base, file.base_path or file.path)) if cuts else None
    old = {ast.unparse(rest[0]) for _, rest in _cut_off(before)} if before is not None else set()
    for end, rest in cuts:
        first, last = rest[0], rest[-1].end_lineno or rest[-1].lineno
        if ast.unparse(first) in old:
            continue
        part = f"line {first.lineno} never runs" if last == first.lineno else f"lines {first.lineno}-{last} never run"
        message = f"{part}: the `{type(end).__name__.lower()}` in line {end.lineno} ends the block"
        line = first.lineno if first.lineno in file.added else end.lineno
        yield design_finding("unreachable", file.path, line, message, lines[first.lineno - 1].strip())


def _cut_off(module: ast.Module) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """Yield the ends of blocks and the statements after them, except a `yield`, which makes a generator, or a note."""
    for node in ast.walk(module):
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if not isinstance(block, list):
                continue
            index = next((index for index, one in enumerate(block) if isinstance(one, _ENDS)), len(block))
            rest = block[index + 1 :]
            if rest and not _makes_generator(rest) and not _is_note(rest[0]):
                yield block[index], rest


def _is_new(file: ChangedFile, end: ast.stmt, first: ast.stmt) -> bool:
    return first.lineno in file.added or file.touches(end.lineno, end.end_lineno or end.lineno)


def _makes_generator(rest: list[ast.stmt]) -> bool:
    """Return whether unreachable statements have a `yield`, which makes the function a generator."""
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for part in rest for one in ast.walk(part))


def _is_note(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
