"""Python that puts values into SQL by text, or a request's own words into the markup that answers it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from assay.validators.risk.danger import Danger

IN_SQL = "a value is put into SQL by text"
REFLECTED = "a request's words come back as markup"
_SQL = re.compile(
    r"\s*(select\b.*\bfrom|insert\s+into|update\b.*\bset|delete\s+from|with\b.*\bselect)\b", re.IGNORECASE | re.DOTALL
)
_VALUE = re.compile(r"(=|<|>|\blike|\bin|\bvalues|\bbetween)\s*\(?\s*['\"%]*$", re.IGNORECASE)
_SAFE_NAMES = re.compile(
    r"[A-Z_\d]+|(?i:.*(?:placeholder|param|mark|bind|quote|escape|sql|clause|column|table|field|query).*)"
)
_RUN = frozenset("execute executemany executescript raw text read_sql read_sql_query fetch fetchrow fetchval".split())
_ASKED = frozenset("args form values GET POST query_params cookies".split())
_ANSWERS = frozenset("make_response Response HttpResponse HTMLResponse Markup mark_safe render_template_string".split())


def injections(source: str) -> list[Danger]:
    """Find each such place; nothing in what is no Python."""
    try:
        module = ast.parse(source)
        return [*_in_sql(module), *_reflected(module)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _in_sql(module: ast.Module) -> Iterator[Danger]:
    if not any(isinstance(node, ast.Call) and _last(node.func) in _RUN for node in ast.walk(module)):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr):
            begun = ""
            for part in node.values:
                if isinstance(part, ast.Constant):
                    begun += str(part.value)
                elif isinstance(part, ast.FormattedValue):
                    if _SQL.match(begun) and _VALUE.search(begun) and not _is_safe(part.value):
                        yield Danger(node.lineno, IN_SQL, f"{IN_SQL}: {ast.unparse(node)[:400]}")
                        break
                    begun += "?"


def _is_safe(node: ast.expr) -> bool:
    """Whether a value is fixed, a number, or by its name a piece of SQL or already quoted."""
    if isinstance(node, ast.Constant):
        return True
    name = _last(node.func if isinstance(node, ast.Call) else node)
    return not name or name in ("int", "len", "join", "float") or _SAFE_NAMES.fullmatch(name) is not None


def _reflected(module: ast.Module) -> Iterator[Danger]:
    for function in ast.walk(module):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        asked = {
            target.id
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and _is_asked(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(function):
            answer = node.value if isinstance(node, ast.Return) else None
            if isinstance(node, ast.Call) and _last(node.func) in _ANSWERS and node.args:
                answer = node.args[0]
            if isinstance(answer, ast.JoinedStr) and "<" in ast.unparse(answer):
                values = [part.value for part in answer.values if isinstance(part, ast.FormattedValue)]
                if any(_is_asked(one) or (isinstance(one, ast.Name) and one.id in asked) for one in values):
                    yield Danger(answer.lineno, REFLECTED, f"{REFLECTED}: {ast.unparse(answer)[:400]}")


def _is_asked(node: ast.expr) -> bool:
    """Whether an expression is a request's own word: `request.args["q"]`, `request.GET.get("q")`."""
    if isinstance(node, ast.Call) and _last(node.func) == "get":
        node = node.func.value if isinstance(node.func, ast.Attribute) else node
    elif isinstance(node, ast.Subscript):
        node = node.value
    else:
        return False
    return isinstance(node, ast.Attribute) and node.attr in _ASKED and _last(node.value) == "request"


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
