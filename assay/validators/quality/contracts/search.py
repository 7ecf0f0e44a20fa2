"""What a change takes away in the files of one language, and the files of the head that may still use it."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from assay.validators.changes.change import READ_LIMIT, ChangedFile, ChangeSet, FileKind, SourceTree
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import Graphs
from assay.validators.languages.engine.language import Language
from assay.validators.languages.engine.outline import Outline
from assay.validators.progress import Deadline
from assay.validators.quality.contracts.side import INITIALIZERS, Side
from assay.validators.report.unknown import NotChecked

MOST_FILES = 1500
"""Maximum head files searched for uses; the rest are reported as not checked."""
FARTHEST = 3
"""Maximum imports followed from a changed file to possible users."""
_WORDS = re.compile(rb"[\w$\x80-\xff]+")
COPIED = (Nature.vendored, Nature.generated)


class Search:
    """Both sides of a change, in one language.

    `by_base` are the changed files by their path in the base, `gone_files` those of these paths that the head does not
    have. `names` maps a name that is gone to the files that declared it; with `has_stars` any name may be gone, since
    a file no longer takes all of another. `members` maps one to (file in the head, type) of those that had it.
    `functions` are the last names of what takes other arguments.
    """

    def __init__(
        self, change: ChangeSet, graphs: Graphs, deadline: Deadline, language: Language, files: Iterable[ChangedFile]
    ) -> None:
        self.change, self.deadline, self.language = change, deadline, language
        self._graphs = graphs
        texts = [file for file in files if file.kind is FileKind.text]
        self.by_base = {file.base_path: file for file in texts if file.base_path is not None}
        self.gone_files = [path for path in self.by_base if path not in change.head]
        self.names: dict[str, list[str]] = defaultdict(list)
        self.has_stars = False
        self.members: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.functions = self._compared(texts)

    @property
    def is_empty(self) -> bool:
        """Whether the change takes nothing away."""
        return not (self.names or self.members or self.functions or self.has_stars or self.gone_files)

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

    def may_be_gone(self, name: str) -> bool:
        """Return whether a name, or a module of this name, may be gone."""
        return self.has_stars or name in self.names or name in self._stems

    def mentions(self, content: bytes) -> bool:
        """Return whether a file has one of the words by which what is gone is used."""
        return self.has_stars or self._words.search(content) is not None

    def users(self) -> Iterator[tuple[str, bytes] | NotChecked]:
        """Yield the files of the head that mention what is gone, with their contents, and what was left out."""
        near = self._near()
        wanted = sorted(path for path in near if self.change.nature_of(path) not in COPIED)
        # A default import may give the name any other one.
        has_any = "default" in self.names or self.has_stars or bool(self.gone_files)
        kept: dict[str, bytes] = {}
        for path, content in self.change.head.read_many(wanted, READ_LIMIT):
            self.deadline.check("contracts")
            if content is not None and ((has_any and near[path] < 2) or self.mentions(content)):
                kept[path] = content
        nearest = sorted(kept, key=lambda path: (near[path] > 1, path))
        if num_left := len(nearest[MOST_FILES:]):
            what = f"uses of changed symbols in {num_left} files"
            yield NotChecked(what, f"more than {MOST_FILES} files may use it")
        yield from ((path, kept[path]) for path in nearest[:MOST_FILES])

    def _near(self) -> dict[str, int]:
        """Return the files that may use a changed one, with the number of imports between them."""
        changed = [file.path for file in self.by_base.values() if file.exists]
        found = dict.fromkeys(changed, 0)
        # Names lead to files: where one is gone, the head has no edge.
        before = self.gone_files if self.language.row.runs_on_import else list(self.by_base)
        found |= dict.fromkeys(self.base.graph.importers(before) if before else (), 1)
        for one in self.head.graph.dependents(found):
            if one.distance <= FARTHEST:
                found[one.path] = one.distance
        return {path: distance for path, distance in found.items() if self.head.covers(path)}

    @cached_property
    def _stems(self) -> set[str]:
        """Names by which modules are imported that the head does not have."""
        return {_stem(path) for path in self.gone_files} - {""}

    @cached_property
    def _words(self) -> re.Pattern[bytes]:
        words = {*self.names, *self.members, *self.functions, *self._stems}
        either = b"|".join(re.escape(word.encode("utf-8", "surrogateescape")) for word in sorted(words)) or rb"(?!)"
        return re.compile(rb"(?<![\w$])(?:" + either + rb")(?![\w$])")

    def _compared(self, files: Iterable[ChangedFile]) -> set[str]:
        """Add the names and members that files have lost; return the last names of what takes other arguments."""
        old: dict[str, set[tuple[object, ...]]] = defaultdict(set)
        new: dict[str, set[tuple[object, ...]]] = defaultdict(set)
        for file in files:
            self.deadline.check("contracts")
            before = self._outline(self.change.base, file.base_path)
            after = self._outline(self.change.head, file.path if file.exists else None)
            for outline, found in ((before, old), (after, new)):
                for name, parameters in outline.parameters.items():
                    found[name].add(parameters)
            # What could not be read may still be there.
            if file.base_path is not None and (before.has_error or not after.has_error):
                self._compare(file.base_path, file, before, after)
        # A class gets its first constructor, or loses its own; what moved may take other arguments in its new place.
        both = {name for name in old.keys() | new.keys() if name.rpartition(".")[2] in INITIALIZERS}
        both |= old.keys() & new.keys()
        return {called for name in both if old.get(name) != new.get(name) for called in _called(name)}

    def _compare(self, base: str, file: ChangedFile, before: Outline, after: Outline) -> None:
        names = (before.names - after.names) | (before.handed_on.keys() - after.handed_on.keys())
        members = (before.members - after.members) if file.exists else set()
        if self.language.row.has_macros:  # what the text still has may be there by a macro, or where it was not read
            left = set(_WORDS.findall(self.change.head.read(file.path, READ_LIMIT) or b"")) if file.exists else set()
            names = frozenset(one for one in names if _bytes(one.rpartition(".")[2]) not in left)
            members = {pair for pair in members if _bytes(pair[1]) not in left}
        is_moved = posixpath.dirname(base) != posixpath.dirname(file.path) or before.namespace != after.namespace
        if not self.language.row.runs_on_import and is_moved:
            names = before.names  # it may be of another package now
        self.has_stars = self.has_stars or bool(before.stars - after.stars)
        content = self.change.head.read(file.path, READ_LIMIT) if after.has_error else None
        there = set(_WORDS.findall(content or b""))  # in a part that could not be read
        for name in names:
            last = name.rpartition(".")[2]
            if _bytes(last) not in there:
                self.names[last].append(base)
        for owner, name in members:
            if _bytes(name) not in there and owner not in names and f"{owner}.{name}" not in names:
                self.members[name].append((file.path, owner))

    def _outline(self, tree: SourceTree, path: str | None) -> Outline:
        content = tree.read(path, READ_LIMIT) if path is not None else None
        return self.language.outline(path, content) if path is not None and content is not None else Outline()


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _called(name: str) -> set[str]:
    """Return the last names by which a function is called; a constructor also by its class."""
    owner, _, own = name.rpartition(".")
    return {owner.rpartition(".")[2], own} if own in INITIALIZERS else {own}


def _stem(path: str) -> str:
    """Return the name a module is imported by."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in ("__init__", "index") else stem
