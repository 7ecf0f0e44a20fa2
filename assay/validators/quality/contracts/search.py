"""What a change takes away in the files of one language, and the files of the head that may still use it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.validators.changes.change import READ_LIMIT, ChangedFile, ChangeSet, FileKind
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import Graphs
from assay.validators.languages.engine.language import Language
from assay.validators.languages.engine.parameters import function_in, parameters_of
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.progress import Deadline
from assay.validators.quality.contracts.side import INITIALIZERS, Side
from assay.validators.report.unknown import NotChecked

MOST_FILES = 1500
"""Maximum head files searched for uses; the rest are reported as not checked."""
FARTHEST = 3
"""Maximum imports followed from a changed file to possible users."""
COPIED = (Nature.vendored, Nature.generated)


@dataclass(slots=True)
class Gone:
    """What the base's files offer and the head's do not.

    `names` maps a name to the files that declared it; with `has_stars` any name may be gone, since a file no longer
    takes all of another. `members` maps one to (file in the head, type) of those that had it. `functions` are the last
    names of what takes other arguments.
    """

    names: dict[str, list[str]] = field(default_factory=dict)
    has_stars: bool = False
    members: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)


class Search:
    """Both sides of a change, in one language.

    `by_base` are the changed files by their path in the base, `gone` those paths that the head does not have.
    """

    def __init__(
        self, change: ChangeSet, graphs: Graphs, deadline: Deadline, language: Language, files: Iterable[ChangedFile]
    ) -> None:
        self.change, self.deadline, self.language = change, deadline, language
        self._graphs = graphs
        texts = [file for file in files if file.kind is FileKind.text]
        self.by_base = {file.base_path: file for file in texts if file.base_path is not None}
        self._new = [file.path for file in texts if file.base_path is None]
        self.gone_files = [path for path in self.by_base if path not in change.head]
        self.gone = self._find_gone()

    @property
    def is_empty(self) -> bool:
        """Whether the change takes nothing away."""
        return not (self.gone.names or self.gone.members or self.gone.functions or self.gone_files)

    @cached_property
    def head(self) -> Side:
        """Names of the tree after the change."""
        return Side(self.change.head, self._graphs.head(self.deadline), self.language, self.deadline)

    @cached_property
    def base(self) -> Side:
        """Names of the tree before the change."""
        return Side(self.change.base, self._graphs.base(self.deadline), self.language, self.deadline)

    def base_path(self, path: str) -> str:
        """Return the path that a file of the head had in the base."""
        file = self.change.by_path.get(path)
        return (file.base_path if file is not None else None) or path

    def users(self) -> Iterator[tuple[str, bytes] | NotChecked]:
        """Yield the files of the head that mention what is gone, with their contents, and what was left out."""
        wanted = sorted(path for path in self._near() if self.change.nature_of(path) not in COPIED)
        # A default import may give the name any other one.
        has_any = "default" in self.gone.names or bool(self.gone_files)
        kept: dict[str, bytes] = {}
        for path, content in self.change.head.read_many(wanted, READ_LIMIT):
            self.deadline.check("contracts")
            if content is not None and ((has_any and path in self._direct) or self.mentions(content)):
                kept[path] = content
        nearest = sorted(kept, key=lambda path: (path not in self._direct, path))
        if num_left := len(nearest[MOST_FILES:]):
            what = f"uses of changed symbols in {num_left} files"
            yield NotChecked(what, f"more than {MOST_FILES} files may use it")
        yield from ((path, kept[path]) for path in nearest[:MOST_FILES])

    def mentions(self, content: bytes) -> bool:
        """Return whether a file has one of the words by which what is gone is used."""
        return self._words.search(content) is not None

    @cached_property
    def stems(self) -> set[str]:
        """Names by which modules are imported that the head does not have."""
        return {_stem(path) for path in self.gone_files} - {""}

    @cached_property
    def _words(self) -> re.Pattern[bytes]:
        words = {*self.gone.names, *self.gone.members, *self.gone.functions, *self.stems}
        either = b"|".join(re.escape(word.encode("utf-8", "surrogateescape")) for word in sorted(words)) or rb"(?!)"
        return re.compile(rb"(?<![\w$])(?:" + either + rb")(?![\w$])")

    @cached_property
    def _direct(self) -> set[str]:
        """Changed files and those that use one directly."""
        changed = {file.path for file in self.by_base.values() if file.exists}
        # Names lead to files: where one is gone, the head has no edge.
        before = self.gone_files if self.language.row.runs_on_import else list(self.by_base)
        found = changed | self.head.graph.importers(changed) | (self.base.graph.importers(before) if before else set())
        return {path for path in found if self.head.covers(path)}

    def _near(self) -> set[str]:
        found, level = set(self._direct), self._direct
        for _ in range(FARTHEST - 1):
            level = {path for path in self.head.graph.importers(level) - found if self.head.covers(path)}
            found |= level
        return found

    def _find_gone(self) -> Gone:
        found = Gone()
        lost: set[str] = set()
        had: set[str] = set()
        for path, file in self.by_base.items():
            self.deadline.check("contracts")
            before = self._reading(self.change.base.read(path, READ_LIMIT), path)
            after = self._reading(self.change.head.read(file.path, READ_LIMIT) if file.exists else None, file.path)
            if before is None:
                continue
            old, new = _parameters(before), _parameters(after) if after is not None else {}
            lost |= old.keys() - new.keys()
            had |= new.keys() - old.keys()
            altered = {name for name in old.keys() & new.keys() if old[name] != new[name]}
            found.functions.update(*map(_called, altered))
            self._compare(found, path, file.path, before, after)
        for path in self._new if lost else ():
            reading = self._reading(self.change.head.read(path, READ_LIMIT), path)
            had |= _parameters(reading).keys() if reading is not None else set()
        # What moved may take other arguments in its new place.
        found.functions.update(*map(_called, lost & had))
        return found

    @staticmethod
    def _compare(found: Gone, base: str, head: str, before: SourceReading, after: SourceReading | None) -> None:
        """Add the names and members that a file has lost."""
        (own, offered), (own_now, offered_now) = _names(before), _names(after)
        found.has_stars = found.has_stars or bool(_stars(before) - (_stars(after) if after is not None else set()))
        names = (own - own_now) | (offered - offered_now)
        for name in names:
            found.names.setdefault(name.rpartition(".")[2], []).append(base)
        for owner, name in before.members() - after.members() if after is not None else ():
            if owner not in names:
                found.members.setdefault(name, []).append((head, owner))

    def _reading(self, content: bytes | None, path: str) -> SourceReading | None:
        return self.language.reading(path, content) if content is not None else None


def _names(reading: SourceReading | None) -> tuple[set[str], set[str]]:
    """Return the names that a file declares, and those that it hands on or exports."""
    if reading is None:
        return set(), set()
    listed = {one.name for one in reading.pieces if one.kind == "listed"}
    given = {local for item in reading.imports_given for _, local in item.names}
    return reading.declared()[0], listed | given | reading.exports.keys()


def _stars(reading: SourceReading) -> set[str]:
    return {item.target for item in reading.imports_given if item.is_star}


def _parameters(reading: SourceReading) -> Mapping[str, tuple[object, ...]]:
    """Return what the arguments of each function depend on: its parameters; of a class its fields and parents."""
    found: dict[str, tuple[object, ...]] = {}
    for piece in reading.pieces:
        function = function_in(piece.core) if piece.kind in ("function", "method") else None
        if function is not None:
            shown = tuple((name, one.kind, one.default) for name, one, _ in parameters_of(function))
            found[piece.name] = (*found.get(piece.name, ()), shown, reading.decorators(piece))
        elif piece.kind == "class" and reading.decorators(piece):
            fields = tuple(
                (one.name, bool(one.given)) for one in reading.pieces if one.owner == piece.name and one.gives
            )
            found[piece.name] = (fields, reading.decorators(piece))
    return found


def _called(name: str) -> set[str]:
    """Return the last names by which a function is called; a constructor also by its class."""
    owner, _, own = name.rpartition(".")
    return {owner.rpartition(".")[2], own} if own in INITIALIZERS else {own}


def _stem(path: str) -> str:
    """Return the name a module is imported by."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in ("__init__", "index") else stem
