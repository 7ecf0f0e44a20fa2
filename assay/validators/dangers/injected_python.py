"""Python that formats values into SQL, or text of a request into HTML."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from assay.validators.dangers.danger import Danger
from assay.validators.languages.python.names import last_name
from assay.validators.languages.python.trees import nodes, parsed, walk

IN_SQL = "a value is formatted into SQL"
REFLECTED = "request text is returned as markup"
_SQL = re.compile(
    r"\s*(select\b.*\bfrom|insert\s+into|update\b.*\bset|delete\s+from|with\b.*\bselect)\b", re.IGNORECASE | re.DOTALL
)
_VALUE = re.compile(r"(?:=|<|>|\blike|\bin|\bvalues|\bbetween)\s*\(?\s*(['\"%]*)$", re.IGNORECASE)
"""Text before a value; its group is the quote or wildcard that opens it."""
_SELECT = re.compile(r"\s*\(?\s*(?:select|with)\b", re.IGNORECASE)
_SQL_NAMES = re.compile(r"(?i:.*(?:placeholder|mark|bind|sql|clause|column|table|subquery).*)")
"""Names of what is SQL itself, where no quote surrounds it."""
_SAFE = re.compile(r"[A-Z_\d]+|int|len|join|float|(?i:.*(?:quote|escape).*)")
"""Names of constants, and of functions whose result the sender cannot choose."""
MOST_DEPTH = 20
"""Maximum assignments and parts that are followed from a value."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)
_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ #0]*[\d.]*[sdr]")
_BRACES = re.compile(r"\{[^{}]*\}")
_RUN = frozenset("execute executemany executescript raw text read_sql read_sql_query fetch fetchrow fetchval".split())
_ASKED = frozenset("args form values GET POST query_params cookies".split())
_ANSWERS = frozenset("make_response Response HttpResponse HTMLResponse Markup mark_safe render_template_string".split())


def injections(source: str) -> list[Danger]:
    """Return each such place; empty for text that is not Python."""
    module = parsed(source)
    if module is None:
        return []
    try:
        has_request = not source.isascii() or "request" in source
        return [*_in_sql(module), *(_reflected(module) if has_request else ())]
    except (ValueError, RecursionError, MemoryError):
        return []


def _in_sql(module: ast.Module) -> Iterator[Danger]:
    if not any(isinstance(node, ast.Call) and last_name(node.func) in _RUN for node in nodes(module)):
        return
    for node, parts in _texts(module):
        begun = ""
        for part in parts:
            value = _VALUE.search(begun) if not isinstance(part, str) and _SQL.match(begun) else None
            if value and not isinstance(part, str) and not _is_safe(part, _scopes(module, node.lineno), value[1]):
                yield Danger(node.lineno, IN_SQL, f"{IN_SQL}: {ast.unparse(node)[:400]}")
                break
            begun += part if isinstance(part, str) else "?"


def _texts(root: ast.AST) -> Iterator[tuple[ast.expr, list[str | ast.expr]]]:
    """Yield each composed text with its fixed parts and the values between them."""
    inner: set[ast.expr] = set()
    for node in walk(root):
        if isinstance(node, ast.expr) and node not in inner:
            parts = _parts(node)
            if any(not isinstance(part, str) for part in parts) and any(isinstance(part, str) for part in parts):
                inner.update(one for one in walk(node) if isinstance(one, (ast.BinOp, ast.JoinedStr)))
                yield node, parts


def _parts(node: ast.expr) -> list[str | ast.expr]:
    """Return the parts of an f-string, of texts joined by `+`, or of a `%` or `format` text, in order."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else [node]
    if isinstance(node, ast.JoinedStr):
        return [part for value in node.values for part in _parts(value)]
    if isinstance(node, ast.FormattedValue):
        return [node.value]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_parts(node.left), *_parts(node.right)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return _filled(_PERCENT, node.left, values) or [node]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _filled(_BRACES, node.func.value, [*node.args, *(one.value for one in node.keywords)]) or [node]
    return [node]


def _filled(holes: re.Pattern[str], text: ast.expr, values: Sequence[ast.expr]) -> list[str | ast.expr]:
    """Return a text's fixed parts with values in its holes; empty if their numbers differ."""
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return []
    fixed = holes.split(text.value)
    if len(fixed) != len(values) + 1:
        return []
    return [part for pair in zip(fixed, values, strict=False) for part in pair] + [fixed[-1]]


def _is_safe(node: ast.expr, scopes: Sequence[ast.AST], quotes: str, depth: int = 0) -> bool:
    """Return whether a value in SQL is fixed, a number, or by its name SQL or quoted already."""
    name = last_name(node.func if isinstance(node, ast.Call) else node)
    given = _values(name, scopes) if isinstance(node, ast.Name) else []
    is_sql = not quotes and _SQL_NAMES.fullmatch(name) is not None and not any(map(_is_asked, given))
    if is_sql or _SAFE.fullmatch(name) or depth > MOST_DEPTH:
        return depth <= MOST_DEPTH
    match node:
        case ast.Name():
            parts: Sequence[ast.expr | None] = given or (None,)
        case ast.IfExp():
            parts = (node.body, node.orelse)
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            parts = (inner,)
        case ast.GeneratorExp() | ast.ListComp():
            parts = (node.elt,)
        case ast.BinOp(op=ast.Mult(), left=ast.Constant(value=str()) | ast.List() as repeated):
            parts = (repeated,)
        case ast.Subscript() | ast.Call() | ast.Attribute():
            return False
        case _:  # what a value is computed of by itself does not count
            parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)] if depth else ()
    return all(one is not None and (_is_query(one) or _is_safe(one, scopes, quotes, depth + 1)) for one in parts)


def _is_query(node: ast.expr) -> bool:
    """Return whether a text is a query by itself, whose values are judged where it is written."""
    first = next(iter(_parts(node)), None)
    return isinstance(first, str) and _SELECT.match(first) is not None


def _values(name: str, scopes: Sequence[ast.AST]) -> list[ast.expr | None]:
    """Return what a name is assigned in the innermost scope that binds it, None for parameters, loops and the like."""
    for scope in scopes:
        found: list[ast.expr | None] = []
        bindings = 0
        for node in walk(scope):
            if isinstance(node, _ASSIGNMENTS):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found += [node.value for one in targets if isinstance(one, ast.Name) and one.id == name]
            bindings += isinstance(node, ast.arg) and node.arg == name
            bindings += isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        if bindings:
            return found + [None] * (bindings - len(found))
    return []


def _scopes(module: ast.Module, line: int) -> list[ast.AST]:
    """Return the functions around a line, innermost first, and the module."""
    around = [
        one for one in nodes(module) if isinstance(one, _FUNCTIONS) and one.lineno <= line <= (one.end_lineno or 0)
    ]
    return [*sorted(around, key=lambda one: -one.lineno), module]


def _reflected(module: ast.Module) -> Iterator[Danger]:
    for node in nodes(module):
        answer = node.value if isinstance(node, ast.Return) else None
        if isinstance(node, ast.Call) and last_name(node.func) in _ANSWERS and node.args:
            answer = node.args[0]
        parts = _parts(answer) if answer is not None else []
        if answer is not None and any("<" in part for part in parts if isinstance(part, str)):
            scopes = _scopes(module, answer.lineno)
            values = [part for part in parts if not isinstance(part, str)]
            given = (value for one in values if isinstance(one, ast.Name) for value in _values(one.id, scopes))
            if any(map(_is_asked, (*values, *given))):
                yield Danger(answer.lineno, REFLECTED, f"{REFLECTED}: {ast.unparse(answer)[:400]}")


def _is_asked(node: ast.expr | None) -> bool:
    """Return whether an expression reads a request: `request.args["q"]`, `request.GET.get("q")`."""
    if isinstance(node, ast.Call) and last_name(node.func) == "get":
        node = node.func.value if isinstance(node.func, ast.Attribute) else node
    elif isinstance(node, ast.Subscript):
        node = node.value
    else:
        return False
    return isinstance(node, ast.Attribute) and node.attr in _ASKED and last_name(node.value) == "request"
