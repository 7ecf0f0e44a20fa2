"""What a change does to the packages that manifests declare and lock files pin; read once, from both sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, SourceTree, decoded, shown, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.manifest_table import manifest_of
from assay.validators.dependencies.lock_files import LockChange, lock_change
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, Unclear
from assay.validators.dependencies.manifests.python import is_compiled, is_requirements
from assay.validators.dependencies.manifests.register import MANIFESTS
from assay.validators.dependencies.version_moves import Move, move, source_of
from assay.validators.io.structured_files import LIMIT_CHARACTERS, Unreadable
from assay.validators.report.risk_facts import NewDependency, PackageFacts
from assay.validators.report.unknown import NotChecked, Question

MOST_MANIFESTS = 400
"""Maximum manifests of the base read to decide whether a package is new to the whole repository."""
SHIPPED = frozenset({Scope.runtime, Scope.peer})
_APART = (Nature.vendored, Nature.generated, Nature.test)
_NOT_DECLARING = (Nature.vendored, Nature.test)
_EXACT = re.compile(r"(={0,3})\s*(v?\d[\w.+-]*)")
_BARE_IS_EXACT = ("npm", "maven", "golang", "gem", "composer")


@dataclass(frozen=True)
class DependencyChanges:
    """New and moved packages of a change, its lock files, and what could not be read.

    `declared` are (ecosystem, name) of the packages whose declarations change, also of those that another manifest has;
    `shipped` those of the runtime dependencies that a changed manifest has on both sides.
    """

    moves: tuple[Moved, ...]
    locks: tuple[LockChange, ...]
    declared: frozenset[tuple[str, str]]
    shipped: frozenset[tuple[str, str]]
    not_checked: tuple[NotChecked, ...]

    def locked(self, one: Moved) -> tuple[str | None, str | None]:
        """Return the exact versions of a package before and after; None where there is not exactly one."""
        key = one.now.ecosystem, one.now.name
        sides = [pinned for lock in self.locks for pinned in [lock.pinned(*key)] if pinned != (None, None)]
        before, after = sides[0] if sides else (None, None)
        was = one.was.version if one.was else None
        return before or _exact(key[0], was), after or _exact(key[0], one.now.version)


def dependency_changes(change: ChangeSet) -> DependencyChanges:
    """Return what the change does to packages."""
    moves: list[Moved] = []
    shipped: set[tuple[str, str]] = set()
    notes: list[NotChecked] = []
    locks: list[LockChange] = []
    for file in change.files:
        reader = reader_of(file.path)
        if reader is not None and file.nature not in _APART:
            what = f"dependencies in {shown(file.path)}"
            try:
                before = _read(change.base, file.base_path, reader)
                after = _read(change.head, file.path if file.exists else None, reader)
            except Unreadable as error:
                notes.append(NotChecked(what, str(error)))
                continue
            moves.extend(_moves(file, before, after))
            shipped |= _shipped(before) & _shipped(after)
            notes += [NotChecked(what, one.why) for one in after if isinstance(one, Unclear) and one not in before]
        if _is_lock(change, file):
            try:
                locks.append(lock_change(change, file))
            except Unreadable as error:
                what = f"lock file {shown(file.path)}"
                notes.append(NotChecked(what, str(error), question=Question.dependencies, files=(file.path,)))
    declared = frozenset((one.now.ecosystem, one.now.name) for one in moves)
    known = Known(change)
    new = tuple(one for one in moves if one.was is not None or one.is_from_elsewhere or not known.has(one.now))
    return DependencyChanges(new, tuple(locks), declared, frozenset(shipped), tuple(notes))


def _exact(ecosystem: str, version: str | None) -> str | None:
    """Return the version of a constraint that admits only one: `==1.2`, or `1.2.3` where that means it."""
    match = _EXACT.fullmatch(version.strip()) if version is not None else None
    return match[2] if match is not None and (match[1] or ecosystem in _BARE_IS_EXACT) else None


def _shipped(declared: Iterable[Declared | Unclear]) -> set[tuple[str, str]]:
    return {(one.ecosystem, one.name) for one in declared if isinstance(one, Declared) and one.scope in SHIPPED}


def _is_lock(change: ChangeSet, file: ChangedFile) -> bool:
    if is_requirements(file.path) and file.exists and file.nature not in _APART:
        return is_compiled(text_at(change.head, file.path))
    kind = manifest_of(file.path)
    is_file = file.kind in (FileKind.text, FileKind.oversize)
    return kind is not None and kind.key == "lock" and file.nature is Nature.lock and file.exists and is_file


def reader_of(path: str) -> Manifest | None:
    """Return the manifest reader for a file's name."""
    return next((manifest for manifest in MANIFESTS if manifest.claims(path)), None)


@dataclass(frozen=True, slots=True)
class Moved:
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
        """Return name, versions and scope."""
        before = f"{self.was.version or 'any version'} -> " if self.was else ""
        return f"{self.now.name} {before}{self.now.version or 'any version'} ({self.now.scope})"

    def as_measure(self, locked: tuple[str | None, str | None], facts: PackageFacts | None) -> NewDependency:
        """Return it for the report, with its exact versions before and after, and its facts."""
        return NewDependency(
            name=self.now.name,
            ecosystem=self.now.ecosystem,
            manifest=self.file,
            version=self.now.version,
            before=(self.was.version or "any") if self.was else None,
            scope=str(self.now.scope),
            line=self.line,
            locked=locked[1],
            locked_before=locked[0],
            facts=facts,
        )


def _moves(
    file: ChangedFile, before: Iterable[Declared | Unclear], after: Iterable[Declared | Unclear]
) -> Iterator[Moved]:
    known = _packages(before)
    for key, now in _packages(after).items():
        was = known.get(key)
        if was is not None and now.scope in SHIPPED and was.scope not in SHIPPED:
            was = None  # known to developers, new to users
        if was is None or was.version != now.version:
            yield Moved(file.path, _line_of(now, file.added), now, was)


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
class Known:
    """Packages in the base's manifests, and the repository's own packages; read on first use."""

    change: ChangeSet

    @cached_property
    def _found(self) -> frozenset[tuple[str, str, bool]]:
        return frozenset(self._all())

    def has(self, declared: Declared) -> bool:
        """Return whether the base has the package for as many of its users."""
        key = declared.ecosystem, declared.name
        return (*key, True) in self._found or ((*key, False) in self._found and declared.scope not in SHIPPED)

    def _all(self) -> Iterator[tuple[str, str, bool]]:
        paths = (path for path in self.change.base.paths if self.change.nature_of(path) not in _NOT_DECLARING)
        readers = {path: reader for path in paths if (reader := reader_of(path)) is not None}
        for path, content in self.change.base.read_many(list(readers)[:MOST_MANIFESTS], LIMIT_CHARACTERS):
            if content is None:
                continue
            try:
                for one in readers[path].read(path, decoded(content)):
                    if isinstance(one, Declared):
                        yield one.ecosystem, one.name, one.scope in SHIPPED
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
