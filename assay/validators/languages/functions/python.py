"""Functions of a Python file as its query file has them, with radon's cyclomatic complexity."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace

from radon.complexity import cc_visit_ast
from radon.visitors import Class as RadonClass

from assay.validators.languages.functions.function import Function
from assay.validators.languages.functions.queried import functions_of as queried


def functions_of(text: str) -> list[Function]:
    """Return every function and method; raise SyntaxError for invalid source.

    Asserts are not branches: many of them do not make a test complex.
    """
    with warnings.catch_warnings(action="ignore"):
        tree = ast.parse(text)
    cyclomatic: dict[int, int] = {}
    blocks = list(cc_visit_ast(tree, no_assert=True))
    while blocks:
        block = blocks.pop()
        if isinstance(block, RadonClass):
            blocks += [*block.methods, *block.inner_classes]
        else:
            cyclomatic[block.lineno] = block.complexity
            blocks += block.closures
    return [replace(each, cyclomatic=cyclomatic.get(each.start, 1)) for each in queried(text, "python")]
