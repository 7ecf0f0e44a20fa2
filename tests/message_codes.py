"""Codes of messages in the source of Assay."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay.llm import WhyUnavailable
from tests.conftest import ROOT

PROBLEMS = ("ConfigurationProblem", "Problem", "Unusable", "_complain", "complain")
"""Calls whose last argument is a code."""
COMPUTED = {
    *(f"model.{why.replace('_', '-')}" for why in WhyUnavailable),
    *(f"validation.{why}" for why in ("stopped", "deadline", "memory", "crashed")),
    *("file.not-read", "file.not-written"),
}
"""Codes that are made of a value."""


def codes() -> set[str]:
    """Return every code of a message."""
    found = set(COMPUTED)
    for path in (ROOT / "assay").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            found.update(value for value in _values(node) if "." in value)
    return found


def _values(node: ast.AST) -> Iterator[str]:
    constants: list[ast.expr] = []
    if isinstance(node, ast.Call):
        constants += [one for word in node.keywords if word.arg == "code" for one in _alternatives(word.value)]
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        constants += node.args[-1:] if name in PROBLEMS else []
    elif isinstance(node, ast.ClassDef):
        constants += [
            line.value for line in node.body if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "code"
        ]
    yield from (one.value for one in constants if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _alternatives(value: ast.expr) -> list[ast.expr]:
    return [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
