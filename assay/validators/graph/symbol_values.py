"""Classes behind value expressions: which definition `x.m` means, as far as the text of the files says.

Files outside `TreeFacts` cannot use the change; a value that comes from there, or from outside the tree, is known to be
none of ours (an empty set), which differs from unknown (None).
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterator
from functools import cached_property

from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.kept_facts import NONE, KeptFacts
from assay.validators.graph.pytest_fixtures import Fixtures
from assay.validators.graph.tree_facts import TreeFacts
from assay.validators.languages.fact_writer import last_name
from assay.validators.languages.language import Origin, Symbol

CLASSES = ("class", "interface")
CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__attrs_post_init__", "constructor")
RARELY_RUN = frozenset("__repr__ __del__ __copy__ __deepcopy__ __reduce__ __getstate__ __setstate__ __dir__".split())
CALL_NOTHING = frozenset(
    [name for name in dir(builtins) if isinstance(getattr(builtins, name), type)]
    + "ABC Generic Protocol NamedTuple TypedDict OrderedDict defaultdict deque Error".split()
)
"""Classes from outside whose code calls no method by its plain name: `dict.update` does not call `__setitem__`."""

STRUCTURAL = ("go",)
"""Languages in which a class implements an interface without naming it."""

DEEPEST = 12
"""Maximum steps from a value expression to a class."""

Values = frozenset[Origin] | None
_NOTHING: frozenset[Origin] = frozenset()
_PLACEHOLDERS = frozenset(("TypeVar", "ParamSpec", "TypeVarTuple", "NewType"))


class SymbolValues:
    """Values of the files in `facts`."""

    def __init__(self, graph: ImportGraph, facts: TreeFacts) -> None:
        self._graph = graph
        self._facts = facts
        self.fixtures = Fixtures(self.facts, graph, self.origin)
        self._symbols: dict[str, dict[str, Symbol]] = {}
        self._values: dict[tuple[str, str], Values] = {}
        self._bases: dict[Origin, tuple[tuple[Origin, ...], bool]] = {}
        self._subclasses: dict[Origin, tuple[Origin, ...]] = {}
        self._parts: dict[str, tuple[str, ...]] = {}
        self._implicit: dict[Origin, tuple[Origin, ...]] = {}
        self._names: dict[tuple[str, str], tuple[tuple[Origin, tuple[str, ...]], ...]] = {}

    @property
    def loaded(self) -> Collection[str]:
        """Files whose facts are known."""
        return self._facts.by_path.keys()

    def facts(self, path: str) -> KeptFacts:
        """Return a file's facts; none for a file that was not loaded."""
        return self._facts.by_path.get(path, NONE)

    def symbols(self, path: str) -> dict[str, Symbol]:
        """Return a file's symbols by name."""
        found = self._symbols.get(path)
        if found is None:
            found = self._symbols[path] = {one.name: one for one in self.facts(path).symbols}
        return found

    def symbol(self, place: Origin) -> Symbol | None:
        """Return the symbol at a place."""
        return self.symbols(place.file).get(place.name)

    def local(self, origin: Origin) -> Origin:
        """Return the place of a name that a file exports, by its name in that file."""
        return Origin(origin.file, self.facts(origin.file).exported.get(origin.name, origin.name))

    def origin(self, path: str, name: str) -> Origin | None:
        """Return the place of a name of a file, through its imports."""
        return next((place for place, rest in self.resolved(path, name) if not rest), None)

    def resolved(self, path: str, chain: str) -> tuple[tuple[Origin, tuple[str, ...]], ...]:
        """Return the symbols that `a.b.c` may mean in a file, each with the names left after it.

        A module has the name "". Empty for names from outside the loaded files.
        """
        found = self._names.get((path, chain))
        if found is None:
            found = self._names[path, chain] = tuple(self._resolve(path, chain.split(".")))
        return found

    def _resolve(self, path: str, names: list[str]) -> Iterator[tuple[Origin, tuple[str, ...]]]:
        if names[0] in self.symbols(path):
            yield Origin(path, names[0]), tuple(names[1:])
            return
        language = self._graph.sources.languages.get(path, "")
        if language not in self._graph.resolvers:
            return
        seen: set[Origin] = set()
        for origin, rest in self._graph.resolvers[language].origins(path, names):
            place = self.local(origin)
            if place not in seen and (not place.name or place.name in self.symbols(place.file)):
                seen.add(place)
                yield place, tuple(rest)

    def value(self, path: str, expression: str, depth: int = 0) -> Values:
        """Return the classes that a value expression of a file may be an instance of; None if unknown."""
        key = (path, expression)
        if key in self._values:
            return self._values[key]
        if depth > DEEPEST:
            return None
        self._values[key] = None  # an expression that leads back to itself
        first, *steps = expression.split(">")
        found = self._first(path, first, depth)
        is_container = first.startswith("*")
        for step in steps:
            if is_container and step == "*":
                is_container = False
                continue
            found = self.step(found, step, depth) if not is_container else _NOTHING
        self._values[key] = found
        return found

    def _first(self, path: str, first: str, depth: int) -> Values:
        if first.startswith("*"):
            return self.value(path, first[1:], depth + 1)
        if first.startswith("@"):
            fixture = self.fixtures.named(path, first[1:])
            gives = self._gives(fixture) if fixture is not None else ""
            return (self.value(fixture.file, gives, depth + 1) if gives else None) if fixture else _NOTHING
        if first.startswith("^"):
            return frozenset(self.bases(Origin(path, first[1:]))[0])
        is_call = first.startswith("()")
        chain = first.removeprefix("()").lstrip(".=")
        if not chain or first == "?":
            return None
        places = self.resolved(path, chain)
        found: set[Origin] = set()
        is_unknown = False
        for place, rest in places:
            values = self.of_place(place, is_call and not rest, depth)
            for index, name in enumerate(rest):
                values = self.step(values, name + "()" * (is_call and index == len(rest) - 1), depth)
            is_unknown = is_unknown or values is None
            found |= values or _NOTHING
        return None if is_unknown and not found else frozenset(found)

    def of_place(self, place: Origin, is_call: bool = False, depth: int = 0) -> Values:
        """Return the value of a symbol, or what calling it gives."""
        symbol = self.symbol(place)
        if symbol is None or not place.name:
            return _NOTHING
        if symbol.kind in CLASSES:
            return frozenset((place,))
        if symbol.kind in ("function", "method", "fixture", "test") and not is_call:
            return _NOTHING
        if not symbol.gives or symbol.gives.removeprefix("()").rpartition(".")[2] in _PLACEHOLDERS:
            return None
        return self.value(place.file, symbol.gives, depth + 1)

    def step(self, values: Values, step: str, depth: int = 0) -> Values:
        """Return the value of an attribute (`m`), of calling it (`m()`), or of an item (`*`)."""
        if not values:
            return values
        if step == "()":
            return values  # a class that was passed as a value
        if step == "with":
            entered = self.step(values, "__enter__()", depth)
            return entered or values
        name = {"*": "__iter__", "with": "__enter__"}.get(step, step.removesuffix("()"))
        found: set[Origin] = set()
        is_unknown = False
        for one in values:
            member = self.member(one, name)
            symbol = self.symbol(member) if member is not None else None
            if member is None or symbol is None or not symbol.gives:
                is_unknown = True
            elif symbol.gives == f"={member.name.rpartition('.')[0]}":
                found.add(one)
            else:
                inner = self.value(member.file, symbol.gives + (">*" if step == "*" else ""), depth + 1)
                is_unknown = is_unknown or inner is None
                found |= inner or _NOTHING
        return None if is_unknown and not found else frozenset(found)

    def _gives(self, place: Origin) -> str:
        symbol = self.symbol(place)
        return symbol.gives if symbol is not None else ""

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
            for file in (one.file, *self.parts(one.file)):
                if full in self.symbols(file):
                    return Origin(file, full)
            left += reversed(self.bases(one)[0])
        return None

    def parts(self, path: str) -> tuple[str, ...]:
        """Return further files that define members of a file's types."""
        found = self._parts.get(path)
        if found is None:
            resolver = self._graph.resolvers.get(self._graph.sources.languages.get(path, ""))
            found = self._parts[path] = tuple(resolver.parts(path)) if resolver is not None else ()
        return found

    def bases(self, owner: Origin) -> tuple[tuple[Origin, ...], bool]:
        """Return the parents of a class, and whether one from outside the loaded files may call its methods."""
        found = self._bases.get(owner)
        if found is None:
            self._bases[owner] = ((), False)
            symbol = self.symbol(owner)
            parents: dict[Origin, None] = {}
            is_open = False
            for base in symbol.bases if symbol is not None else ():
                values = self.value(owner.file, base)
                is_open = is_open or (not values and last_name(base) not in CALL_NOTHING)
                parents.update(dict.fromkeys(sorted(values or ())))
            parents.update(dict.fromkeys(self._implemented.get(owner, ())))
            parents.pop(owner, None)
            found = self._bases[owner] = (tuple(parents), is_open)
        return found

    def family(self, owner: Origin) -> tuple[Origin, ...]:
        """Return a class with all that inherit from it."""
        found = self._subclasses.get(owner)
        if found is None:
            family: dict[Origin, None] = {owner: None}
            left = [owner]
            while left and len(family) < 1000:
                one = left.pop()
                for following in self._children.get(one, ()):
                    if following not in family:
                        family[following] = None
                        left.append(following)
            found = self._subclasses[owner] = tuple(family)
        return found

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
        for path in self._facts.by_path:
            if self._graph.sources.languages.get(path) not in STRUCTURAL:
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
        found = self._implicit.get(owner)
        if found is None:
            self._implicit[owner] = ()
            parents, is_open = self.bases(owner)
            names: dict[str, Origin] = {}
            for parent in parents:
                names |= {one.name.rpartition(".")[2]: one for one in self.implicit(parent)}
            parts = (owner.file, *self.parts(owner.file))
            for file, name, symbol in ((part, *pair) for part in parts for pair in self.symbols(part).items()):
                holder, _, member = name.rpartition(".")
                if holder == owner.name and symbol.kind == "method" and member not in CONSTRUCTORS:
                    is_special = member.startswith("__") and member.endswith("__")
                    if is_special or is_open or any(self.member(parent, member) is not None for parent in parents):
                        names[member] = Origin(file, name)
            found = self._implicit[owner] = tuple(names.values())
        return found
