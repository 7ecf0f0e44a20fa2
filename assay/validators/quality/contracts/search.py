"""What a change takes away in the files of one language, and the files of the head that may still use it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
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
_WORD = re.compile(rb"[\w$]+")
COPIED = (Nature.vendored, Nature.generated)


@dataclass(slots=True)
class Gone:
    """What the base's files offer and the head's do not.

    `names` maps a name to the files that declared it; with `has_stars` any name may be gone, since a file no longer
    takes all of another. `imports` are the files that import less. `members` maps one to (file in the head, type) of
    those that had it. `functions` are the last names of what takes other arguments.
    """

    names: dict[str, list[str]] = field(default_factory=dict)
    has_stars: bool = False
    members: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)


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
        gone = self.gone
        lost = gone.names or gone.members or gone.functions or gone.imports
        return not (lost or gone.has_stars or self.gone_files)

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
        has_any = "default" in self.gone.names or self.gone.has_stars or bool(self.gone_files)
        kept: dict[str, bytes] = {}
        for path, content in self.change.head.read_many(wanted, READ_LIMIT):
            self.deadline.check("contracts")
            is_direct = (has_any and path in self._direct) or path in self.gone.imports
            if content is not None and (is_direct or self.mentions(content)):
                kept[path] = content
        nearest = sorted(kept, key=lambda path: (path not in self._direct, path))
        if num_left := len(nearest[MOST_FILES:]):
            what = f"uses of changed symbols in {num_left} files"
            yield NotChecked(what, f"more than {MOST_FILES} files may use it")
        yield from ((path, kept[path]) for path in nearest[:MOST_FILES])

    def mentions(self, content: bytes) -> bool:
        """Return whether a file has one of the words by which what is gone is used."""
        return self.gone.has_stars or self._words.search(content) is not None

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
            before = self._outline(self.change.base, path)
            after = self._outline(self.change.head, file.path) if file.exists else None
            if before is None:
                continue
            old, new = before.parameters, after.parameters if after is not None else {}
            lost |= old.keys() - new.keys()
            had |= new.keys() - old.keys()
            altered = {name for name in old.keys() & new.keys() if old[name] != new[name]}
            # A class gets its first constructor, or loses its own.
            altered |= {name for name in old.keys() ^ new.keys() if name.rpartition(".")[2] in INITIALIZERS}
            found.functions.update(*map(_called, altered))
            self._compare(found, path, file.path, before, after)
        for path in self._new if lost else ():
            outline = self._outline(self.change.head, path)
            had |= outline.parameters.keys() if outline is not None else set()
        # What moved may take other arguments in its new place.
        found.functions.update(*map(_called, lost & had))
        return found

    def _compare(self, found: Gone, base: str, head: str, before: Outline, after: Outline | None) -> None:
        """Add the names and members that a file has lost."""
        now = after if after is not None else Outline()
        names = (before.names - now.names) | (before.handed_on - now.handed_on)
        if not self.language.row.runs_on_import and posixpath.dirname(base) != posixpath.dirname(head):
            names = before.names  # it may be of another package now
        found.has_stars = found.has_stars or bool(before.stars - now.stars)
        found.imports |= {head} if before.imported - now.imported else set()
        members = before.members - now.members if after is not None else frozenset()
        if now.has_error and not before.has_error:
            # What could not be read may still be there.
            there = set(_WORD.findall(self.change.head.read(head, READ_LIMIT) or b""))
            names = frozenset(name for name in names if _bytes(name.rpartition(".")[2]) not in there)
            members = frozenset(one for one in members if _bytes(one[1]) not in there)
        for name in names:
            found.names.setdefault(name.rpartition(".")[2], []).append(base)
        for owner, name in members:
            if owner not in names:
                found.members.setdefault(name, []).append((head, owner))

    def _outline(self, tree: SourceTree, path: str) -> Outline | None:
        content = tree.read(path, READ_LIMIT)
        return self.language.outline(path, content) if content is not None else None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _called(name: str) -> set[str]:
    """Return the last names by which a function is called; a constructor also by its class."""
    owner, _, own = name.rpartition(".")
    return {owner.rpartition(".")[2], own} if own in INITIALIZERS else {own}


def _stem(path: str) -> str:
    """Return the name a module is imported by."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in ("__init__", "index") else stem
