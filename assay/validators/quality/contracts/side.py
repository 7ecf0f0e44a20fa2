"""Names and types of one side of a change: what a file offers, what a class has, how a function is called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, TypeVar

from assay.validators.changes.change import READ_LIMIT, SourceTree
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.symbol_values import SymbolValues
from assay.validators.graph.tree_facts import TreeFacts
from assay.validators.languages.engine.c_includes import CIncludes
from assay.validators.languages.engine.language import Language
from assay.validators.languages.engine.parameters import GIVEN, function_in, has_self, made, signature_of
from assay.validators.languages.engine.pieces import CONSTRUCTOR, Piece
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.written import text_of
from assay.validators.languages.language import Import, Origin
from assay.validators.languages.python.modules import ModuleLookup, PythonModules
from assay.validators.languages.values import How, Value
from assay.validators.progress import Deadline

if TYPE_CHECKING:
    import tree_sitter

T = TypeVar("T")
DEEPEST = 40
"""Maximum star imports and parents followed."""
_DECLARED = re.compile(r"\.py[ix]$|\.d\.[cm]?ts$")
"""Files that describe code which is elsewhere."""
MOST_DECLARED = 200
_ASSIGNED = re.compile(r"\bexports\.([\w$]+)\s*=(?!=)")
"""Name that is exported by an assignment, which may be below a condition."""
_EXPORT = re.compile(r"\bexport\b[^{\n]{0,5000}(?:\{[^}]{0,5000})?")
_AUTO_IMPORTS = re.compile(r"auto-import|\bnuxt\b|unimport")
_ANSWERS = re.compile(
    r"\bif\s+(?:not\s+)?\w+\s+(?:not\s+)?in\s+[A-Za-z_]|\b(?:has|get)attr\(|\bimport_module\b|\A(?!.*\braise\b)",
    re.DOTALL,
)
"""A module's `__getattr__` that finds names in a table or another module, or answers to any."""
_PLAIN_FUNCTIONS = frozenset(
    "staticmethod classmethod abstractmethod override final deprecated cache lru_cache contextmanager "
    "asynccontextmanager coroutine wraps".split()
)
"""Decorators that do not change the arguments of a function."""
_PLAIN_TYPES = frozenset("dataclass final total_ordering runtime_checkable deprecated unique".split())
_UNUSUAL_FIELD = re.compile(r"\b(?:init|kw_only)\s*=|\bKW_ONLY\b|\bClassVar\b")
INITIALIZERS = ("__init__", CONSTRUCTOR)
_ROOTS = frozenset("object ABC Generic Protocol".split())
"""Parents that take no arguments."""


@dataclass(slots=True)
class Lineage:
    """Class with its ancestors, nearest first, and its parents from outside; `is_open`: it may have more members."""

    classes: list[Origin] = field(default_factory=list)
    outside: list[Value] = field(default_factory=list)
    is_open: bool = False


class Side:
    """Files of one language in the base or the head."""

    def __init__(self, tree: SourceTree, graph: ImportGraph, language: Language, deadline: Deadline) -> None:
        self.tree, self.graph, self.row = tree, graph, language.row
        self.resolver = graph.resolvers[language.name]
        self._modules = self.resolver if isinstance(self.resolver, PythonModules) else None
        self.values = SymbolValues(graph, TreeFacts(graph.sources, deadline), on_demand=True)
        self._language = language
        self._deadline = deadline
        self.names = cache(self._names)
        self.lineage = cache(self._lineage)

    def covers(self, path: str) -> bool:
        """Return whether a file is code of this language."""
        return self.graph.sources.languages.get(path) == self._language.name and not self.row.skipped.search(path)

    def reading(self, path: str) -> SourceReading | None:
        """Return the reading of a file; None if it is absent, too large, or describes code that is elsewhere."""
        self._deadline.check("contracts")
        is_code = self.covers(path) and not _DECLARED.search(path)
        content = self.tree.read(path, READ_LIMIT) if is_code else None
        return None if content is None else self._language.reading(path, content)

    def imports(self, path: str) -> Sequence[Import]:
        """Return the imports of a file."""
        return self.graph.sources.scan(path).imports

    # Modules

    def place(self, path: str, item: Import) -> ModuleLookup:
        """Return the file or folders that the target of an import means."""
        if self._modules is not None:
            return self._modules.place(path, item.target)
        found = self.resolver.resolve(path, item)
        return ModuleLookup(next(iter(found.files), None), (), found.why)

    def modules(self, path: str, item: Import) -> tuple[str, ...]:
        """Return the files that the target of an import means; empty if it means none in full."""
        if self._modules is None:
            return self.resolver.resolve(path, item).files
        place = self.place(path, item)
        return (place.file,) if place.file is not None and place.why is None else ()

    def inner(self, path: str, item: Import, name: str) -> str | None:
        """Return the file of a module that is imported by its name from a package."""
        return self._modules.submodule(path, self.place(path, item), name) if self._modules is not None else None

    def _names(self, path: str) -> frozenset[str]:
        """Return the names of a file for others, without those of star imports."""
        reading = self.reading(path)
        if reading is None or not self.row.has_exports:
            return self.bound(path)
        handed = {local for item in self.imports(path) if item.kind == "export" for _, local in item.names}
        assigned = _ASSIGNED.findall(reading.content.decode("utf-8", "surrogateescape"))
        return frozenset({*reading.exports, *handed, *assigned})

    def bound(self, path: str) -> frozenset[str]:
        """Return the names that a file binds itself, by definitions or imports."""
        reading = self.reading(path)
        imported = (name for item in self.imports(path) for name in binds(item))
        return frozenset((*reading.bound, *imported)) if reading is not None else frozenset()

    def offers(self, path: str, name: str) -> bool | None:
        """Return whether a file has a name for others, itself or through what it hands on; None if it is unknown."""
        is_unknown = name.startswith("__") and name.endswith("__")
        seen: set[str] = set()
        left = [path]
        while left:
            file = left.pop()
            reading = self.reading(file) if len(seen) < DEEPEST else None
            if name in self.names(file) or (self._modules is not None and self._modules.child(file, name) is not None):
                return True
            is_unknown |= reading is None or _may_add(reading, name)
            seen.add(file)
            for item in self.imports(file) if name != "default" else ():
                if item.is_star and (item.kind == "export" or not self.row.has_exports):
                    files = self.modules(file, item)
                    is_unknown |= not files
                    left += [one for one in files if one not in seen and self._hands_on(one, name)]
        return None if is_unknown else False

    def _hands_on(self, path: str, name: str) -> bool:
        return self._modules is None or self._modules.names(path).offers(name)

    def holder(self, path: str, name: str, among: Sequence[str]) -> str:
        """Return the file that gave a name which the one at `path` offers: one of `among`, else what defines it."""
        trail = self.resolver.trail(path, name)
        return next((one.file for one in trail if one.file in among), trail[-1].file if trail else path)

    def may_be_ambient(self, path: str, name: str) -> bool:
        """Return whether a script may have a name without importing it: a `.d.ts`, a comment or the build gives it."""
        said = re.compile(
            rf"(?:\bglobals?\b|\bexported\b|\bdeclare\b)[^\n]{{0,500}}(?<![\w$]){re.escape(name)}(?![\w$])"
        )
        own = self._texts([path])
        return self._has_auto_imports or any(said.search(text) for text in (*own, *self._declarations))

    @cached_property
    def _has_auto_imports(self) -> bool:
        manifests = [path for path in self.tree.paths if path.rpartition("/")[2] == "package.json"]
        return any(_AUTO_IMPORTS.search(text) for text in self._texts(manifests))

    @cached_property
    def _declarations(self) -> list[str]:
        return self._texts([path for path in self.tree.paths if _DECLARED.search(path)][:MOST_DECLARED])

    def _texts(self, paths: Iterable[str]) -> list[str]:
        contents = self.tree.read_many(paths, READ_LIMIT)
        return [(content or b"").decode("utf-8", "surrogateescape") for _, content in contents]

    # Types

    def _lineage(self, place: Origin) -> Lineage:
        """Return a class with its ancestors."""
        found = Lineage()
        left = [place]
        while left and len(found.classes) < DEEPEST:
            one = left.pop(0)
            if one not in found.classes:
                found.classes.append(one)
                left += self._parents(one, found)
        found.is_open = found.is_open or bool(left)
        return found

    def _parents(self, place: Origin, lineage: Lineage) -> Iterator[Origin]:
        reading, piece = self._piece(place)
        if reading is None or piece is None or piece.kind != "class":
            lineage.is_open = True
            return
        lineage.is_open |= place.name in reading.open_types
        lineage.is_open |= not {_last(one) for one in reading.decorators(piece)} <= _PLAIN_TYPES
        symbol = self.values.symbol(place)
        is_for_checkers = "TYPE_CHECKING" in reading.guards(piece.core.start_point.row + 1)  # it describes a proxy
        for base in symbol.bases if symbol is not None else ():
            parents = self.values.value(place.file, base)
            lineage.is_open |= base.how is How.call and parents is not None  # an object that stands for its own parents
            if parents is not None and len(parents) == 1:
                yield from parents
            elif not is_for_checkers:
                lineage.outside.append(base)

    def _piece(self, place: Origin) -> tuple[SourceReading | None, Piece | None]:
        """Return the only definition at a place, with the reading of its file."""
        reading = self.reading(place.file)
        return reading, sole(one for one in reading.pieces if one.name == place.name) if reading is not None else None

    def is_bound_once(self, place: Origin) -> bool:
        """Return whether a file defines a name only once."""
        return self._piece(place)[1] is not None

    def lacks(self, place: Origin, name: str) -> bool:
        """Return whether no instance of a class can have a member of this name."""
        symbol = self.values.symbol(place)
        is_interface = symbol is not None and symbol.kind == "interface"
        # The value may be of a child, which a compiler considers only after a condition; an alias of Go is the type.
        has_children = self.row.hoists or self.row.narrows or (self.row.is_structural and not is_interface)
        family = self.values.family(place) if has_children else (place,)
        if self.lineage(place).is_open or name in self.row.everywhere or any(self._has(one, name) for one in family):
            return False
        return not any(self._may_give(base, name) for one in family for base in self.lineage(one).outside)

    def _may_give(self, base: Value, name: str) -> bool:
        """Return whether a parent from outside may have a member."""
        kind = self.row.known.get(base.last)
        return kind is None or hasattr(kind, name)

    def _has(self, place: Origin, name: str) -> bool:
        """Return whether a class or an ancestor has a member."""
        for one in self.lineage(place).classes:
            for file in (one.file, *self.values.parts(one.file)):
                reading = self.reading(file)
                if reading is None or (one.name, name) in reading.members:
                    return True
            symbol = self.values.symbol(one) if self.row.is_structural else None
            if symbol is not None and any(base.last == name for base in symbol.bases):
                return True  # an embedded type is a field of its name
        return False

    # Calls

    def called(self, place: Origin, is_bound: bool) -> list[Signature]:
        """Return the signatures that a function or class is called with; empty if they are unclear."""
        symbol = self.values.symbol(place)
        if symbol is None:
            return []
        return self._constructors(place) if symbol.kind == "class" else self._signatures(place, is_bound)

    def _signatures(self, place: Origin, is_bound: bool) -> list[Signature]:
        """Return the signatures of a function, several if it is overloaded; empty if one is unclear."""
        owner, _, name = place.name.rpartition(".")
        places = [place]
        if owner and self.row.has_overloads and name != CONSTRUCTOR:
            lineage = self.lineage(Origin(place.file, owner))
            if name in self.row.everywhere or any(self._may_give(base, name) for base in lineage.outside):
                return []  # a parent from outside may have another one
            places += [Origin(one.file, f"{one.name}.{name}") for one in lineage.classes]
        if isinstance(self.resolver, CIncludes):  # a declaration has the defaults
            places += [Origin(file, place.name) for file in self.resolver.declaring(place.name)]
        found: list[Signature | None] = []
        for one in dict.fromkeys(places):
            reading = self.reading(one.file)
            if reading is not None:
                pieces = (piece for piece in reading.pieces if piece.name == one.name)
                found += [self._signature(reading, piece, is_bound) for piece in pieces]
        is_clear = all(found) and (len(found) == 1 or self.row.has_overloads or self.row.has_macros)
        return [one for one in found if one is not None] if is_clear else []

    def _signature(self, reading: SourceReading, piece: Piece, is_bound: bool) -> Signature | None:
        function = function_in(piece.core) if piece.kind in ("function", "method") else None
        names = {_last(one) for one in reading.decorators(piece)}
        if function is None or not names <= _PLAIN_FUNCTIONS or not reading.row.counts_arguments:
            return None
        if piece.core.type == "variable_declarator" and piece.core.child_by_field_name("type") is not None:
            return None  # its declared type says what it takes
        has_own = self.row.runs_class_body and piece.kind == "method" and "staticmethod" not in names
        has_own = has_own or has_self(function)
        if reading.row.grammar == "tree_sitter_c" and not _takes(function):
            return None  # `f()` takes anything
        return signature_of(function, int(has_own and (is_bound or "classmethod" in names)), self.row.ignores_more)

    def _constructors(self, place: Origin) -> list[Signature]:
        """Return the signatures that a class is called with; empty if they are unclear."""
        lineage = self.lineage(place)
        for one in lineage.classes if not lineage.is_open else ():
            reading, piece = self._piece(one)
            if reading is None or piece is None or not reading.row.counts_arguments:
                return []
            if any(one.type == "struct" for one in piece.core.children):
                return []  # it has a constructor without parameters too
            own = [f"{one.name}.{name}" for name in INITIALIZERS]
            found = next((piece.name for piece in reading.pieces if piece.name in own), None)
            decorators = reading.decorators(piece)
            if found is not None and (not decorators or one == place):
                return self._signatures(Origin(one.file, found), is_bound=True)
            if any(base.last not in _ROOTS for base in lineage.outside):
                return []
            if decorators or piece.core.type.startswith(("record", "enum", "interface")):
                return _made_of_fields(reading, piece) if len(lineage.classes) == 1 else []
        return [] if lineage.is_open or self.row.is_structural else [Signature()]


def _takes(function: tree_sitter.Node) -> bool:
    """Return whether a function of C says what it takes: not by names alone, and not by nothing."""
    every = function.child_by_field_name("parameters")
    return every is not None and any(one.type == "parameter_declaration" for one in every.named_children)


def _made_of_fields(reading: SourceReading, piece: Piece) -> list[Signature]:
    """Return the constructor that a plain `@dataclass` makes of the fields of a class; nothing for any other class."""
    fields = [one for one in reading.pieces if one.owner == piece.name and one.kind == "attribute" and one.gives]
    decorators = reading.decorators(piece)
    if "dataclass" not in map(_last, decorators):
        return []
    found: list[Parameter] = []
    for one in fields:
        given = text_of(one.given[0]) if one.given else ""
        has_default = bool(given) and ("default" in given or re.match(r"[\w.]*\bfield\(", given) is None)
        default = GIVEN if has_default else Parameter.empty
        found.append(Parameter(one.name.rpartition(".")[2], Parameter.POSITIONAL_OR_KEYWORD, default=default))
    said = (*decorators, *(text_of(node) for one in fields for node in (*one.gives, *one.given)))
    signature = made(found) if not any(map(_UNUSUAL_FIELD.search, said)) else None
    return [signature] if signature is not None else []


def _may_add(reading: SourceReading, name: str) -> bool:
    """Return whether code may give the file a name that it does not define, or a part that could not be read does."""
    some = [text_of(node) for node in reading.nodes("open.some")]
    named = re.compile(rf"(?:==|[\[({{,])\s*[\"']{re.escape(name)}[\"']")
    is_some = any(_ANSWERS.search(one) or named.search(one) for one in some)
    text = reading.content.decode("utf-8", "surrogateescape") if reading.has_error else ""
    unread = " ".join(_EXPORT.findall(text)) if reading.row.has_exports else text
    is_unread = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", unread) is not None
    inside = reading.spans("open.some")
    return is_some or is_unread or any(inside.around(node.start_byte) is None for node in reading.nodes("open"))


def binds(item: Import) -> set[str]:
    """Return the names that an import of Python or JavaScript binds."""
    if item.names:
        return {local for _, local in item.names if local}
    return {item.alias or item.target.partition(".")[0]}


def sole(several: Iterable[T] | None) -> T | None:
    """Return the only one of several."""
    found = list(several or ())
    return found[0] if len(found) == 1 else None


def _last(decorator: str) -> str:
    """Return the last name of a decorator: `dataclass` of `@dataclasses.dataclass(frozen=True)`."""
    return decorator.lstrip("@").partition("(")[0].rpartition(".")[2].strip()
