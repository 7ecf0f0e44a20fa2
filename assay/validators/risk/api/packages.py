"""Public interface of packages that export by declaring: definitions of the changed files, before and after."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, SourceTree, decoded
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.symbol_values import SymbolValues
from assay.validators.graph.tree_facts import TreeFacts
from assay.validators.languages.engine.declared import GRANTS
from assay.validators.languages.engine.interface import DEFAULT, INFERRED, Exposed, interface_of, still_fits
from assay.validators.languages.engine.pieces import CONSTRUCTOR
from assay.validators.languages.engine.rust_modules import RustModules
from assay.validators.languages.language import Origin
from assay.validators.languages.register import LANGUAGES, language_at
from assay.validators.report.answers import unanswered
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.api.difference import NameChange
from assay.validators.risk.api.libraries import JVM, MANIFESTS, Libraries, folder_of
from assay.validators.risk.signal import RiskContext
from assay.validators.wording import shortened

COVERED = frozenset[str]().union(*(LANGUAGES[name].covers for name in MANIFESTS))
LONGEST = 100
MOST_PARENTS = 100
_OFFERS = re.compile(r"\bpub\s+(?:mod|use)\b")
_MAKES = re.compile(rb"\b(?:define_method|class_eval|instance_eval|__call(?:Static)?)\b")
_LOST = "no longer extends or implements"
_A_KIND = {
    "interface": "an interface",
    "class": "a type",
    "function": "a function",
    "constant": "a variable or constant",
    "attribute": "a member",
    "method": "a method",
}
_BOTH = ("static", "suspend", "async")
"""Marks that break callers whether they come or go."""
_NOUNS = {"attribute": "member", "class": "type"}
_BREAKING, _FINE, _UNKNOWN = ApiChangeKind.breaking, ApiChangeKind.non_breaking, ApiChangeKind.unknown


_WRITTEN_OUT = ("enum_item", "struct_item", "record_declaration")
"""Types whose users may write out or match all their parts."""
_Names = dict[str, list[tuple[Exposed, str, int]]]
"""Name -> its exported definitions, each with file and line."""
_Change = tuple[ApiChangeKind, str, str, str, int | None]


@dataclass(slots=True)
class _Package:
    """Exported definitions of one package in the changed files; it is `early` before 1.0."""

    before: _Names = field(default_factory=lambda: defaultdict(list))
    after: _Names = field(default_factory=lambda: defaultdict(list))
    is_early: bool = False
    is_broken: bool = False


def of_packages(context: RiskContext) -> Iterator[NameChange | NotChecked]:
    """Yield the changes of names that a published package exports.

    Types are compared as they are written: another import of the same name is not seen.
    """
    change = context.change
    modules = Libraries(change.base), Libraries(change.head)
    packages: dict[tuple[str, str, str], _Package] = defaultdict(_Package)
    for file in change.files:
        language = _language(file)
        origin = file.base_path
        side = modules[origin is None]
        if language is None or not side.publish(origin or file.path, language):
            continue
        read = [_add(packages, language, change.base, origin, 0, context.base_graph)] if origin is not None else []
        read += [_add(packages, language, change.head, file.path, 1, context.head_graph)] if file.exists else []
        packages[read[0][0]].is_early |= side.is_early(origin or file.path, language)
        if not all(is_whole for _, is_whole in read):
            yield from unanswered([file], Question.interface, "a part of it cannot be parsed")
    hidden = [path for path in _exposed_otherwise(context) if modules[0].publish(path, "rust")]
    for path in hidden:
        _add(packages, "rust", change.base, path, 0, context.base_graph)
        _add(packages, "rust", change.head, path, 1, context.head_graph)
    changed = {*hidden, *(file.path for file in change.files)}
    offered = {(_reach(path, kind), name) for (kind, _, _), path, name in _each(packages)}
    kinds = {language for language, _, _ in packages}
    there = {one: _Remaining(context.head_graph, one, changed, offered) for one in kinds}
    for (language, _, namespace), package in packages.items():
        prefix = f"{namespace}." if language == "go" else ""
        found = _compared(change, package, there[language]) if not package.is_broken else ()
        for kind, name, what, path, line in found:
            early = package.is_early
            yield NameChange(kind, f"{prefix}{name}", name, what, path, line, exported=False, is_early=early)


def _exposed_otherwise(context: RiskContext) -> Iterator[str]:
    """Yield the unchanged files of Rust that changed modules offer less of."""
    lines = [each for one in context.change.files if one.path.endswith(".rs") for each in one.removed.values()]
    if not any(map(_OFFERS.search, lines)):
        return
    before, after = (graph.resolvers.get("rust") for graph in (context.base_graph, context.head_graph))
    if not (isinstance(before, RustModules) and isinstance(after, RustModules)):
        return
    for path, language in context.head_graph.sources.languages.items():
        if language == "rust" and path in context.change.base and path not in context.change.by_path:
            names = context.head_graph.sources.scan(path).declares
            if any(before.exposes(path, name) and not after.exposes(path, name) for name in names):
                yield path


def _each(packages: Mapping[tuple[str, str, str], _Package]) -> Iterator[tuple[tuple[str, str, str], str, str]]:
    """Yield the package, file and name of each definition that the head offers."""
    for key, package in packages.items():
        yield from ((key, path, name) for name, several in package.after.items() for _, path, _ in several)


def _add(
    packages: dict[tuple[str, str, str], _Package],
    language: str,
    tree: SourceTree,
    path: str,
    index: int,
    graph: ImportGraph,
) -> tuple[tuple[str, str, str], bool]:
    """Add the exported definitions of one side of a file; return its package, and whether all of it could be read."""
    reading = LANGUAGES[language].reading(path, tree.read(path) or b"")
    resolver = graph.resolvers[language]
    place = path if language in ("rust", "cpp") else _home_of(path, language)
    key = language, place, reading.namespace if reading is not None else ""
    is_whole = reading is not None and not reading.has_error
    packages[key].is_broken |= not is_whole
    if reading is not None and reading.namespace != "main":
        names = (packages[key].before, packages[key].after)[index]
        for name, several in interface_of(reading).items():
            if not isinstance(resolver, RustModules) or resolver.exposes(path, name.partition(".")[0]):
                names[name] += [(one, path, line) for one, line in several]
    return key, is_whole


def _language(file: ChangedFile) -> str | None:
    """Return the language of a file of source that this module compares."""
    if file.kind is not FileKind.text or file.nature is not Nature.source or file.is_example:
        return None
    language = language_at(file.path)
    return language.name if language is not None and language.name in MANIFESTS else None


def _reach(path: str, language: str) -> str:
    """Return where a name may move: in Rust and C anywhere, since its old module or header may re-export it."""
    return "" if language in ("rust", "cpp") else _home_of(path, language)


def _home_of(path: str, language: str) -> str:
    """Return the folder whose files make a package: any, where a package is opened by many files."""
    return "" if LANGUAGES[language].row.nests else folder_of(path)


def _compared(change: ChangeSet, package: _Package, there: _Remaining) -> Iterator[_Change]:
    """Yield (kind, name, what, file, line) of each difference; a type that is gone or new stands for its members."""
    before, after = package.before, package.after
    gone, come = before.keys() - after.keys(), after.keys() - before.keys()
    for name, old in before.items():
        owner = name.rpartition(".")[0]
        if name in gone:
            is_overridden = all("override" in one.marks for one, _, _ in old)
            owners = [path for _, path, _ in after.get(owner, ())]
            if owner not in gone and not is_overridden and not there.has(name, owners, old):
                # Without any constructor a type has one that takes nothing, unless that is hidden now.
                is_implied = name == f"{owner}.{CONSTRUCTOR}" and not any(one.takes for one, _, _ in old)
                place, line = _place(change, old[0][1], old[0][2])
                kind = (
                    _UNKNOWN
                    if is_implied or (old[0][0].kind == "method" and there.may_make(name, place))
                    else _BREAKING
                )
                yield kind, shown_name(name), "removed", place, line
        elif _kind(before, owner) == _kind(after, owner):  # else the change of the type says it
            yield from _altered(name, old, after[name], there)
    for name, ((new, path, line), *_) in after.items():
        owner = name.rpartition(".")[0]
        if name not in come or owner in come:
            continue
        of = before[owner][0][0] if owner in before and _kind(before, owner) == _kind(after, owner) else Exposed("")
        # Who implements an interface must implement a new method, if others may implement it.
        is_owed = ("abstract" in new.marks and "sealed" not in of.marks) or "required" in new.marks
        is_owed = is_owed and bool(of.kind)
        is_whole = of.gives in _WRITTEN_OUT and not of.marks & {"partly private", "non_exhaustive"}
        is_part = is_whole and new.kind == "attribute" and f"{owner}.{CONSTRUCTOR}" not in after
        what = f"new {_noun(name, new)}{' that implementers must have' if is_owed and new.kind == 'method' else ''}"
        kind = _BREAKING if is_owed else _UNKNOWN if is_part else _FINE
        yield kind, shown_name(name), what, path, line


def _place(change: ChangeSet, path: str, line: int) -> tuple[str, int | None]:
    """Return where the head has what replaced a line of the base."""
    file = next((one for one in change.files if one.base_path == path and one.exists), None)
    return (path, None) if file is None else (file.path, file.replaced_at(line, line))


def _kind(names: _Names, name: str) -> str:
    return names[name][0][0].kind if name in names else ""


_Several = Sequence[tuple[Exposed, str, int]]


def _altered(name: str, old: _Several, new: _Several, there: _Remaining) -> Iterator[_Change]:
    """Yield the differences of a name that both sides have: of an overload those to the one with the same types."""
    shown = shown_name(name)
    is_one = len(old) == len(new) == 1
    # Without overloads a name has one definition of each kind: a method, one of the class, a property of the same name.
    before, after = (
        {
            None if is_one else one.takes if there.has_types else (one.kind, "static" in one.marks): (one, at, line)
            for one, at, line in side
        }
        for side in (old, new)
    )
    for key, (one, path, line) in after.items():
        if key in before:
            was = before[key][0]
            for kind, what in _differences(was, one, there.has_types):
                if not (what.startswith(_LOST) and there.inherits(path, name, was.bases - one.bases, one.bases)):
                    yield kind, shown, what, path, line
        else:
            yield _FINE, shown, f"new overload {_list(one.takes)}" if there.has_types else f"new {one.kind}", path, line
    for key in before.keys() - after.keys():
        gone = f"overload {_list(before[key][0].takes)} removed" if there.has_types else "removed"
        yield _BREAKING, shown, gone, new[0][1], new[0][2]


def _differences(old: Exposed, new: Exposed, has_types: bool) -> Iterator[tuple[ApiChangeKind, str]]:
    """Yield the differences of one definition; without `has_types` a type need not be written."""
    if old.kind != new.kind:
        # A variable that holds a function is called like one.
        kind = _UNKNOWN if (old.kind, new.kind) == ("function", "constant") else _BREAKING
        yield kind, f"is {_A_KIND[new.kind]} now"
        return
    takes = old.takes or (), new.takes or ()
    if new.kind == "method" and not has_types and (old.takes is None) is not (new.takes is None):
        yield _UNKNOWN, "takes parameters that are not written here"
    elif takes[0] != takes[1]:
        kind = _accepts(*takes) if has_types else _FINE if still_fits(*takes) else _BREAKING
        yield kind, f"takes {_list(new.takes)} instead of {_list(old.takes)}"
    if old.gives != new.gives and INFERRED in (old.gives, new.gives):
        yield _UNKNOWN, shortened(f"is of type {new.gives}, was {old.gives}", LONGEST)
    elif old.gives != new.gives:
        verb = "returns" if new.takes is not None else "is of type"
        nothing = "nothing" if has_types else "an unwritten type"
        kind = _BREAKING if has_types or (old.gives and new.gives) else _UNKNOWN
        kind = _UNKNOWN if "an alias" in new.rest or _only_nullable(old.gives, new.gives) else kind
        yield kind, shortened(f"{verb} {new.gives or nothing} instead of {old.gives or nothing}", LONGEST)
    elif old.bases != new.bases:
        gone, come = sorted(old.bases - new.bases), sorted(new.bases - old.bases)
        yield (_BREAKING, f"{_LOST} {gone[0]}") if gone else (_FINE, f"extends or implements {come[0]} too")
    for one in sorted(new.throws ^ old.throws):
        yield _UNKNOWN, f"throws {one} now" if one in new.throws else f"does not throw {one} now"
    yield from _other_words(old, new)


def _other_words(old: Exposed, new: Exposed) -> Iterator[tuple[ApiChangeKind, str]]:
    """Yield other modifiers and bounds; those without a known effect are unknown."""
    for mark in sorted((old.marks ^ new.marks) - {"override"}):
        is_new = mark in new.marks
        if mark == "partly private" and not is_new:
            continue
        # A class that only makes its own instances had no children to lose.
        is_class = mark in ("final", "sealed") and new.kind in ("class", "interface")
        breaks = mark in _BOTH or is_new is not (mark in GRANTS)
        yield (_FINE if not breaks else _UNKNOWN if is_class else _BREAKING), f"is {'' if is_new else 'not '}{mark} now"
    if lost := sorted(old.rest - new.rest):
        yield _UNKNOWN, shortened(f"is declared without {', '.join(lost)} now", LONGEST)
    elif come := sorted(new.rest - old.rest):
        yield _UNKNOWN, shortened(f"is declared with {', '.join(come)} now", LONGEST)


def _accepts(old: tuple[str, ...], new: tuple[str, ...]) -> ApiChangeKind:
    """Return what other parameters do to callers: unknown if a caller has to be built again to leave one out."""
    if _takes_more(old, new) or (old[:1] == ("&mut self",) and new == ("&self", *old[1:])):
        return _FINE
    if len(old) == len(new) and all(one == two or _only_nullable(two, one) for one, two in zip(old, new, strict=True)):
        return _UNKNOWN
    plain = [tuple(one.removesuffix(DEFAULT) for one in side) for side in (old, new)]
    is_kept = all(not one.endswith(DEFAULT) or two.endswith(DEFAULT) for one, two in zip(old, new, strict=False))
    is_longer = plain[1][: len(old)] == plain[0] and is_kept and all(one.endswith(DEFAULT) for one in new[len(old) :])
    return _BREAKING if not is_longer else _FINE if len(old) == len(new) else _UNKNOWN


def _only_nullable(old: str, new: str) -> bool:
    """Return whether a type is the same but for `null`, which it no longer holds."""
    return new in (old.removesuffix("?"), old.removeprefix("?")) and new != old


def _takes_more(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    """Return whether a function takes any number of last arguments, and all that it took."""
    if not new or not new[-1].startswith("..."):
        return False
    before = old[-1] if old and new[:-1] == old[:-1] else None
    return new[:-1] == old or before in (new[-1][3:], f"{new[-1][3:]}[]")


class _Remaining:
    """What the head still has of what the changed files lost: in other files, or from a parent."""

    def __init__(
        self, graph: ImportGraph, language: str, changed: Collection[str], offered: Collection[tuple[str, str]]
    ) -> None:
        self._language, self._nests = language, LANGUAGES[language].row.nests
        self.has_types = not LANGUAGES[language].row.hoists
        self._sources = graph.sources
        self._values = SymbolValues(graph, TreeFacts(graph.sources, None), on_demand=True)
        self._declared: dict[str, set[str]] = defaultdict(set)
        for place, name in offered:
            self._declared[place].add(name)
        for path, kind in graph.sources.languages.items():
            # What a changed file declares and does not offer is hidden now.
            if path in changed:
                continue
            if kind == language or (kind in JVM and language in JVM):
                declared = (name.removesuffix(".") for name in graph.sources.scan(path).declares)
                self._declared[_reach(path, kind)].update(declared)

    def may_make(self, name: str, path: str) -> bool:
        """Return whether code of a file may define a method that it names in a text or symbol, as Ruby's may."""
        content = b"" if self.has_types else self._sources.read(path) or b""
        said = re.escape(name.rpartition(".")[2])
        written = rf"[:'\"]{said}\b|%[iIwW]\W[^\])}}]{{0,500}}\b{said}\b"
        return _MAKES.search(content) is not None and re.search(written, decoded(content)) is not None

    def has(self, name: str, owners: Sequence[str], old: Sequence[tuple[Exposed, str, int]]) -> bool:
        """Return whether a name is still there; `owners` are the changed files of its type."""
        owner, _, last = name.rpartition(".")
        if not owner or self._nests:
            is_there = name in self._declared[_reach(old[0][1], self._language)]
            if is_there or not owner:
                return is_there
        places = [Origin(path, owner) for path in owners] or [Origin(old[0][1], owner)]
        found = [self._values.member(place, last) for place in places]
        # One that is still in its type is hidden now.
        return any(one is not None and one not in [Origin(path, name) for path in owners] for one in found)

    def inherits(self, path: str, name: str, lost: Collection[str], kept: Collection[str]) -> bool:
        """Return whether a type with the parents in `kept` still has all of these parents, through others."""
        seen: set[Origin] = set()
        left, last = [Origin(path, name)], set(map(_last, kept))
        while left and len(seen) < MOST_PARENTS:
            one = left.pop()
            if one not in seen:
                seen.add(one)
                symbol = self._values.symbol(one)
                last |= {base.last for base in (symbol.bases if symbol is not None else ())}
                left += self._values.bases(one)[0]
        return {_last(one) for one in lost} <= last


def _last(name: str) -> str:
    return re.split(r"[.:]", name.partition("<")[0])[-1]


def shown_name(name: str) -> str:
    """Return a name as its users write it: a constructor by its class."""
    owner, _, last = name.rpartition(".")
    return f"new {owner}" if last == CONSTRUCTOR else name


def _noun(name: str, one: Exposed) -> str:
    if one.kind == "attribute" and not one.gives:
        return "value"
    return "constructor" if name.rpartition(".")[2] == CONSTRUCTOR else _NOUNS.get(one.kind, one.kind)


def _list(takes: tuple[str, ...] | None) -> str:
    return shortened(f"({', '.join(takes or ())})", LONGEST)
