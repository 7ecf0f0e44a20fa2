"""Edits that change no code: comments, and in Python docstrings and formatting."""

from __future__ import annotations

import ast
import re

from assay.validators.changes.change import ChangedFile, ChangeSet, FileStatus, text_at
from assay.validators.changes.language_table import is_in, languages
from assay.validators.languages.source_text import has_dialect, split_source

_ACTS = re.compile(
    r"(?i)[@=!+\[<{};$]|\w:(?!//)\S|no(?:qa|sec|lint|inspection)|lint|ignore|disable|enable|skip|pragma|format|fmt|coding"
    r"|type:|mypy|pyright|ruff|isort|yapf|cover|export|literal|webpack|cgo|include|define|script"
)
"""What a comment has that a tool may read: a mark, `key:value`, or one of these words. Too many rather than too few."""


def is_inert(change: ChangeSet, file: ChangedFile) -> bool:
    """Return whether an edit changes neither code nor a comment that a tool may read; False where that is unknown."""
    base, head = text_at(change.base, file.base_path), text_at(change.head, file.path)
    if file.status is not FileStatus.modified or not (base and head and has_dialect(file.path)):
        return False
    try:
        return _meaning(base, file.path) == _meaning(head, file.path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _meaning(text: str, path: str) -> tuple[object, object]:
    """Return the lines without comments, or Python's syntax tree without docstrings; and the comments that may act."""
    source = split_source(text, path)
    acting = [one for one in source.comments if _ACTS.search(one.text.lstrip("#/*- "))]
    placed = [(source.code_lines[one.line - 1].strip() or one.line, one.text) for one in acting]
    if not is_in(path, languages("python")):
        return [line for at, line in enumerate(source.bare_lines, 1) if at not in source.comment_lines], placed
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = node.body[ast.get_docstring(node, clean=False) is not None :]
    return ast.dump(tree), placed
