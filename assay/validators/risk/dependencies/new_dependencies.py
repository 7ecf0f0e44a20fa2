"""New and moved dependencies, read from the manifests of both sides, not from the diff."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, SourceTree, decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.manifest_table import manifest_of, manifests
from assay.validators.io.structured_files import LIMIT_CHARACTERS, Unreadable
from assay.validators.report.model import Evidence, Statement
from assay.validators.report.risk_facts import NewDependency
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.dependencies.address_owners import own_owners, owner_of
from assay.validators.risk.dependencies.lock_files import locked_changes
from assay.validators.risk.dependencies.manifests.manifest import Declared, Manifest, Scope, Unclear
from assay.validators.risk.dependencies.manifests.register import MANIFESTS
from assay.validators.risk.dependencies.version_moves import Move, move, source_of
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import listed

MOST_MANIFESTS = 400
"""Maximum manifests of the base read to decide whether a package is new to the whole repository."""
_SHIPPED = frozenset({Scope.runtime, Scope.peer})
_NOT_DECLARING = (Nature.vendored, Nature.test)
_FAR = (Move.to_address, Move.back, Move.major, Move.early)
"""Moves after which users may get a very different version."""


class NewDependenciesSignal:
    """Signal `new_dependencies`: a new package is third-party code with this repository's rights."""

    name = "new_dependencies"
    answers = Question.dependencies
    covers = manifests(
        *"pypi conda npm go-module cargo maven rubygems composer nuget image lock".split(),
    )

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every new or moved package, statements on them, and what could not be read."""
        moves: list[_Move] = []
        shipped: set[tuple[str, str]] = set()
        for file in context.change.files:
            reader = reader_of(file.path)
            if reader is not None and file.nature not in (Nature.vendored, Nature.generated, Nature.test):
                what = f"dependencies in {shown(file.path)}"
                try:
                    before = _read(context.change.base, file.base_path, reader)
                    after = _read(context.change.head, file.path if file.exists else None, reader)
                except Unreadable as error:
                    yield NotChecked(what, str(error))
                    continue
                moves.extend(_moves(file, before, after))
                shipped |= _shipped(before) & _shipped(after)
                unclear = [one for one in after if isinstance(one, Unclear) and one not in before]
                yield from (NotChecked(what, one.why) for one in unclear)
        declared = {(one.now.ecosystem, one.now.name) for one in moves}
        for file in context.change.files:
            if _is_lock(file):
                yield from locked_changes(context, file, declared, shipped - declared if declared else ())
        if not moves:
            return
        here = _Known(context.change)
        moves = [one for one in moves if one.was is not None or one.is_from_elsewhere or not here.has(one.now)]
        for one in moves:
            yield one.as_measure()
        new = [one for one in moves if one.was is None]
        if new:
            what = "licence, age and known vulnerabilities of new dependencies"
            yield NotChecked(what, "registries are not queried; check before merging")
        yield from _statements(context, new, [one for one in moves if one.was is not None])


def _statements(context: RiskContext, new: list[_Move], moved: list[_Move]) -> Iterator[Statement]:
    elsewhere = [one for one in (*new, *moved) if one.is_from_elsewhere]
    own = own_owners(context.change.base) if elsewhere else frozenset()
    theirs = [one for one in elsewhere if owner_of(source_of(one.now.version)) not in own]
    new, moved = ([one for one in moves if not one.is_from_elsewhere] for moves in (new, moved))
    extras = [one for one in new if one.now.scope is Scope.optional]
    tools = [one for one in new if one.now.scope not in _SHIPPED | {Scope.optional}]
    groups = [
        ("code_fetched", theirs, Move.to_address.value),
        ("from_own_address", [one for one in elsewhere if one not in theirs], Move.to_address.value),
        ("new_dependency", [one for one in new if one.now.scope in _SHIPPED], "adds {} to the runtime dependencies"),
        ("new_tool", extras, "adds {} to the optional dependencies"),
        ("new_tool", tools, "adds {} to the development dependencies"),
    ]
    for kind in _FAR:
        to_users = [one for one in moved if one.kind is kind and one.now.scope in _SHIPPED]
        groups.append(("dependency_moved", to_users, kind.value))
    for name, moves, what in groups:
        if moves:
            names = list(dict.fromkeys(one.now.name for one in moves))
            more = tuple(Evidence(one.in_words(), one.file, one.line) for one in moves)
            text = what.format(listed(names, 3))
            yield Statement(name, text, moves[0].file, moves[0].line, evidence=more if len(more) > 1 else ())


def _shipped(declared: Iterable[Declared | Unclear]) -> set[tuple[str, str]]:
    return {(one.ecosystem, one.name) for one in declared if isinstance(one, Declared) and one.scope in _SHIPPED}


def _is_lock(file: ChangedFile) -> bool:
    kind = manifest_of(file.path)
    is_file = file.kind in (FileKind.text, FileKind.oversize)
    return kind is not None and kind.key == "lock" and file.nature is Nature.lock and file.exists and is_file


def reader_of(path: str) -> Manifest | None:
    """Return the manifest reader for a file's name."""
    return next((manifest for manifest in MANIFESTS if manifest.claims(path)), None)


@dataclass(frozen=True, slots=True)
class _Move:
    """Package in a manifest after the change, and its state before."""

    file: str
    line: int | None
    now: Declared
    was: Declared | None

    @property
    def kind(self) -> Move:
        """Kind of its version change."""
        return move(self.now.ecosystem, self.was.version if self.was else None, self.now.version)

    @property
    def is_from_elsewhere(self) -> bool:
        """Whether it comes from an address now and did not before."""
        place = source_of(self.now.version)
        return place is not None and place != source_of(self.was.version if self.was else None)

    def in_words(self) -> str:
        before = f"{self.was.version or 'any version'} -> " if self.was else ""
        return f"{self.now.name} {before}{self.now.version or 'any version'} ({self.now.scope})"

    def as_measure(self) -> NewDependency:
        return NewDependency(
            name=self.now.name,
            ecosystem=self.now.ecosystem,
            manifest=self.file,
            version=self.now.version,
            before=(self.was.version or "any") if self.was else None,
            scope=str(self.now.scope),
            line=self.line,
        )


def _moves(
    file: ChangedFile, before: Iterable[Declared | Unclear], after: Iterable[Declared | Unclear]
) -> Iterator[_Move]:
    known = _packages(before)
    for key, now in _packages(after).items():
        was = known.get(key)
        if was is not None and now.scope in _SHIPPED and was.scope not in _SHIPPED:
            was = None  # known to developers, new to users
        if was is None or was.version != now.version:
            yield _Move(file.path, _line_of(now, file.added), now, was)


def _read(tree: SourceTree, path: str | None, reader: Manifest) -> list[Declared | Unclear]:
    content = tree.read(path, LIMIT_CHARACTERS) if path is not None else b""
    if content is None:
        raise Unreadable("too large, or not a regular file")
    return list(reader.read(path, decoded(content))) if path is not None else []


def _packages(said: Iterable[Declared | Unclear]) -> dict[tuple[str, str], Declared]:
    """Return (ecosystem, name) -> declaration, versions joined; the scope nearest to users wins."""
    found: dict[tuple[str, str], Declared] = {}
    for one in said:
        if isinstance(one, Unclear):
            continue
        key = one.ecosystem, one.name
        found[key] = _joined(found[key], one) if key in found else one
    return found


def _joined(one: Declared, other: Declared) -> Declared:
    versions = dict.fromkeys(filter(None, [one.version, other.version]))
    nearer = min((one, other), key=lambda declared: list(Scope).index(declared.scope))
    return Declared(one.ecosystem, one.name, " | ".join(versions) or None, nearer.scope)


@dataclass(frozen=True)
class _Known:
    """Packages in the base's manifests, and the repository's own packages; read on first use."""

    change: ChangeSet

    @cached_property
    def _found(self) -> frozenset[tuple[str, str, bool]]:
        return frozenset(self._all())

    def has(self, declared: Declared) -> bool:
        key = declared.ecosystem, declared.name
        return (*key, True) in self._found or ((*key, False) in self._found and declared.scope not in _SHIPPED)

    def _all(self) -> Iterator[tuple[str, str, bool]]:
        paths = (path for path in self.change.base.paths if self.change.nature_of(path) not in _NOT_DECLARING)
        readers = {path: reader for path in paths if (reader := reader_of(path)) is not None}
        for path, content in self.change.base.read_many(list(readers)[:MOST_MANIFESTS], LIMIT_CHARACTERS):
            if content is None:
                continue
            try:
                for one in readers[path].read(path, decoded(content)):
                    if isinstance(one, Declared):
                        yield one.ecosystem, one.name, one.scope in _SHIPPED
            except Unreadable:
                continue


def _line_of(declared: Declared, added: Mapping[int, str]) -> int | None:
    """Return the added line with a package's address or its name, compared as registries compare names."""
    place = source_of(declared.version)
    at = next((number for number, line in added.items() if place is not None and place in line), None)
    if at is not None:
        return at
    loose = "[-_.]+".join(re.escape(part) for part in re.split(r"[-_.]+", declared.name.rpartition(":")[2]))
    wanted = re.compile(rf"(?<![\w@/.-]){loose}(?![\w/.-])", re.IGNORECASE)
    return next((number for number, line in added.items() if wanted.search(line[:2000])), None)
