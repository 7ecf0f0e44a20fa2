"""Row of a language: its grammar, its query files, and what no query says."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter

FLAT = "\n; flat\n"
"""Line of a query file after which a capture stands for itself; before it, the captures of a match belong together."""
MEASURED = "\n; measured\n"
"""Line after which a query file says what makes functions complex (languages/functions/queried.py)."""
DANGERS = "\n; dangers\n"
"""Line after which a query file lists dangerous constructs (dangers/constructs.py)."""
LONGEST_PARSE_S = 10.0
_UNTIMED = 128 * 1024
"""Bytes of a source that is parsed whole, which no clock can stop."""
_PIECE = 1024
"""Bytes that a parser asks for at once of a larger one."""
MOST_ANGLES = 8000
"""Maximum `<` of a source that nothing closes: some grammars take time and memory by their square."""
NO_NAME = re.compile(r"(?!)")


@dataclass(frozen=True, eq=False)
class Row:
    """Language as data.

    `grammar` is the Python module of its tree-sitter grammar, `dialect` the function there; `queries` are the query
    files. `separator` stands between the parts of a qualified name, `relative` are names of
    the present module, the one around it and the outermost. `written_type` matches a written type: its name,
    and its arguments if it has any; a type that it does not match is unknown. Of a type in `wrappers` an argument is
    meant, one in `containers` holds values of an argument, one in `vague` may be anything, and one in `own_type` is the
    type around it.

    `collected` matches the tests that a runner collects, `skipped` files that are only data to the tools, `private`
    names that other files do not use, `listed` the files that define the names they import. `unnamed` are names that
    say nothing. `common` are method names of built-in values, which on an unknown receiver say nothing. `known` are
    names and types of the language itself, with what has their members if that is known. `everywhere` are members of
    any type. `prepared` puts spaces in place of what the grammar cannot read.

    `has_implicit_this`: in a type's code its members need no receiver. `hoists`: a local name is one in the whole
    function. `has_exports`: other files see only what is exported. `has_fixtures`: parameters of tests name fixtures.
    `runs_on_import`: the top level of a file runs when another one imports it. `runs_class_body`: attributes are code
    of their class. `is_structural`: a type implements an interface without naming it. `counts_arguments`: a call with
    too many or too few arguments fails. `has_overloads`: functions of one name differ.
    `has_public`: code outside the package sees only what is marked as public. `ignores_more`: a call may pass more
    arguments than a function takes. `nests`: names are looked for in the types around them and their parents.
    `has_extensions`: a function may be called as a member of a type that does not define it. `has_receivers`: a free
    name may be a member of a parent, or of what a function is called on. `narrows`: a condition gives a value another
    type. `has_directives`: `#if` may leave out any lines. `counts_types`: types of one name differ by the number of
    their parameters. `has_macros`: macros may define any name. `imports_any`: an import may lead to a file of any kind.
    """

    name: str
    grammar: str
    queries: tuple[str, ...]
    written_type: re.Pattern[str] = NO_NAME
    dialect: str = "language"
    separator: str = "."
    relative: tuple[str, ...] = ()
    wrappers: Collection[str] = ()
    containers: Collection[str] = ()
    vague: Collection[str] = ()
    own_type: Collection[str] = ()
    collected: re.Pattern[str] = re.compile("")
    skipped: re.Pattern[str] = NO_NAME
    private: re.Pattern[str] = NO_NAME
    unnamed: Collection[str] = ()
    common: Collection[str] = ()
    listed: re.Pattern[str] = NO_NAME
    known: Mapping[str, object] = field(default_factory=dict)
    everywhere: Collection[str] = ()
    prepared: Callable[[bytes], bytes] = bytes
    has_implicit_this: bool = False
    hoists: bool = False
    has_exports: bool = False
    has_fixtures: bool = False
    runs_on_import: bool = False
    runs_class_body: bool = False
    is_structural: bool = False
    counts_arguments: bool = True
    has_overloads: bool = False
    has_public: bool = False
    ignores_more: bool = False
    nests: bool = False
    has_extensions: bool = False
    has_receivers: bool = False
    narrows: bool = False
    has_directives: bool = False
    counts_types: bool = False
    has_macros: bool = False
    imports_any: bool = False

    @cached_property
    def parser(self) -> tree_sitter.Parser:
        import tree_sitter  # loaded on first use: most repositories have few languages

        return tree_sitter.Parser(self.tree_language)

    def parse(self, content: bytes) -> tree_sitter.Tree | None:
        """Return the syntax tree of a source; None if a grammar takes longer for it than for any real one."""
        text = self.prepared(content)
        if text.count(b"<") - text.count(b">") > MOST_ANGLES:
            return None
        if len(text) <= _UNTIMED:
            return self.parser.parse(text)
        end = time.monotonic() + LONGEST_PARSE_S
        try:
            timed = self.parser.parse(
                lambda at, _: text[at : at + _PIECE], progress_callback=lambda *_: time.monotonic() > end
            )
            return self.parser.parse(text, timed)  # a node of the first tree copies a piece for its text
        except ValueError:
            self.parser.reset()
            return None

    @cached_property
    def compiled(self) -> tuple[tree_sitter.Query, tree_sitter.Query]:
        """Query whose captures belong together, and the flat one."""
        import tree_sitter

        joined, flat, *_ = self._parts
        return tree_sitter.Query(self.tree_language, joined), tree_sitter.Query(self.tree_language, flat)

    @cached_property
    def measuring(self) -> tree_sitter.Query:
        """Query for what makes functions complex."""
        import tree_sitter

        return tree_sitter.Query(self.tree_language, self._parts[2])

    @cached_property
    def dangers(self) -> tree_sitter.Query:
        """Query for dangerous constructs."""
        import tree_sitter

        return tree_sitter.Query(self.tree_language, self._parts[3])

    @cached_property
    def dangerous_names(self) -> frozenset[str]:
        """Full names that the query for dangerous constructs asks for."""
        asked = "".join(re.findall(r"#means\?([^()]*)", self._parts[3]))
        return frozenset(re.findall(r'"([^"]*)"', asked))

    @property
    def _parts(self) -> tuple[str, str, str, str]:
        """The four parts of all query files."""
        folder = resources.files(__package__)
        texts = [folder.joinpath(f"{name}.scm").read_text("utf-8") for name in self.queries]
        rest, dangers = zip(*(text.partition(DANGERS)[::2] for text in texts), strict=True)
        said, measured = zip(*(text.partition(MEASURED)[::2] for text in rest), strict=True)
        joined, flat = zip(*(text.split(FLAT) for text in said), strict=True)
        return "\n".join(joined), "\n".join(flat), "\n".join(measured), "\n".join(dangers)

    @cached_property
    def tree_language(self) -> tree_sitter.Language:
        """Grammar, loaded on first use."""
        import tree_sitter

        return tree_sitter.Language(getattr(importlib.import_module(self.grammar), self.dialect)())
