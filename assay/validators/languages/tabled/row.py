"""Row of a language: its grammar, its query file, and what no query says."""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter

FLAT = "\n; flat\n"
"""Line of a query file after which a capture stands for itself; before it, the captures of a match belong together."""


@dataclass(frozen=True)
class Row:
    """Language as data.

    `grammar` is the Python module of its tree-sitter grammar. `separator` stands between the parts of a qualified name.
    `outer_type` matches the name in a written type, its only group; a type that it does not match is unknown.
    `unnamed` are names that no code mentions. `common` are method names of the standard library, which on an unknown
    receiver say nothing. `has_implicit_this`: in a type's code its members need no receiver.
    """

    name: str
    grammar: str
    separator: str
    outer_type: re.Pattern[str]
    unnamed: Collection[str] = ()
    common: Collection[str] = ()
    has_implicit_this: bool = False

    @cached_property
    def parser(self) -> tree_sitter.Parser:
        import tree_sitter  # loaded on first use: most repositories have few languages

        return tree_sitter.Parser(self._language)

    @cached_property
    def queries(self) -> tuple[tree_sitter.Query, tree_sitter.Query]:
        """Query whose captures belong together, and the flat one."""
        import tree_sitter

        text = resources.files(__package__).joinpath(f"{self.name}.scm").read_text("utf-8")
        joined, flat = text.split(FLAT)
        return tree_sitter.Query(self._language, joined), tree_sitter.Query(self._language, flat)

    @cached_property
    def _language(self) -> tree_sitter.Language:
        import tree_sitter

        return tree_sitter.Language(importlib.import_module(self.grammar).language())
