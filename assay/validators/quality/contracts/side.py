"""Names and types of one side of a change: which a file offers, what a class has, how a function is called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from inspect import Parameter, Signature
from typing import TypeVar

from assay.validators.changes.change import READ_LIMIT, SourceTree
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.symbol_values import SymbolValues
from assay.validators.graph.tree_facts import TreeFacts
from assay.validators.languages.engine.captures import CONSTRUCTOR, Piece
from assay.validators.languages.engine.language import Language
from assay.validators.languages.engine.parameters import function_in, made, signature_of
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.written import text_of
from assay.validators.languages.language import Import, Origin
from assay.validators.languages.python.modules import PythonModules
from assay.validators.languages.values import How, Value
from assay.validators.progress import Deadline
from assay.validators.quality.contracts.ambient import DECLARED, AmbientNames, is_also_global
from assay.validators.quality.contracts.doubts import guards, may_add, open_types

T = TypeVar("T")
DEEPEST = 40
"""Maximum star imports and parents followed."""
_EXPORT = re.compile(r"\bexport\b[^{\n]{0,5000}(?:\{[^}]{0,5000})?")
_PLAIN_FUNCTIONS = frozenset(
    "staticmethod classmethod abstractmethod override final deprecated cache lru_cache contextmanager "
    "asynccontextmanager coroutine wraps".split()
)
"""Decorators that do not change the arguments of a function."""
_PLAIN_TYPES = frozenset("dataclass final total_ordering runtime_checkable deprecated unique".split())
INITIALIZERS = ("__init__", CONSTRUCTOR)
_ROOTS = frozenset("object ABC Generic Protocol".split())
"""Parents that take no arguments."""


class Offer(Enum):
    """Whether a file offers a name; of several sources, the first of these counts."""

    yes = "yes"
    unknown = "unknown"
    no = "no"


@dataclass(frozen=True, slots=True)
class _Offered:
    """Names of a file: those for others, those that it binds itself, and where more may come from."""

    names: frozenset[str]
    bound: frozenset[str]
    stars: tuple[Import, ...]
    reading: SourceReading
    unread: str


@dataclass(slots=True)
class Lineage:
    """Class with its ancestors, nearest first, and its parents from outside.

    `is_open`: it may have further members. `has_values`: it may have further ones besides methods.
    """

    classes: list[Origin] = field(default_factory=list)
    outside: list[Value] = field(default_factory=list)
    is_open: bool = False
    has_values: bool = False


class Side:
    """Files of one language in the base or the head."""

    def __init__(self, tree: SourceTree, graph: ImportGraph, language: Language, deadline: Deadline) -> None:
        self.tree, self.graph, self.row = tree, graph, language.row
        self.resolver = graph.resolvers[language.name]
        self.values = SymbolValues(graph, TreeFacts(graph.sources, deadline), on_demand=True)
        self.ambient = AmbientNames(tree)
        self._language = language
        self._deadline = deadline
        self._offered: dict[str, _Offered | None] = {}
        self._known_offers: dict[tuple[str, str], Offer] = {}
        self._lineages: dict[Origin, Lineage] = {}

    def covers(self, path: str) -> bool:
        """Return whether a file is code of this language."""
        return self.graph.sources.languages.get(path) == self._language.name and not self.row.skipped.search(path)

    def reading(self, path: str) -> SourceReading | None:
        """Return the reading of a file; None if it is absent, too large, or describes code that is elsewhere."""
        self._deadline.check("contracts")
        is_code = self.covers(path) and not DECLARED.search(path)
        content = self.tree.read(path, READ_LIMIT) if is_code else None
        return None if content is None else self._language.reading(path, content)

    def text(self, path: str) -> str:
        """Return the text of a file."""
        return (self.tree.read(path, READ_LIMIT) or b"").decode("utf-8", "surrogateescape")

    def imports(self, path: str) -> Sequence[Import]:
        """Return the imports of a file."""
        return self.graph.sources.scan(path).imports

    # Modules

    def modules(self, path: str, item: Import) -> tuple[str, ...]:
        """Return the files that the target of an import means; empty if it means none in full."""
        if not isinstance(self.resolver, PythonModules):
            return self.resolver.resolve(path, item).files
        place = self.resolver.place(path, item.target)
        return (place.file,) if place.file is not None and place.why is None else ()

    def is_there(self, path: str, item: Import) -> bool:
        """Return whether the target of an import is a file, or a folder of modules."""
        is_folder = False
        if isinstance(self.resolver, PythonModules):
            place = self.resolver.place(path, item.target)
            is_folder = bool(place.folders) and place.why is None
        return is_folder or bool(self.modules(path, item))

    def inner(self, path: str, item: Import, name: str) -> str | None:
        """Return the file of a module that is imported by its name from a package."""
        if not isinstance(self.resolver, PythonModules):
            return None
        return self.resolver.submodule(path, self.resolver.place(path, item.target), name)

    def starts(self, path: str, item: Import) -> bool:
        """Return whether a part of an import's target is in the tree."""
        is_part = isinstance(self.resolver, PythonModules) and self.resolver.place(path, item.target).file is not None
        return is_part or item.target.startswith(".")

    def bound(self, path: str) -> frozenset[str]:
        """Return the names that a file binds itself, by definitions or imports."""
        offered = self._offers(path)
        return offered.bound if offered is not None else frozenset()

    def owns(self, path: str, name: str) -> bool:
        """Return whether a file declares a name, or imports one that no script has by itself."""
        reading = self.reading(path)
        if reading is not None and name in reading.bound:
            return True
        items = [item for item in self.imports(path) if any(local == name for _, local in item.names)]
        return any(not is_also_global(item.target) or self.modules(path, item) for item in items)

    def has_exports(self, path: str) -> bool:
        """Return whether a file exports anything."""
        offered = self._offers(path)
        return offered is not None and bool(offered.names)

    def is_broken(self, path: str) -> bool:
        """Return whether part of a file could not be read."""
        offered = self._offers(path)
        return offered is None or offered.reading.has_error

    def offers(self, path: str, name: str, depth: int = 0) -> Offer:
        """Return whether a file has a name for others, itself or through what it hands on."""
        key = (path, name)
        if key not in self._known_offers:
            self._known_offers[key] = Offer.no  # stars that lead back here
            self._known_offers[key] = self._find_offer(path, name, depth)
        return self._known_offers[key]

    def _find_offer(self, path: str, name: str, depth: int) -> Offer:
        offered = self._offers(path) if depth < DEEPEST else None
        if offered is None:
            return Offer.unknown
        modules = self.resolver if isinstance(self.resolver, PythonModules) else None
        if name in offered.names or (modules is not None and modules.child(path, name) is not None):
            return Offer.yes
        is_special = name.startswith("__") and name.endswith("__")
        is_unread = bool(offered.unread) and re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", offered.unread)
        if is_special or is_unread or may_add(offered.reading, name):
            return Offer.unknown
        found = {Offer.no}
        for item in offered.stars if name != "default" else ():
            files = self.modules(path, item)
            if not files:
                found.add(Offer.unknown)
            for file in files:
                if modules is None or modules.names(file).offers(name):
                    found.add(self.offers(file, name, depth + 1))
        return next(offer for offer in Offer if offer in found)

    def holder(self, path: str, name: str, among: Sequence[str]) -> str:
        """Return the file that gave a name which the one at `path` offers: one of `among`, else what defines it."""
        trail = self.resolver.trail(path, name)
        nearest = next((one.file for one in trail if one.file in among), None)
        return nearest or next((one.file for one in reversed(trail) if one.name in self._own(one.file)), path)

    def _own(self, path: str) -> set[str]:
        reading = self.reading(path)
        return set() if reading is None else reading.declared()[0] | reading.exports.keys()

    def _offers(self, path: str) -> _Offered | None:
        if path not in self._offered:
            reading = self.reading(path)
            self._offered[path] = None if reading is None else self._found_offered(path, reading)
        return self._offered[path]

    def _found_offered(self, path: str, reading: SourceReading) -> _Offered:
        text = self.text(path)
        imports = self.imports(path)
        bound = frozenset(reading.declared()[0]) | {local for item in imports for _, local in item.names if local}
        bound |= {item.alias or item.target.partition(".")[0] for item in imports if not item.names}
        bound |= reading.bound
        names: frozenset[str] = bound
        stars = [item for item in imports if item.is_star]
        if self.row.has_exports:
            handed = {local for item in imports if item.kind == "export" for _, local in item.names}
            # An assignment to `exports` below a condition.
            assigned = re.findall(r"\bexports\.([\w$]+)\s*=(?!=)", text)
            names = frozenset({*reading.exports, *handed, *assigned})
            stars = [item for item in stars if item.kind == "export"]
        unread = text if reading.has_error else ""
        if self.row.has_exports:
            unread = " ".join(_EXPORT.findall(unread))
        return _Offered(names, bound, tuple(stars), reading, unread)

    # Types

    def lineage(self, place: Origin) -> Lineage:
        """Return a class with its ancestors."""
        found = self._lineages.get(place)
        if found is None:
            found = self._lineages[place] = Lineage()
            left = [place]
            while left and len(found.classes) < DEEPEST:
                one = left.pop(0)
                if one not in found.classes:
                    found.classes.append(one)
                    left += self._parents(one, found)
            found.is_open = found.is_open or bool(left)
        return found

    def _parents(self, place: Origin, lineage: Lineage) -> Iterator[Origin]:
        reading = self.reading(place.file)
        pieces = [one for one in reading.pieces if one.name == place.name] if reading is not None else []
        if reading is None or len(pieces) != 1 or pieces[0].kind != "class":
            lineage.is_open = True
            return
        lineage.is_open |= place.name in open_types(reading, "open.type")
        lineage.has_values |= place.name in open_types(reading, "open.values")
        lineage.is_open |= not {_last(one) for one in reading.decorators(pieces[0])} <= _PLAIN_TYPES
        lineage.is_open |= _has_own_metaclass(pieces[0])
        is_for_checkers = "TYPE_CHECKING" in guards(reading, pieces[0].core.start_point.row + 1)  # it describes a proxy
        symbol = self.values.symbol(place)
        for base in symbol.bases if symbol is not None else ():
            parents = self.values.value(place.file, base)
            lineage.is_open |= base.how is How.call and parents is not None  # an object that stands for its own parents
            if parents is not None and len(parents) == 1:
                yield from parents
            elif not is_for_checkers:
                lineage.outside.append(base)

    def is_bound_once(self, place: Origin) -> bool:
        """Return whether a file defines a name only once."""
        reading = self.reading(place.file)
        return reading is not None and sum(one.name == place.name for one in reading.pieces) == 1

    def lacks(self, place: Origin, name: str, was_method: bool) -> bool:
        """Return whether no instance of a class can have a member of this name, which was a method or not."""
        lineage = self.lineage(place)
        is_open = lineage.is_open or (lineage.has_values and not was_method) or name in self.row.everywhere
        symbol = self.values.symbol(place)
        is_interface = symbol is not None and symbol.kind == "interface"
        # The value may be of a child, which a compiler does not consider; an alias of Go is the type itself.
        has_children = self.row.hoists or (self.row.is_structural and not is_interface)
        family = self.values.family(place) if has_children else (place,)
        if is_open or any(self.has(one, name) for one in family):
            return False
        return not any(self._may_give(base, name) for one in family for base in self.lineage(one).outside)

    def _may_give(self, base: Value, name: str) -> bool:
        """Return whether a parent from outside may have a member."""
        kind = self.row.known.get(base.last)
        return kind is None or hasattr(kind, name)

    def has(self, place: Origin, name: str) -> bool:
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

    def signatures(self, place: Origin, is_bound: bool) -> list[Signature]:
        """Return the signatures of a function, several if it is overloaded; empty if one is unclear."""
        owner, _, name = place.name.rpartition(".")
        lineage = self.lineage(Origin(place.file, owner)) if owner and self.row.has_overloads else Lineage([], [])
        is_elsewhere = self.row.has_overloads and name in self.row.everywhere
        if name != CONSTRUCTOR and (is_elsewhere or any(self._may_give(base, name) for base in lineage.outside)):
            return []  # a parent from outside may have another one
        parents = lineage.classes if name != CONSTRUCTOR else ()
        found: list[Signature | None] = []
        for one in dict.fromkeys((place, *(Origin(each.file, f"{each.name}.{name}") for each in parents))):
            reading = self.reading(one.file)
            if reading is not None:
                pieces = (piece for piece in reading.pieces if piece.name == one.name)
                found += [self._signature(reading, piece, is_bound) for piece in pieces]
        is_clear = all(found) and (len(found) == 1 or self.row.has_overloads)
        return [one for one in found if one is not None] if is_clear else []

    def _signature(self, reading: SourceReading, piece: Piece, is_bound: bool) -> Signature | None:
        function = function_in(piece.core) if piece.kind in ("function", "method") else None
        names = {_last(one) for one in reading.decorators(piece)}
        if function is None or not names <= _PLAIN_FUNCTIONS or not reading.row.counts_arguments:
            return None
        if piece.core.type == "variable_declarator" and piece.core.child_by_field_name("type") is not None:
            return None  # its declared type says what it takes
        has_own = self.row.runs_class_body and piece.kind == "method" and "staticmethod" not in names
        return signature_of(function, int(has_own and (is_bound or "classmethod" in names)))

    def constructors(self, place: Origin) -> list[Signature]:
        """Return the signatures that a class is called with; empty if they are unclear."""
        lineage = self.lineage(place)
        for one in lineage.classes:
            reading = self.reading(one.file)
            piece = sole(piece for piece in reading.pieces if piece.name == one.name) if reading is not None else None
            if reading is None or piece is None or not reading.row.counts_arguments:
                return []
            if (one.name, "__new__") in reading.members or _has_own_metaclass(piece):
                return []
            decorators = reading.decorators(piece)
            own = [f"{one.name}.{name}" for name in INITIALIZERS]
            found = next((piece.name for piece in reading.pieces if piece.name in own), None)
            if found is not None and (not decorators or one == place):
                return self.signatures(Origin(one.file, found), is_bound=True)
            if any(base.last not in _ROOTS for base in lineage.outside):
                return []
            if any(_last(each) == "dataclass" for each in decorators):
                fields = self._fields(reading, one.name, " ".join(decorators)) if len(lineage.classes) == 1 else None
                return [fields] if fields is not None else []
            if decorators or piece.core.type.startswith(("record", "enum", "interface")):
                return []
        return [] if lineage.is_open or self.row.is_structural else [Signature()]

    def _fields(self, reading: SourceReading, owner: str, decorator: str) -> Signature | None:
        """Return the constructor that `@dataclass` makes of the fields of a class; None if it makes none."""
        if re.search(r"\binit\s*=\s*False", decorator):
            return None
        is_keyword = re.search(r"\bkw_only\s*=\s*True", decorator) is not None
        found: dict[str, Parameter] = {}
        for piece in reading.pieces:
            if piece.owner != owner or piece.kind != "attribute" or not piece.gives:
                continue
            declared, given = text_of(piece.gives[0]), text_of(piece.given[0]) if piece.given else ""
            if declared.endswith("KW_ONLY"):
                is_keyword = True
                continue
            if "ClassVar" in declared or re.search(r"\binit\s*=\s*False", given):
                continue
            own = is_keyword
            if option := re.search(r"\bkw_only\s*=\s*(True|False)", given):
                own = option[1] == "True"
            is_field = re.match(r"[\w.]*\bfield\(", given) is not None
            has_default = bool(given) and (not is_field or "default" in given)
            name = piece.name.rpartition(".")[2]
            kind = Parameter.KEYWORD_ONLY if own else Parameter.POSITIONAL_OR_KEYWORD
            found[name] = Parameter(name, kind, default=None if has_default else Parameter.empty)
        return made(sorted(found.values(), key=lambda one: one.kind is Parameter.KEYWORD_ONLY))


def sole(several: Iterable[T] | None) -> T | None:
    """Return the only one of several."""
    found = list(several or ())
    return found[0] if len(found) == 1 else None


def _has_own_metaclass(piece: Piece) -> bool:
    """Return whether the metaclass of a class may change how it is called or what it has."""
    heading = text_of(piece.core).partition(":\n")[0]
    return "metaclass" in heading and re.search(r"metaclass=[\w.]*(?:ABC|Enum)(?:Meta|Type)\b", heading) is None


def _last(decorator: str) -> str:
    """Return the last name of a decorator: `dataclass` of `@dataclasses.dataclass(frozen=True)`."""
    return decorator.lstrip("@").partition("(")[0].rpartition(".")[2].strip()
