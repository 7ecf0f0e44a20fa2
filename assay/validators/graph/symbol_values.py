"""Classes behind value expressions: which definition `x.m` means, as far as the text of the files says.

Files outside `TreeFacts` cannot use the change; a value that comes from there, or from outside the tree, is known to be
none of ours (an empty set), which differs from unknown (None).
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import TypeVar

from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.kept_facts import NONE, KeptFacts
from assay.validators.graph.pytest_fixtures import Fixtures
from assay.validators.graph.tree_facts import TreeFacts
from assay.validators.languages.language import Origin, Symbol
from assay.validators.languages.register import LANGUAGES
from assay.validators.languages.values import How, Value, derived

CLASSES = ("class", "interface")
CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__attrs_post_init__", "constructor")
RARELY_RUN = frozenset("__repr__ __del__ __copy__ __deepcopy__ __reduce__ __getstate__ __setstate__ __dir__".split())
CALL_NOTHING = frozenset(
    [name for name in dir(builtins) if isinstance(getattr(builtins, name), type)]
    + "ABC Generic Protocol NamedTuple TypedDict OrderedDict defaultdict deque Error".split()
)
"""Classes from outside whose code calls no method by its plain name: `dict.update` does not call `__setitem__`."""

DEEPEST = 12
"""Maximum steps from a value expression to a class."""

Key = TypeVar("Key")
Found = TypeVar("Found")
Values = frozenset[Origin] | None
_NOTHING: frozenset[Origin] = frozenset()
_PLACEHOLDERS = frozenset(("TypeVar", "ParamSpec", "TypeVarTuple", "NewType"))


class SymbolValues:
    """Values of the files in `facts`; with `on_demand` also of any other file that a name leads to."""

    def __init__(self, graph: ImportGraph, facts: TreeFacts, on_demand: bool = False) -> None:
        self._graph = graph
        self._facts = facts
        self._on_demand = on_demand
        self.fixtures = Fixtures(self.facts, graph, self.origin)
        self.symbols = cache(self._symbols)
        self.resolved = cache(self._resolved)
        self.parts = cache(self._parts)
        self.family = cache(self._family)
        self._values: dict[tuple[str, Value], Values] = {}
        self._bases: dict[Origin, tuple[tuple[Origin, ...], bool]] = {}
        self._implicit: dict[Origin, tuple[Origin, ...]] = {}

    def facts(self, path: str) -> KeptFacts:
        """Return a file's facts; none for a file that was not loaded, and is not on demand."""
        if self._on_demand and path not in self._facts.by_path:
            self.load((path,))
        return self._facts.by_path.get(path, NONE)

    def load(self, paths: Iterable[str]) -> None:
        """Load the facts of further files."""
        self._facts.load(paths)

    def _symbols(self, path: str) -> dict[str, Symbol]:
        """Return a file's symbols by name."""
        return {one.name: one for one in self.facts(path).symbols}

    def symbol(self, place: Origin) -> Symbol | None:
        """Return the symbol at a place."""
        return self.symbols(place.file).get(place.name)

    def has_overloads(self, place: Origin) -> bool:
        """Return whether several functions have the name of a symbol."""
        symbol = self.symbol(place)
        return symbol is not None and symbol.has_overloads

    def local(self, origin: Origin) -> Origin:
        """Return the place of a name that a file exports, by its name in that file."""
        return Origin(origin.file, self.facts(origin.file).exported.get(origin.name, origin.name))

    def origin(self, path: str, name: str) -> Origin | None:
        """Return the place of a name of a file, through its imports."""
        return next((place for place, rest in self.resolved(path, name) if not rest), None)

    def _resolved(self, path: str, chain: str) -> tuple[tuple[Origin, tuple[str, ...]], ...]:
        """Return the symbols that `a.b.c` may mean in a file, each with the names left after it.

        A module has the name "". Empty for names from outside the loaded files.
        """
        names = chain.split(".")
        language = self._graph.sources.languages.get(path, "")
        resolver = self._graph.resolvers.get(language)
        # A full name begins with "" in PHP; a type of Ruby may be in many files.
        is_own = bool(names[0]) and names[0] in self.symbols(path)
        if is_own and not (resolver is not None and LANGUAGES[language].row.nests):
            return ((Origin(path, names[0]), tuple(names[1:])),)
        found: dict[Origin, tuple[str, ...]] = {}
        for origin, rest in resolver.origins(path, names) if resolver is not None else ():
            place = self.local(origin)
            if not place.name or place.name in self.symbols(place.file):
                found.setdefault(place, tuple(rest))
        return tuple(found.items())

    def value(self, path: str, expression: Value, depth: int = 0) -> Values:
        """Return the classes that a value expression of a file may be an instance of; None if unknown."""
        key = (path, expression)
        if key not in self._values and depth > DEEPEST:
            return None
        return _found_once(self._values, key, None, lambda: self._find(path, expression, depth + 1))

    def _find(self, path: str, value: Value, depth: int, is_item: bool = False) -> Values:
        """Return the value of an expression, or with `is_item` that of its items."""
        how, name, of = value
        if how in (How.name, How.instance):
            return self._chain(path, name, False, is_item, depth)
        if how is How.fixture:
            fixture = self.fixtures.named(path, name)
            return self.of_place(fixture, True, is_item, depth) if fixture is not None else _NOTHING
        if how is How.parent:
            return frozenset(self.bases(Origin(path, name))[0])
        if how is How.container:
            return self.value(path, of, depth) if is_item and of is not None else _NOTHING
        if of is None:
            return None if how is How.unknown else _NOTHING
        if how is How.item and not is_item:
            return self._find(path, of, depth, is_item=True)
        if how is How.call:
            if of.how is How.name:
                return self._chain(path, of.name, True, is_item, depth)
            # A class that was passed as a value gives an instance.
            return self._find(path, of, depth, is_item)
        return self.step(self.value(path, of, depth), value, is_item, depth)

    def _chain(self, path: str, chain: str, is_call: bool, is_item: bool, depth: int) -> Values:
        """Return the value of `a.b.c` in a file, of calling it, or of an item of that."""
        found: set[Origin] = set()
        is_unknown = False
        for place, rest in self.resolved(path, chain):
            values = self.of_place(place, is_call and not rest, is_item and not rest, depth)
            for name in rest:
                values = self.step(values, Value(How.member, name), is_item and name == rest[-1], depth)
            is_unknown = is_unknown or values is None
            found |= values or _NOTHING
        return None if is_unknown and not found else frozenset(found)

    def of_place(self, place: Origin, is_call: bool = False, is_item: bool = False, depth: int = 0) -> Values:
        """Return the value of a symbol, of calling it, or of an item of that."""
        symbol = self.symbol(place)
        if symbol is None or not place.name:
            return _NOTHING
        if symbol.kind in CLASSES:
            if any(base.last == "Protocol" for base in symbol.bases):  # any class that has its methods
                return None
            itself = frozenset((place,))
            return self.step(itself, Value(How.item), False, depth) if is_item else itself
        if symbol.kind in ("function", "method", "fixture", "test") and not is_call:
            return _NOTHING
        if symbol.gives is None or symbol.gives.last in _PLACEHOLDERS:
            return None
        return self.value(place.file, derived(How.item, symbol.gives) if is_item else symbol.gives, depth + 1)

    def step(self, values: Values, last: Value, is_item: bool = False, depth: int = 0) -> Values:
        """Return what the last step of a value expression makes of the classes before it, or an item of that."""
        if not values:
            return values
        name = {How.item: "__iter__", How.entered: "__enter__"}.get(last.how, last.name)
        found: set[Origin] = set()
        is_unknown = False
        for one in values:
            member = self.member(one, name)
            symbol = self.symbol(member) if member is not None else None
            if member is None or symbol is None or symbol.gives is None:
                is_unknown = True
            elif symbol.gives == Value(How.instance, member.name.rpartition(".")[0]) and not is_item:
                found.add(one)
            else:
                gives = derived(How.item, symbol.gives) if is_item or last.how is How.item else symbol.gives
                inner = self.value(member.file, gives, depth + 1)
                is_unknown = is_unknown or inner is None
                found |= inner or _NOTHING
        if last.how is How.entered and not found:
            return values
        return None if is_unknown and not found else frozenset(found)

    # Classes

    def member(self, owner: Origin, name: str) -> Origin | None:
        """Return the definition that attribute `name` of an instance has, in its class or a parent."""
        seen: set[Origin] = set()
        left = [owner]
        while left and len(seen) < 200:
            one = left.pop()
            if one in seen:
                continue
            seen.add(one)
            full = f"{one.name}.{name}"
            for file in (*self.parts(one.file), one.file):  # a definition before its declaration
                if full in self.symbols(file):
                    return Origin(file, full)
            left += reversed(self.bases(one)[0])
        return None

    def _parts(self, path: str) -> tuple[str, ...]:
        """Return further files that define members of a file's types."""
        resolver = self._graph.resolvers.get(self._graph.sources.languages.get(path, ""))
        return tuple(resolver.parts(path)) if resolver is not None else ()

    def bases(self, owner: Origin) -> tuple[tuple[Origin, ...], bool]:
        """Return the parents of a class, and whether one from outside the loaded files may call its methods."""
        return _found_once(self._bases, owner, ((), False), lambda: self._find_bases(owner))

    def _find_bases(self, owner: Origin) -> tuple[tuple[Origin, ...], bool]:
        symbol = self.symbol(owner)
        parents: dict[Origin, None] = {}
        is_open = False
        for base in symbol.bases if symbol is not None else ():
            values = self.value(owner.file, base)
            is_open = is_open or (not values and base.last not in CALL_NOTHING)
            parents.update(dict.fromkeys(sorted(values or ())))
        parents.update(dict.fromkeys(self._implemented.get(owner, ())))
        parents.pop(owner, None)
        return tuple(parents), is_open

    def _family(self, owner: Origin) -> tuple[Origin, ...]:
        """Return a class with all that inherit from it."""
        family: dict[Origin, None] = {owner: None}
        left = [owner]
        while left and len(family) < 1000:
            new = [one for one in self._children.get(left.pop(), ()) if one not in family]
            family.update(dict.fromkeys(new))
            left += new
        return tuple(family)

    @cached_property
    def _children(self) -> dict[Origin, list[Origin]]:
        """Class -> the classes that name it as parent."""
        found: dict[Origin, list[Origin]] = {}
        naming = (
            Origin(path, symbol.name)
            for path, kept in self._facts.by_path.items()
            for symbol in (kept.symbols if kept.has_bases else ())
            if symbol.bases
        )
        for place in dict.fromkeys((*naming, *self._implemented)):
            for base in self.bases(place)[0]:
                found.setdefault(base, []).append(place)
        return found

    @cached_property
    def _implemented(self) -> dict[Origin, list[Origin]]:
        """Class -> the interfaces all of whose methods it has, where having them is enough."""
        interfaces: dict[Origin, set[str]] = {}
        classes: dict[Origin, set[str]] = {}
        for path in list(self._facts.by_path):  # a name may lead to further files
            if not LANGUAGES[self._graph.sources.languages[path]].row.is_structural:
                continue
            for symbol in self.symbols(path).values():
                place = self.origin(path, symbol.name.rpartition(".")[0]) if symbol.kind == "method" else None
                holder = self.symbol(place) if place is not None else None
                if place is not None and holder is not None and holder.kind in CLASSES:
                    holders = interfaces if holder.kind == "interface" else classes
                    holders.setdefault(place, set()).add(symbol.name.rpartition(".")[2])
        found: dict[Origin, list[Origin]] = {}
        for place, names in classes.items():
            implemented = [one for one, wanted in interfaces.items() if wanted <= names]
            if implemented:
                found[place] = implemented
        return found

    def implicit(self, owner: Origin) -> tuple[Origin, ...]:
        """Return the methods of a class that run without being named: special ones, and those a parent may call."""
        return _found_once(self._implicit, owner, (), lambda: self._find_implicit(owner))

    def _find_implicit(self, owner: Origin) -> tuple[Origin, ...]:
        parents, is_open = self.bases(owner)
        names = {one.name.rpartition(".")[2]: one for parent in parents for one in self.implicit(parent)}
        parts = (owner.file, *self.parts(owner.file))
        for file, name, symbol in ((part, *pair) for part in parts for pair in self.symbols(part).items()):
            holder, _, member = name.rpartition(".")
            if holder == owner.name and symbol.kind == "method" and member not in CONSTRUCTORS:
                is_special = member.startswith("__") and member.endswith("__")
                if is_special or is_open or any(self.member(parent, member) is not None for parent in parents):
                    names[member] = Origin(file, name)
        return tuple(names.values())


def _found_once(known: dict[Key, Found], key: Key, meanwhile: Found, find: Callable[[], Found]) -> Found:
    """Return what is found once for a key; `meanwhile` where finding it leads back to it."""
    if key not in known:
        known[key] = meanwhile
        known[key] = find()
    return known[key]
