"""Uses of gone names in a language where a name leads to its file, and of names whose import is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from assay.validators.languages.engine.language import NameResolver
from assay.validators.languages.engine.names import bound_names
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.language import Origin
from assay.validators.quality.contracts.breaks import BreakKind, Use
from assay.validators.quality.contracts.search import Search

_BUILD = re.compile(
    r"(?:^|/)(?:pom\.xml|ivy\.xml|go\.(?:mod|work)|[^/]*\.gradle(?:\.kts)?|[^/]*\.versions\.toml|BUILD(?:\.bazel)?"
    r"|[^/]*\.(?:proto|avsc|avdl|thrift|g4|ftl))$"
)
"""Files that may bring in or generate a package."""


class PackageNames:
    """Search for broken uses of names, one file of the head at a time."""

    def __init__(self, search: Search) -> None:
        self._search, self._head, self._base = search, search.head, search.base
        self._now, self._before = cast("NameResolver", self._head.resolver), cast("NameResolver", self._base.resolver)
        self._is_built_anew = any(_BUILD.search(file.path) for file in search.change.files)

    def of(self, path: str, reading: SourceReading) -> Iterator[Use]:
        """Yield every broken use of a name or import in a file."""
        was = self._search.base_path(path)
        known = {item.target for item in self._base.imports(was)} if not self._is_built_anew else set()
        yield from self._gone_names(path, was, reading, known)
        if path in self._search.gone.imports:
            yield from self._lost_imports(path, was, reading, known)
        for item in self._head.imports(path):
            files = self._base.resolver.resolve(was, item).files
            name = item.target.rpartition(".")[2]
            is_gone = bool(files) and files[0] in self._search.by_base and not self._now.resolve(path, item).files
            if is_gone and not self._now.may_be_foreign(path, name, known):
                yield Use(BreakKind.name, files[0], name, path, item.line, "still imports it")
            for member, _ in item.names if files and not item.is_star else ():
                place = Origin(files[0], name)
                if (files[0], name) in self._search.gone.members.get(member, ()) and self._is_lost(place, member):
                    yield Use(BreakKind.attribute, files[0], f"{name}.{member}", path, item.line, "still imports it")

    def _gone_names(self, path: str, was: str, reading: SourceReading, known: set[str]) -> Iterator[Use]:
        scan = self._head.graph.sources.scan(path)
        for mention in scan.mentions:
            name = mention.rpartition(".")[2]
            paths = self._search.gone.names.get(name, ())
            if not paths or mention in scan.declares:
                continue
            yield from self._lost_inner(path, was, reading, mention)
            if self._is_named(path, mention) or self._now.may_be_foreign(path, mention, known):
                continue
            is_own = mention in self._base.graph.sources.scan(was).declares
            file = next((one for one in ([was] if is_own else self._before.named(was, mention)) if one in paths), None)
            if file is not None:
                for line in reading.lines_of(mention):
                    yield Use(BreakKind.name, file, name, path, line, f"still uses `{mention}`")

    def _lost_inner(self, path: str, was: str, reading: SourceReading, mention: str) -> Iterator[Use]:
        """Yield uses of a type inside another one that has it no longer, itself or from a parent."""
        outer, _, inner = mention.rpartition(".")
        if not outer or "." in outer or not self._head.row.has_implicit_this:
            return
        sources = self._base.graph.sources
        for file in self._before.named(was, outer):
            had = f"{outer}.{inner}" in sources.scan(file).declares
            if had and file in self._now.named(path, outer) and self._is_lost(Origin(file, outer), inner):
                for line in reading.lines_of(mention):
                    yield Use(BreakKind.name, file, f"{outer}.{inner}", path, line, f"still uses `{mention}`")

    def _is_lost(self, place: Origin, name: str) -> bool:
        """Return whether a type has no member or inner type of this name, from no parent either."""
        lineage = self._head.lineage(place)
        inner = {f"{one.name}.{name}" for one in lineage.classes}
        declared = {name for one in lineage.classes for name in self._head.graph.sources.scan(one.file).declares}
        return (
            not lineage.is_open and not lineage.outside and not inner & declared and self._head.lacks(place, name, True)
        )

    def _lost_imports(self, path: str, was: str, reading: SourceReading, known: set[str]) -> Iterator[Use]:
        """Yield uses of names that the file imported and no longer does, unless another import may bring them."""
        now, before = self._head.imports(path), self._base.imports(was)
        if any(item.is_star or item.alias == "." for item in now):
            return
        lost = {name for item in before if not item.names for name in bound_names(item)}
        lost -= {name for item in now for name in bound_names(item)}
        if not lost:
            return
        lost -= {member for _, member in reading.members} | self._inherited(path, reading)
        new = {item.target for item in now} - {item.target for item in before}
        for mention in self._head.graph.sources.scan(path).mentions:
            name = mention.partition(".")[0]
            if name not in lost or any(name in target for target in new):
                continue
            has_more = self._head.row.has_implicit_this  # a parent's nested types
            is_foreign = has_more and self._now.may_be_foreign(path, mention, known)
            if not is_foreign and not any(self._is_named(path, one) for one in (name, mention)):
                for line in reading.lines_of(mention):
                    yield Use(BreakKind.name, was, name, path, line, "still uses it")

    def _inherited(self, path: str, reading: SourceReading) -> set[str]:
        """Return the members that the types of a file have from parents in the tree."""
        types = [Origin(path, piece.name) for piece in reading.pieces if piece.kind in ("class", "interface")]
        parents = {one for place in types for one in self._head.lineage(place).classes if one.file != path}
        readings = [(one, self._head.reading(one.file)) for one in parents]
        return {name for one, read in readings if read is not None for owner, name in read.members if owner == one.name}

    def _is_named(self, path: str, mention: str) -> bool:
        return any(True for _ in self._now.named(path, mention))
