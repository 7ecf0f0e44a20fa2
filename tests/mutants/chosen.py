"""Choose the tests a mutant is run against."""

from __future__ import annotations

import ast
from collections import Counter

from tests.mutants.drawn import Mutant, tree
from tests.mutants.measured import is_named, named_tests, seconds, tests_by_line

TIME_FOR_LINE = 15.0
"""Seconds of tests that run the mutated line; as measured under coverage."""
TIME_FOR_FILES = 80.0
"""Seconds of the named files a mutant meets that these tests let pass."""


def chosen(mutant: Mutant) -> list[str]:
    """Return the tests that run the line, the cheapest of each function before the others."""
    by_line = tests_by_line(mutant.module)
    names = named_tests()[mutant.module]
    return _cheapest(
        {test for line in _lines(mutant) for test in by_line.get(line, ()) if is_named(test, names)}, TIME_FOR_LINE
    )


def wider(mutant: Mutant) -> list[str]:
    """Return named files and tests to run whole: what a line makes may be cached, or made while tests are collected."""
    by_line = tests_by_line(mutant.module)
    nearest = {test for line in _lines(mutant) for test in by_line.get(line, ())}
    module = {test for tests in by_line.values() for test in tests}
    order = []
    names = named_tests()[mutant.module]
    for name in names:
        if "::" in name and name.partition("::")[0] in names:
            continue
        of_name = {test for test in seconds() if is_named(test, [name])}
        distance = 0 if of_name & nearest else 1 if of_name & module else 2
        order.append((distance, sum(seconds()[test] for test in of_name), name))
    picked: list[str] = []
    total = 0.0
    for _, cost, name in sorted(order):
        if not picked or total + cost <= TIME_FOR_FILES:
            picked.append(name)
            total += cost
    return picked


def _cheapest(tests: set[str], limit: float) -> list[str]:
    rank: Counter[str] = Counter()
    order = []
    for test in sorted(tests, key=lambda test: (seconds()[test], test)):
        function = test.partition("[")[0]
        order.append((rank[function], seconds()[test], test))
        rank[function] += 1
    picked: list[str] = []
    total = 0.0
    for _, cost, test in sorted(order):
        if picked and total + cost > limit:
            continue
        picked.append(test)
        total += cost
    return picked


def _lines(mutant: Mutant) -> set[int]:
    """Return the lines whose tests see the mutant: its statement; the body or users of what is only defined once."""
    statements = [node for node in ast.walk(tree(mutant.module)) if isinstance(node, ast.stmt)]
    around = [node for node in statements if _first(node) <= mutant.start[0] <= (node.end_lineno or 0)]
    if not around:
        return set()
    functions = [node for node in around if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    statement = min(around, key=lambda node: (node.end_lineno or 0) - _first(node))
    body = getattr(statement, "body", None)
    if statement in functions and body:  # a decorator or a default
        return set(range(body[0].lineno, (statement.end_lineno or 0) + 1))
    if functions:
        return set(range(statement.lineno, body[0].lineno if body else (statement.end_lineno or 0) + 1))
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    users = (node for node in ast.walk(tree(mutant.module)) if isinstance(node, ast.Name) and node.id in names)
    return {node.lineno for node in users if isinstance(node.ctx, ast.Load)}


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])
