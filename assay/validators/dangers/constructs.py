"""Dangerous constructs of one file, by the last part of its language's query files.

| capture | meaning |
|---|---|
| `@code`, `@shell`, `@load`, `@markup`, `@unverified`, `@weak`, `@unlimited` | a construct, by its danger |
| `@data` | the construct is dangerous only if one of these is more than fixed text |
| `.named` after a danger | a function or constant that is dangerous wherever it is called or passed on |
| `.hash` after a danger | a hash that is weak only for what is secret |
| `@text` | an expression that may compose a text |
| `@clause` | a text that is SQL by what takes it |
| `@answer` | a text that becomes markup |

`#means?` asks for the full names that an expression may mean under any import, alias or assignment; `#imports?` whether
the source names a module.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from assay.validators.changes.language_table import language_of
from assay.validators.dangers.danger import LONGEST_KEY, RUNNING, Danger, Kind
from assay.validators.dangers.fetched_code import fetches_and_runs, plain
from assay.validators.dangers.flow import ModuleFlow
from assay.validators.dangers.meanings import Meanings, promised_by
from assay.validators.dangers.sql import HAS_SQL, RUNS_SQL, SAFE, Values
from assay.validators.dangers.syntax import (
    CALLS,
    FUNCTIONS,
    NAMES,
    Tree,
    arguments,
    bare,
    callee_of,
    folded,
    last_name,
    parts_of,
    setting_of,
    text_of,
    walk,
)
from assay.validators.languages.engine.pieces import Match
from assay.validators.languages.engine.row import Row
from assay.validators.languages.engine.rows import ROWS

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_DANGERS = 500
"""Maximum constructs per file."""
DEEPEST = 2000
"""Depth of a syntax tree below which no construct is found: queries take time by its square."""
LONGEST_STATEMENT = 300
"""Maximum bytes of what is around a hash and says what it is for."""
_HINTS = {
    "python": re.compile(
        "verify|hostname|CERT|ssl|eval|exec|system|popen|shell|getoutput|ickle|dill|marshal|shelve|yaml|builtin"
        "|__import__|import_module|getattr|['\"]-c"
    ),
    "javascript": re.compile(
        r"eval|Function|setTimeout|setInterval|runIn|Script|child_process|rejectUnauthorized|TLS_REJECT|HTML|document|constructor|\\u"
    ),
}
"""Language -> words without one of which a file has no construct, apart from SQL and markup."""
_SECRET = re.compile(r"(?i)passw|pwd|secret|signature|\bsign|_sign|hmac|credential|\bsalt|auth_?token|csrf")
_COPIED = re.compile(r"\\?(?:[\w:]+(?:\.|::))?(?:dumps?|serialize)\(")
"""What reads back data that it wrote itself."""
_BINDING = re.compile(r"(?:(?:FromSql|SqlQuery|ExecuteSql)(?:Async)?|\w*Interpolated\w*)(?:<.*)?")
_ESCAPABLE = (Kind.shell, Kind.markup)
_NAMING = frozenset(
    "type type_query unary_expression comparison_operator dotted_name aliased_import parameters lambda_parameters "
    "typed_parameter list_splat_pattern dictionary_splat_pattern pattern_list tuple_pattern as_pattern_target "
    "global_statement nonlocal_statement delete_statement import_specifier import_clause namespace_import catch_clause "
    "import_require_clause formal_parameters export_specifier object_pattern array_pattern pair_pattern".split()
)
"""Nodes whose names are not values that could be called."""
_COMPARING = frozenset(("instanceof", "===", "!==", "==", "!="))


def row_of(path: str) -> Row | None:
    """Return the row of a file's language."""
    language = language_of(path)
    return ROWS.get("python" if language.key == "cython" else language.key) if language is not None else None


def constructs(source: str, path: str, entered: Collection[str] = ()) -> list[Danger]:
    """Return the constructs of a file, also where it does not parse as a whole.

    `entered` are functions that other modules call with text from a request.
    """
    row = row_of(path)
    if row is None:
        return []
    text = source if source.isascii() else unicodedata.normalize("NFKC", source)
    hint = _HINTS.get(row.name)
    if hint is not None and not (hint.search(text) or HAS_SQL.search(text) or "request" in text):
        return []
    return list(islice(_Constructs(source, row, entered).dangers(), MOST_DANGERS))


class _Constructs:
    """One file, searched for constructs."""

    def __init__(self, source: str, row: Row, entered: Collection[str]) -> None:
        self.source = source
        self.row = row
        self.entered = entered
        self.tree = Tree(source, row)
        self._meant: dict[int, set[str]] = {}

    @cached_property
    def _meanings(self) -> Meanings:
        return Meanings(self.tree, self.row.dangerous_names)

    @cached_property
    def _values(self) -> Values:
        return Values(self.tree)

    @cached_property
    def _flow(self) -> ModuleFlow:
        return ModuleFlow(self.tree, self.entered)

    def dangers(self) -> Iterator[Danger]:
        """Yield every construct once."""
        if self.tree.root is None:
            yield Danger(1, Kind.unread, Kind.unread)
            return
        seen: set[tuple[int, Kind]] = set()
        for node, what in self._found(self.tree.root):
            if (node.start_byte, what) not in seen:
                seen.add((node.start_byte, what))
                yield self._danger(node, what)

    def _danger(self, node: Node, what: Kind) -> Danger:
        is_fed = what in RUNNING and self._flow.reaches(node)
        words = (text_of(part) for part in walk(node) if not part.children and not part.is_extra)
        text = " ".join(islice((word for word in words if word not in ",()\"'`"), LONGEST_KEY))[:LONGEST_KEY]
        return Danger(node.start_point.row + 1, what, f"{what}{' from a request' if is_fed else ''}: {text}", is_fed)

    def _found(self, root: Node) -> Iterator[tuple[Node, Kind]]:
        import tree_sitter

        cursor = tree_sitter.QueryCursor(self.row.dangers)
        cursor.set_max_start_depth(DEEPEST)
        texts: list[Node] = []
        clauses: set[int] = set()
        for _, found in cursor.matches(root, self._holds):
            texts += found.get("text", ())
            texts += found.get("clause", ())
            clauses.update(one.id for one in found.get("clause", ()))
            for node in found.get("answer", ()):
                if "request" in self.source and self._values.is_reflected(parts_of(node)):
                    yield node, Kind.reflected
            for capture in found:
                kind, _, part = capture.partition(".")
                if kind in Kind.__members__:
                    yield from self._of_match(found[capture][0], Kind[kind], part, found)
        if HAS_SQL.search(self.source) and RUNS_SQL.search(self.source):
            yield from self._in_sql(texts, clauses)

    def _holds(
        self,
        predicate: str,
        args: list[tuple[str, Literal["capture", "string"]]],
        pattern_index: int,  # noqa: ARG002 - tree-sitter gives it
        captures: Match,
    ) -> bool:
        """Return whether a predicate of a query holds for a match."""
        name = args[0][0]
        if predicate == "imports?":
            return name in self.source
        node = captures[name][0]
        if node.id not in self._meant:
            self._meant[node.id] = self._meanings.of(bare(node))
        full = self._meant[node.id]
        return bool(full) and any(word in full for word, _ in args[1:])

    def _of_match(self, node: Node, what: Kind, part: str, found: Match) -> Iterator[tuple[Node, Kind]]:
        if part == "named":
            yield from self._of_reference(node, what)
        elif part != "hash" or self._is_secret(node):
            is_dangerous = "data" not in found or any(self._is_data(one, what) for one in found["data"])
            yield from ((node, what),) if is_dangerous else ()

    def _of_reference(self, node: Node, what: Kind) -> Iterator[tuple[Node, Kind]]:
        """Yield the call of a dangerous function; the function itself where it is passed on and called elsewhere."""
        parent = self.tree.parents.get(node.id)
        if parent is not None and parent.type == "import_from_statement":
            # An import that the module does not use is there for other modules.
            is_named = any(one.id == node.id for one in parent.children_by_field_name("name"))
            if is_named and text_of(node.child_by_field_name("alias") or node) not in self._used:
                yield parent, what
            return
        for outer in self.tree.around(node):
            callee = callee_of(outer) if outer.type in CALLS else None
            if callee is not None and callee.id == node.id:
                given = arguments(outer)[: None if what is Kind.load else 1]
                if what is Kind.unverified or any(self._is_data(one, what) for one in given):
                    yield outer, what
                return
            promised = promised_by(outer)
            if promised is not None and promised.id == node.id:
                return
            if outer.end_byte - outer.start_byte > node.end_byte - node.start_byte + LONGEST_STATEMENT:
                break
            if outer.type.endswith("statement"):
                break
        if self._is_used(node):
            yield node, what

    def _is_data(self, node: Node, what: Kind) -> bool:
        """Return whether an expression is more than fixed text, or fetches code."""
        if what is Kind.load:
            return _COPIED.match(text_of(node)) is None
        if not self._values.is_fixed(node, SAFE if what in _ESCAPABLE else None):
            return True
        text = folded(node)
        return text is not None and fetches_and_runs(plain(text))

    def _in_sql(self, texts: Sequence[Node], clauses: Collection[int]) -> Iterator[tuple[Node, Kind]]:
        end = -1
        for node in sorted(texts, key=lambda one: (one.start_byte, -one.end_byte)):
            if node.end_byte > end:
                parts = parts_of(node)
                is_clause = node.id in clauses
                if any(isinstance(part, str) for part in parts):
                    end = node.end_byte
                    if not _is_bound(self.tree, node) and self._values.in_sql(parts, is_clause=is_clause):
                        yield node, Kind.sql

    def _is_secret(self, node: Node) -> bool:
        """Return whether the statement or the function around a hash is about what is secret."""
        for outer in self.tree.around(node):
            if outer.type in FUNCTIONS:
                named = outer.child_by_field_name("name") or outer.child_by_field_name("declarator")
                return _SECRET.search(text_of(named)) is not None
            if outer.end_byte - outer.start_byte < LONGEST_STATEMENT and _SECRET.search(text_of(outer)):
                return True
        return False

    @cached_property
    def _used(self) -> set[str]:
        return {text_of(node) for node in self.tree.of(*NAMES) if self._is_used(node)}

    def _is_used(self, node: Node) -> bool:
        """Return whether a name or member is a value here, not only named, compared or declared."""
        parent = self.tree.parents.get(node.id)
        if parent is None or parent.type in _NAMING:
            return False
        setting = setting_of(parent)
        named = setting[0] if setting is not None else parent.child_by_field_name("name")
        named = parent.child_by_field_name("attribute") or named
        if named is not None and named.id == node.id:
            return False
        if parent.type == "argument_list" and self.tree.parent_type(parent) == "class_definition":
            return False
        return parent.type != "binary_expression" or not any(child.type in _COMPARING for child in parent.children)


def _is_bound(tree: Tree, node: Node) -> bool:
    """Return whether what takes a text binds its values: a tag before a template, `FromSql($"…")` in C#."""
    call = next((one for one in islice(tree.around(node), 3) if one.type in CALLS), None)
    given = call.child_by_field_name("arguments") if call is not None else None
    return given is not None and (given.id == node.id or _BINDING.fullmatch(last_name(call)) is not None)
