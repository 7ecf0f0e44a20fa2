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
_VALUE = re.compile(r"(=|<|>|\blike|\bin|\bvalues|\bbetween)\s*\(?\s*['\"%]*$", re.IGNORECASE)
_SAFE_NAMES = re.compile(
    r"[A-Z_\d]+|(?i:.*(?:placeholder|param|mark|bind|quote|escape|sql|clause|column|table|field|query).*)"
)
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
            if not isinstance(part, str) and _SQL.match(begun) and _VALUE.search(begun) and not _is_safe(part):
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


def _is_safe(node: ast.expr) -> bool:
    """Return whether a value is fixed, a number, or by its name SQL or quoted already."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Call) and last_name(node.func) == "str" and node.args:
        return _is_safe(node.args[0])
    name = last_name(node.func if isinstance(node, ast.Call) else node)
    return not name or name in ("int", "len", "join", "float") or _SAFE_NAMES.fullmatch(name) is not None


def _reflected(module: ast.Module) -> Iterator[Danger]:
    for function in nodes(module):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        below = walk(function)
        asked = {
            target.id
            for node in below
            if isinstance(node, ast.Assign) and _is_asked(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in below:
            answer = node.value if isinstance(node, ast.Return) else None
            if isinstance(node, ast.Call) and last_name(node.func) in _ANSWERS and node.args:
                answer = node.args[0]
            parts = _parts(answer) if answer is not None else []
            if answer is not None and any("<" in part for part in parts if isinstance(part, str)):
                values = [part for part in parts if not isinstance(part, str)]
                if any(_is_asked(one) or (isinstance(one, ast.Name) and one.id in asked) for one in values):
                    yield Danger(answer.lineno, REFLECTED, f"{REFLECTED}: {ast.unparse(answer)[:400]}")


def _is_asked(node: ast.expr) -> bool:
    """Return whether an expression reads a request: `request.args["q"]`, `request.GET.get("q")`."""
    if isinstance(node, ast.Call) and last_name(node.func) == "get":
        node = node.func.value if isinstance(node.func, ast.Attribute) else node
    elif isinstance(node, ast.Subscript):
        node = node.value
    else:
        return False
    return isinstance(node, ast.Attribute) and node.attr in _ASKED and last_name(node.value) == "request"
