"""Draw mutants of all modules, and leave out those no test can tell from the original."""

from __future__ import annotations

import ast
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.conftest import ROOT

WITHOUT_EFFECT = re.compile(r"if TYPE_CHECKING:|_?log(?:ger)?\.(?:debug|info|warning|error|exception)\(", re.IGNORECASE)
SAME = re.compile(r"ReplaceComparisonOperator_(Eq_Is|NotEq_IsNot|Is_Eq|IsNot_NotEq)$")


@dataclass(frozen=True)
class Mutant:
    """One change of one module by an operator of cosmic-ray."""

    module: str
    operator: str
    occurrence: int
    start: tuple[int, int]
    end: tuple[int, int]


def drawn(seed: int) -> Iterator[tuple[Mutant, str]]:
    """Yield mutants and the changed text of their module, in the order the seed gives them."""
    modules = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("assay/**/*.py"))
    sizes = [(ROOT / module).stat().st_size for module in modules]
    draw = random.Random(seed)
    taken: set[tuple[str, tuple[int, int], tuple[int, int]]] = set()
    while True:
        (module,) = draw.choices(modules, sizes)
        positions = _positions(module)
        if not positions:
            continue
        mutant = draw.choice(draw.choice(positions))
        place = module, mutant.start, mutant.end
        code = mutated(mutant) if place not in taken else None
        taken.add(place)
        if code is not None:
            yield mutant, code


@cache
def _positions(module: str) -> list[list[Mutant]]:
    nodes = list(ast_nodes(get_ast((ROOT / module).read_text("utf-8"))))
    found: defaultdict[tuple[tuple[int, int], tuple[int, int]], list[Mutant]] = defaultdict(list)
    for name in sorted(operator_names()):
        kind = get_operator(name)
        if kind.arguments():
            continue  # needs names of variables to put in
        operator = kind()
        spans = [span for node in nodes for span in operator.mutation_positions(node)]
        for occurrence, (start, end) in enumerate(spans):
            found[start, end].append(Mutant(module, name.partition("/")[2], occurrence, start, end))
    return [found[span] for span in sorted(found)]


def mutated(mutant: Mutant) -> str | None:
    """Return the changed text of the module, None if it is left out."""
    source = (ROOT / mutant.module).read_text("utf-8")
    if SAME.search(mutant.operator) or any(_within(mutant, node) for node in _without_effect(mutant.module)):
        return None
    try:
        code = mutate_code(source, get_operator(f"core/{mutant.operator}")(), mutant.occurrence)
        same = code is None or ast.dump(ast.parse(code)) == ast.dump(ast.parse(source))
    except (SyntaxError, AttributeError):  # cosmic-ray cannot exchange an exception with a dotted name
        return None
    return None if same else code


def lines_of(mutant: Mutant) -> set[int]:
    """Return the lines whose tests see the mutant: its statement; the body or users of what is only defined once."""
    tree = ast.parse((ROOT / mutant.module).read_text("utf-8"))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
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
    users = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names)
    return {node.lineno for node in users if isinstance(node.ctx, ast.Load)} or {statement.lineno}


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _within(mutant: Mutant, node: ast.expr | ast.stmt) -> bool:
    end = node.end_lineno or 0, node.end_col_offset or 0
    return (node.lineno, node.col_offset) <= mutant.start and mutant.end <= end


@cache
def _without_effect(module: str) -> list[ast.expr | ast.stmt]:
    found: list[ast.expr | ast.stmt | None] = []
    for node in ast.walk(ast.parse((ROOT / module).read_text("utf-8"))):
        if isinstance(node, (ast.AnnAssign, ast.arg)):
            found.append(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node.returns)
        elif isinstance(node, (ast.If, ast.Expr)) and WITHOUT_EFFECT.match(ast.unparse(node)):
            found.append(node)
    return [node for node in found if node is not None]
