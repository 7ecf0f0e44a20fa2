"""Functions of a file in a language of the engine, by the third part of its query files.

| capture | meaning |
|---|---|
| `@measured` (`.name`, `.owner`, `.callback`) | a function with a body; its name, its type, or what it is passed to |
| `@named` with `.name` | a type, whose name its functions carry |
| `@path` | another way through the function |
| `@level` | a level of nesting |
| `@break` | a break in the flow, which costs more the deeper it is |
| `@also` | one that costs the same everywhere: an `else` |
| `@chain` | a condition that continues another one: no further level |
| `@logical` | `&&` and the like: a path, and a break where the operator changes |

Cyclomatic complexity follows ESLint's `complexity` and gocyclo, without `?.` and `??`, which give a default; nesting
ESLint's `max-depth`, cognitive complexity Sonar's white paper, with a loop in a comprehension as a loop. Nested
functions are counted separately.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.validators.languages.engine.pieces import DEEPEST, Match
from assay.validators.languages.engine.row import Row
from assay.validators.languages.engine.rows import ROWS
from assay.validators.languages.functions.function import ANONYMOUS, Function

if TYPE_CHECKING:
    import tree_sitter

LONGEST_NAME = 60


@dataclass(frozen=True)
class _Around:
    """Captured node around the present one: its end, the names around its code, and the index of its function."""

    end: int
    names: tuple[str, ...] = ()
    function: int = -1
    num_levels: int = 0
    num_breaks: int = 0


def functions_of(text: str, language: str) -> list[Function]:
    """Return every function with a body, callbacks included.

    Invalid code is skipped as tree-sitter skips it.
    """
    row = ROWS[language]
    tree = row.parse(text.encode("utf-8", "replace"))
    if tree is None:
        return []
    root = tree.root_node
    nodes, marks, names = _captured(row, root)
    found: list[Function] = []
    around = [_Around(root.end_byte + 1)]
    for key, node in sorted(nodes.items(), key=lambda one: (one[1].start_byte, -one[1].end_byte)):
        while around[-1].end <= node.start_byte:
            around.pop()
        outer = around[-1]
        if "measured" in marks[key]:
            within = (*outer.names, names[key].replace(row.separator, ".") or ANONYMOUS)
            around.append(_Around(node.end_byte, within, len(found)))
            found.append(Function(".".join(within), node.start_point.row + 1, node.end_point.row + 1, 1, 0, 0))
        elif "named" in marks[key]:
            around.append(replace(outer, end=node.end_byte, names=(*outer.names, names[key] or "(class)")))
        elif outer.function >= 0:
            function, inside = _counted(found[outer.function], node, marks[key], outer)
            found[outer.function] = function
            around.append(inside)
    return found


def _captured(
    row: Row, root: tree_sitter.Node
) -> tuple[dict[int, tree_sitter.Node], dict[int, set[str]], dict[int, str]]:
    """Return the captured nodes, and the captures and name of each."""
    import tree_sitter

    cursor = tree_sitter.QueryCursor(row.measuring)
    cursor.set_max_start_depth(DEEPEST)
    nodes: dict[int, tree_sitter.Node] = {}
    marks: dict[int, set[str]] = {}
    names: dict[int, str] = {}
    for _, match in cursor.matches(root):
        for capture, captured in match.items():
            for node in captured if "." not in capture else ():
                nodes[node.id] = node
                marks.setdefault(node.id, set()).add(capture)
                if capture in ("measured", "named"):
                    names[node.id] = names.get(node.id) or _name(capture, match)
    return nodes, marks, names


def _counted(function: Function, node: tree_sitter.Node, marks: set[str], outer: _Around) -> tuple[Function, _Around]:
    """Return a function with a node counted, and the node as what is around the next ones."""
    if "chain" in marks:
        marks = marks - {"level", "break"}
    changes = "logical" in marks and _operator(node) != _operator(node.parent)
    costs = changes + ("also" in marks) + ("break" in marks) * (1 + outer.num_breaks)
    levels, breaks = outer.num_levels + ("level" in marks), outer.num_breaks + ("break" in marks)
    counted = replace(
        function,
        cyclomatic=function.cyclomatic + bool(marks & {"path", "logical"}),
        cognitive=(function.cognitive or 0) + costs,
        nesting=max(function.nesting or 0, levels),
    )
    return counted, replace(outer, end=node.end_byte, num_levels=levels, num_breaks=breaks)


def _operator(node: tree_sitter.Node | None) -> str:
    if node is None or node.type not in ("binary_expression", "boolean_operator", "binary"):
        return ""
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _name(kind: str, match: Match) -> str:
    if callee := match.get(f"{kind}.callback"):
        return f"{_text(callee[0])} callback"
    parts = [*match.get(f"{kind}.owner", ()), *match.get(f"{kind}.name", ())]
    return ".".join(map(_text, parts)) or ("returned function" if f"{kind}.returned" in match else "")


def _text(node: tree_sitter.Node) -> str:
    """Return the node's text on one line, short enough for a name."""
    line = " ".join((node.text or b"")[:200].decode("utf-8", "replace").split())
    return line if len(line) <= LONGEST_NAME or line.isidentifier() else f"{line[: LONGEST_NAME - 3]}..."
