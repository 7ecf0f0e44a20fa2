"""Definitions that a word above them makes private, or another statement by their names, as in Ruby."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from assay.validators.languages.engine.written import text_of

if TYPE_CHECKING:
    import tree_sitter

    from assay.validators.languages.engine.pieces import Piece


def hidden(
    pieces: Iterable[Piece], named: Iterable[tree_sitter.Node], above: Iterable[tree_sitter.Node]
) -> Iterator[Piece]:
    """Yield those of the definitions that are private by their names, or by the nearest word above in their type."""
    names = {text_of(node).lstrip(":") for node in named}
    words = sorted(above, key=lambda node: node.start_byte)
    starts = [node.start_byte for node in words]
    for piece in pieces:
        at = bisect_left(starts, piece.core.start_byte) - 1 if piece.core.type == "method" else -1
        is_below = at >= 0 and text_of(words[at]) == "private" and words[at].parent == piece.core.parent
        if is_below or piece.name.rpartition(".")[2] in names:
            yield piece
