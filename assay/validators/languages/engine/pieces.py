"""Definitions of a file, and the names of what a query captures of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter

KINDS = {
    "type": "class",
    "function": "function",
    "method": "method",
    "field": "attribute",
    "constant": "constant",
    "listed": "listed",
}
"""Capture of a whole definition -> kind of symbol; the first one counts for a name with several."""
MEMBERS = {"function": "method", "constant": "attribute"}
"""Kind of a definition -> its kind inside a type."""
CONSTRUCTOR = "constructor"
DEFAULT = "default"
DEFINING = ("define", "define.constructor")
DEEPEST = 300
"""Depth of a syntax tree below which nothing is read: queries take time by its square, and code is not that deep."""
Match = dict[str, list["tree_sitter.Node"]]


@dataclass(slots=True)
class Piece:
    """Definition in a file: its name with its owner's, its own node and the whole one, what is written of its value."""

    name: str
    kind: str
    core: tree_sitter.Node
    node: tree_sitter.Node
    gives: list[tree_sitter.Node] = field(default_factory=list)
    given: list[tree_sitter.Node] = field(default_factory=list)
    bases: list[tree_sitter.Node] = field(default_factory=list)
    marks: frozenset[str] = frozenset()
    """Of `_MARKS`."""

    @property
    def owner(self) -> str:
        """Type that it is a member of; "" for another definition."""
        return self.name.rpartition(".")[0]

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line."""
        end = self.node.end_point  # a directive of C ends with its line
        return self.node.start_point.row + 1, end.row + (end.column > 0)
