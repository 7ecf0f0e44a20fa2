"""Python statements that a change adds after the end of their block, or cuts off by an end that it adds."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, text_at
from assay.validators.changes.classify import Nature
from assay.validators.languages.python.module_files import is_module
from assay.validators.languages.python.trees import parsed
from assay.validators.quality.design.direction import Departure

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def unreachable_statements(change: ChangeSet) -> Iterator[Departure]:
    """Yield the first of the statements of a block that never run since the change.

    The same statements that did not run in the base either are only moved or rewritten.
    """
    for file in change.existing(Nature.source):
        if is_module(file.path) and file.claimed is None and file.added:
            with contextlib.suppress(RecursionError):  # statements too deep to print
                yield from _of_module(change, file)


def _of_module(change: ChangeSet, file: ChangedFile) -> Iterator[Departure]:
    lines = text_at(change.head, file.path).split("\n")
    old: set[str] | None = None
    for end, rest in _cut_off(parsed("\n".join(lines))):
        first, last = rest[0].lineno, rest[-1].end_lineno or rest[-1].lineno
        if first not in file.added and not file.touches(end.lineno, end.end_lineno or end.lineno):
            continue
        if old is None:
            before = parsed(text_at(change.base, file.base_path or file.path))
            old = {ast.unparse(cut[0]) for _, cut in _cut_off(before)}
        if ast.unparse(rest[0]) not in old:
            part = f"line {first} never runs" if last == first else f"lines {first}-{last} never run"
            message = f"{part}: the `{type(end).__name__.lower()}` in line {end.lineno} ends the block"
            line = first if first in file.added else end.lineno
            yield "unreachable", file.path, line, message, lines[first - 1].strip()


def _cut_off(module: ast.Module | None) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """Yield the ends of blocks and the statements after them, except a `yield`, which makes a generator, or a note."""
    for node in ast.walk(module) if module is not None else ():
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if not isinstance(block, list):
                continue
            index = next((index for index, one in enumerate(block) if isinstance(one, _ENDS)), len(block))
            rest = block[index + 1 :]
            parts = {type(part) for one in rest for part in ast.walk(one)}
            is_note = bool(rest) and isinstance(rest[0], ast.Expr) and isinstance(rest[0].value, ast.Constant)
            if rest and not is_note and not parts & {ast.Yield, ast.YieldFrom}:
                yield block[index], rest
