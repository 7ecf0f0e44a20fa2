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
ESLint's `max-depth`, cognitive complexity Sonar's white paper. Nested functions are counted separately.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.validators.languages.engine.captures import DEEPEST
from assay.validators.languages.engine.row import Row
from assay.validators.languages.engine.rows import GO, JAVA, SCRIPTS
from assay.validators.languages.functions.function import ANONYMOUS, Function

if TYPE_CHECKING:
    import tree_sitter

ROWS = {**SCRIPTS, "jsx": SCRIPTS["tsx"], "go": GO, "java": JAVA}
"""Language -> its row."""


@dataclass
class _Open:
    """Captured node around the present one; `function` is that of its code, `name` is set for it and for types."""

    end: int
    name: str = ""
    function: _Counted | None = None
    num_levels: int = 0
    num_breaks: int = 0


@dataclass
class _Counted:
    name: str
    node: tree_sitter.Node
    cyclomatic: int = 1
    cognitive: int = 0
    nesting: int = 0


@dataclass
class _Captured:
    node: tree_sitter.Node
    marks: set[str] = field(default_factory=set)
    name: str = ""


def functions_of(text: str, language: str) -> list[Function]:
    """Return every function with a body, callbacks included.

    Invalid code is skipped as tree-sitter skips it.
    """
    row = ROWS[language]
    root = row.parser.parse(text.encode("utf-8", "replace")).root_node
    found: list[_Counted] = []
    around: list[_Open] = []
    for one in sorted(_captured(row, root).values(), key=lambda one: (one.node.start_byte, -one.node.end_byte)):
        while around and around[-1].end <= one.node.start_byte:
            around.pop()
        if "measured" in one.marks:
            names = [each.name for each in around if each.name]
            found.append(_Counted(".".join([*names, one.name or ANONYMOUS]), one.node))
            around.append(_Open(one.node.end_byte, one.name or ANONYMOUS, found[-1]))
        elif "named" in one.marks:
            outer = around[-1] if around else _Open(0)
            around.append(replace(outer, end=one.node.end_byte, name=one.name or "(class)"))
        elif around and (function := around[-1].function) is not None:
            around.append(_counted(function, one, around[-1]))
    return [
        Function(
            each.name,
            each.node.start_point.row + 1,
            each.node.end_point.row + 1,
            each.cyclomatic,
            each.cognitive,
            each.nesting,
        )
        for each in found
    ]


def _captured(row: Row, root: tree_sitter.Node) -> dict[int, _Captured]:
    """Return what the query captures, a node once."""
    import tree_sitter

    found: dict[int, _Captured] = {}
    names: dict[int, str] = defaultdict(str)
    cursor = tree_sitter.QueryCursor(row.measuring)
    cursor.set_max_start_depth(DEEPEST)
    for _, match in cursor.matches(root):
        for capture, nodes in match.items():
            for node in nodes if "." not in capture else ():
                found.setdefault(node.id, _Captured(node)).marks.add(capture)
        for kind in ("measured", "named"):
            for node in match.get(kind, ()):
                names[node.id] = names[node.id] or _name(kind, match)
    for key, one in found.items():
        one.name = names[key]
    return found


def _name(kind: str, match: dict[str, list[tree_sitter.Node]]) -> str:
    if callee := match.get(f"{kind}.callback"):
        return f"{_text(callee[0])} callback"
    parts = [*match.get(f"{kind}.owner", ()), *match.get(f"{kind}.name", ())]
    return ".".join(map(_text, parts)) or ("returned function" if f"{kind}.returned" in match else "")


def _counted(function: _Counted, one: _Captured, outer: _Open) -> _Open:
    """Count a node in its function; return it as what is around the next ones."""
    marks = one.marks - {"level", "break"} if "chain" in one.marks else one.marks
    changes = "logical" in marks and _operator(one.node) != _operator(one.node.parent)
    function.cyclomatic += bool(marks & {"path", "logical"})
    function.cognitive += changes + ("also" in marks) + ("break" in marks) * (1 + outer.num_breaks)
    levels, breaks = outer.num_levels + ("level" in marks), outer.num_breaks + ("break" in marks)
    function.nesting = max(function.nesting, levels)
    return _Open(one.node.end_byte, "", function, levels, breaks)


def _operator(node: tree_sitter.Node | None) -> str:
    operator = node.child_by_field_name("operator") if node is not None and node.type == "binary_expression" else None
    return "" if operator is None else operator.type


def _text(node: tree_sitter.Node) -> str:
    """Return the node's text on one line, short enough for a name."""
    line = " ".join((node.text or b"")[:120].decode("utf-8", "replace").split())
    return line if len(line) <= 60 else line[:57] + "..."
