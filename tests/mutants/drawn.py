"""Draw mutants of the modules named in docs/requirements.md, and leave out those no test can tell from the original."""

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

from tests.mutants.measured import ROOT, named_tests

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


def drawn(seed: int) -> Iterator[Mutant]:
    """Yield mutants in the order the seed gives them."""
    positions: list[list[Mutant]] = []
    for module in named_tests():
        positions += _positions(module)
    print(f"{len(positions)} positions in {len(named_tests())} modules")
    draw = random.Random(seed)
    draw.shuffle(positions)
    for position in positions:
        yield draw.choice(position)


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
    code = mutate_code(source, get_operator(f"core/{mutant.operator}")(), mutant.occurrence)
    try:
        same = code is None or ast.dump(ast.parse(code)) == ast.dump(ast.parse(source))
    except SyntaxError:
        return None
    return None if same else code


@cache
def tree(module: str) -> ast.Module:
    """Parse a module."""
    return ast.parse((ROOT / module).read_text("utf-8"))


def _within(mutant: Mutant, node: ast.expr | ast.stmt) -> bool:
    end = node.end_lineno or 0, node.end_col_offset or 0
    return (node.lineno, node.col_offset) <= mutant.start and mutant.end <= end


@cache
def _without_effect(module: str) -> list[ast.expr | ast.stmt]:
    found: list[ast.expr | ast.stmt | None] = []
    for node in ast.walk(tree(module)):
        if isinstance(node, (ast.AnnAssign, ast.arg)):
            found.append(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node.returns)
        elif isinstance(node, (ast.If, ast.Expr)) and WITHOUT_EFFECT.match(ast.unparse(node)):
            found.append(node)
    return [node for node in found if node is not None]
