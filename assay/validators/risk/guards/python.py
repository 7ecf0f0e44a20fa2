"""Access checks of a Python module, by function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.validators.languages.python.names import inner_statements, last_name
from assay.validators.languages.python.trees import parsed, walk
from assay.validators.risk.guards.words import (
    REFUSAL,
    REFUSED_ANSWER,
    is_asked,
    is_guard_call,
    is_guard_decorator,
)

_GUARD_BASES = ("LoginRequiredMixin", "PermissionRequiredMixin", "UserPassesTestMixin", "AccessMixin")
_ENDS = ("abort", "redirect", "forbidden", "deny")


@dataclass(frozen=True, slots=True)
class Guard:
    """One check. `passes` is the value of the condition that grants access.

    `what` are the statements behind the condition; `refuses` is set if they refuse access.
    """

    name: str
    line: int
    passes: bool | None = None
    what: str = ""
    refuses: bool = False


@dataclass
class Scope:
    """Function, class or module: its guards, the names it calls, and its plain statements."""

    line: int
    is_wide: bool = False
    """A class or module: its guards apply to all its functions."""
    guards: list[Guard] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    statements: set[str] = field(default_factory=set)


def scopes_of(source: str) -> dict[str, Scope] | None:
    """Return dotted name -> scope, "" for the module itself; None for invalid Python."""
    if len(source) > 1_000_000:
        return None
    module = parsed(source)
    if module is None:
        return None
    found = {"": Scope(1, is_wide=True)}
    try:
        _fill(module.body, "", found)
    except (ValueError, RecursionError, MemoryError):
        return None
    return found


def _fill(body: list[ast.stmt], name: str, found: dict[str, Scope]) -> None:
    scope = found[name]
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = f"{name}.{statement.name}" if name else statement.name
            found[inner] = Scope(statement.lineno, isinstance(statement, ast.ClassDef))
            found[inner].guards += _of_header(statement)
            _fill(statement.body, inner, found)
        else:
            _of_statement(statement, scope)
            _fill(inner_statements(statement), name, found)


def _of_header(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[Guard]:
    for decorator in node.decorator_list:
        name = _last(decorator)
        if name == "method_decorator" and isinstance(decorator, ast.Call) and decorator.args:
            name = _last(decorator.args[0])
        if is_guard_decorator(name):
            yield Guard(f"@{name}", decorator.lineno)
    if isinstance(node, ast.ClassDef):
        yield from (Guard(_last(base), base.lineno) for base in node.bases if _last(base) in _GUARD_BASES)
    for part in (*node.decorator_list, getattr(node, "args", None)):
        yield from _depended_on(part)


def _depended_on(node: ast.AST | None) -> Iterator[Guard]:
    """Yield FastAPI dependencies: `Depends(require_admin)`, `Security(get_current_user)`."""
    for call in walk(node) if node is not None else ():
        if isinstance(call, ast.Call) and _last(call) in ("Depends", "Security") and call.args:
            name = _last(call.args[0])
            if is_guard_call(name, is_statement=True) or "current" in name:
                yield Guard(name, call.lineno)


def _of_statement(node: ast.stmt, scope: Scope) -> None:
    whole = node.value if isinstance(node, ast.Expr) else None
    alone = (whole, whole.value if isinstance(whole, ast.Await) else None)
    for expression in ast.iter_child_nodes(node):
        if isinstance(expression, ast.expr):
            for call in walk(expression):
                if isinstance(call, ast.Call):
                    name = _last(call)
                    scope.calls.add(name)
                    if is_guard_call(name, is_statement=call in alone):
                        scope.guards.append(Guard(name, node.lineno))
            scope.guards += _depended_on(expression)
    scope.guards += _in_statement(node)
    if not isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
        scope.statements.add(ast.dump(node))


def _in_statement(node: ast.stmt) -> Iterator[Guard]:
    """Yield the conditions of a statement, and the classes it lists as `permission_classes`."""
    if isinstance(node, ast.If):
        yield from _asked(node.test, node.lineno, node.body, node.orelse)
    elif isinstance(node, ast.Assert):
        yield from _asked(node.test, node.lineno, [], [])
    elif isinstance(node, ast.Assign) and any(_last(target) == "permission_classes" for target in node.targets):
        yield from (Guard(one.id, node.lineno) for one in walk(node.value) if isinstance(one, ast.Name))
    elif isinstance(node, ast.Return) and node.value is not None:
        for one in _asked(node.value, node.lineno, [], []):
            yield Guard(one.name, one.line, one.passes, "return")


def _asked(test: ast.expr, line: int, body: list[ast.stmt], orelse: list[ast.stmt]) -> Iterator[Guard]:
    """Yield the checks of a condition. `what` identifies its branch, so that swapped branches are not an inversion."""
    refuses = _is_refused(body)
    lets_in = not refuses if body else True
    what = "; ".join(ast.dump(one) for one in body[:3])[:2000]
    is_telling = _turns_away(body) or _turns_away(orelse)
    for name, asked in _atoms(test, True):
        if is_asked(name, is_told=is_telling):
            yield Guard(name, line, asked is lets_in, what, refuses)


def _atoms(node: ast.expr, asked: bool) -> Iterator[tuple[str, bool]]:
    """Yield (last name of the condition's term, whether it is required or excluded)."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _atoms(node.operand, not asked)
    elif isinstance(node, ast.BoolOp):
        ends = isinstance(node.op, ast.Or)
        if not any(isinstance(one, ast.Constant) and bool(one.value) is ends for one in node.values):
            for value in node.values:
                yield from _atoms(value, asked)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        is_opposite = isinstance(node.ops[0], (ast.NotEq, ast.NotIn, ast.IsNot))
        right = node.comparators[0]
        if isinstance(right, ast.Constant) and isinstance(right.value, bool):
            is_opposite = is_opposite is bool(right.value)
        yield from ((name, value) for name, value in _atoms(node.left, asked is not is_opposite))
    elif isinstance(node, (ast.Attribute, ast.Name, ast.Call)):
        yield _last(node), asked


def _is_refused(body: list[ast.stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return _last(last.value) in _ENDS
    return isinstance(last, (ast.Raise, ast.Return, ast.Continue))


def _turns_away(body: list[ast.stmt]) -> bool:
    """Return whether a branch ends by `raise PermissionDenied`, `abort(403)` or the like."""
    last = body[-1] if body else None
    if isinstance(last, ast.Raise):
        return REFUSAL.search(ast.dump(last)) is not None
    return isinstance(last, (ast.Return, ast.Expr)) and REFUSED_ANSWER.search(ast.dump(last)) is not None


def _last(node: ast.AST) -> str:
    while isinstance(node, (ast.Call, ast.Await)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return last_name(node)
