"""Top-level definitions of a Python file, and its lines that cannot affect other files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from assay.validators.languages.language import Definition
from assay.validators.languages.python.names import assigned_names, inner_statements
from assay.validators.languages.python.strings import comment_lines
from assay.validators.languages.python.trees import parsed

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_HEAD = re.compile(r"(?:async\s+def|def|class)\s+(\w+)|(\w+)\s*(?::[^=]*)?=(?!=)")


def definitions(path: str, source: str) -> list[Definition]:
    """Return functions, classes, `Class.method` and assigned names in line order, also inside `if` and `try`.

    In an `__init__` file imported names count too: re-exporting them is its purpose.
    """
    tree = parsed(source)
    if tree is None:
        return list(_by_indentation(source))
    is_init = path.rpartition("/")[2].startswith("__init__.")
    found = [definition for node in _statements(tree.body) for definition in _defined(node, is_init)]
    return sorted(found, key=lambda definition: (definition.line, definition.end_line, definition.name))


def syntax_of(source: str) -> dict[str, str]:
    """Return functions, classes and `Class.method` with their syntax, which a formatter does not change."""
    tree = parsed(source)
    found: dict[str, str] = {}
    try:
        for node in _statements(tree.body) if tree is not None else ():
            inner = [(f"{node.name}.", each) for each in node.body] if isinstance(node, ast.ClassDef) else []
            for holder, one in (("", node), *inner):
                if isinstance(one, _SCOPES):
                    # A name may be defined several times, as in overloads.
                    found[f"{holder}{one.name}"] = found.get(f"{holder}{one.name}", "") + ast.dump(one)
    except RecursionError:
        return {}
    return found


def quiet_lines(path: str, source: str) -> set[int]:
    """Return blank lines, comments, docstrings, top-level imports, and code that runs only as a script."""
    lines = source.split("\n")
    quiet = {number for number, line in enumerate(lines, 1) if not line.strip()}
    tree = parsed(source)
    if tree is None:
        starts = ("#", "import ", "from ")
        return quiet | {number for number, line in enumerate(lines, 1) if line.lstrip().startswith(starts)}
    quiet |= comment_lines(source)
    is_init = path.rpartition("/")[2].startswith("__init__.")
    for node in _statements(tree.body):
        is_import = isinstance(node, (ast.Import, ast.ImportFrom)) and not is_init
        if is_import or _is_script_part(node) or _only_imports(node):
            quiet.update(_span(node))
    for docstring in _docstrings(tree):
        quiet.update(_span(docstring))
    return quiet


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of the module's scope, those inside `if`, `try` and the like after it."""
    left = list(reversed(body))
    while left:
        node = left.pop()
        yield node
        if not _is_script_part(node):
            left += reversed(inner_statements(node))


def _defined(node: ast.stmt, is_init: bool) -> Iterator[Definition]:
    if isinstance(node, _SCOPES):
        kind = "class" if isinstance(node, ast.ClassDef) else "function"
        yield _definition(node.name, node, kind)
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield _definition(f"{node.name}.{inner.name}", inner, "method")
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names if is_init else ():
            name = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0])
            if name != "*":
                yield _definition(name, node, "import")
    elif not inner_statements(node):
        for name in assigned_names(node):
            yield _definition(name, node, "constant")


def _definition(name: str, node: ast.stmt, kind: str) -> Definition:
    lines = _span(node)
    own = name.rpartition(".")[2]
    is_private = own.startswith("_") and not (own.startswith("__") and own.endswith("__"))
    return Definition(name, lines.start, lines.stop - 1, kind, not is_private)


def _span(node: ast.stmt) -> range:
    """Return the lines of a statement with its decorators."""
    decorators = getattr(node, "decorator_list", [])
    return range(
        min([node.lineno, *(decorator.lineno for decorator in decorators)]), (node.end_lineno or node.lineno) + 1
    )


def _is_script_part(node: ast.stmt) -> bool:
    """Return whether it is `if __name__ == "__main__":`, which importing does not run."""
    test = node.test if isinstance(node, ast.If) and not node.orelse else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _only_imports(node: ast.stmt) -> bool:
    """Return whether it is `if TYPE_CHECKING:` or `try:` around imports only."""
    inner = inner_statements(node)
    return bool(inner) and all(isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)) for statement in inner)


def _docstrings(tree: ast.Module) -> Iterator[ast.stmt]:
    left: list[ast.stmt] = list(_statements(tree.body))
    bodies: list[list[ast.stmt]] = [tree.body]
    while left:
        node = left.pop()
        if isinstance(node, _SCOPES):
            bodies.append(node.body)
            left += node.body
    for body in bodies:
        first = body[0] if body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            yield first


def _by_indentation(source: str) -> Iterator[Definition]:
    """Yield the apparent definitions of a broken file: from each unindented definition to the next unindented line."""
    name, kind, begin, last = "", "", 0, 0
    for number, line in enumerate(source.split("\n"), 1):
        if not line.strip() or line[0] in " \t)]}#":
            last = number if line.strip() else last
            continue
        if name:
            yield Definition(name, begin, last, kind, not name.startswith("_"))
        head = _HEAD.match(line)
        name = (head[1] or head[2]) if head else ""
        kind = "constant" if head and head[2] else "class" if line.startswith("class") else "function"
        begin = last = number
    if name:
        yield Definition(name, begin, last, kind, not name.startswith("_"))
