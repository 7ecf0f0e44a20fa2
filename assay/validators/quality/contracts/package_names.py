"""Uses of gone names in a language where a name leads to its file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.language import Origin
from assay.validators.quality.contracts.breaks import BreakKind, Use
from assay.validators.quality.contracts.search import Search

_BUILD = re.compile(
    r"(?:^|/)(?:pom\.xml|ivy\.xml|go\.(?:mod|work)|Cargo\.toml|composer\.(?:json|lock)|Gemfile(?:\.lock)?|[^/]*\.gemspec|[^/]*\.gradle(?:\.kts)?|[^/]*\.versions\.toml|BUILD(?:\.bazel)?"
    r"|[^/]*\.(?:proto|avsc|avdl|thrift|g4|ftl))$"
)
"""Files that may bring in or generate a package."""


class PackageNames:
    """Search for broken uses of names, one file of the head at a time."""

    def __init__(self, search: Search) -> None:
        self._search, self._head, self._base = search, search.head, search.base
        self._now, self._before = cast("ByNames", self._head.resolver), cast("ByNames", self._base.resolver)
        self._is_built_anew = any(_BUILD.search(file.path) for file in search.change.files)

    def of(self, path: str, reading: SourceReading) -> Iterator[Use]:
        """Yield every broken use of a name or import in a file."""
        was = self._search.base_path(path)
        known = {item.target for item in self._base.imports(was)} if not self._is_built_anew else set()
        yield from self._gone_names(path, was, reading, known)
        row = self._head.row
        are_paths = bool(row.relative) or row.has_macros
        for item in self._head.imports(path):
            files = self._base.resolver.resolve(was, item).files
            name = item.target.rpartition(row.separator if are_paths else ".")[2]
            is_gone = (
                bool(files) and files[0] in self._search.by_base and not self._head.resolver.resolve(path, item).files
            )
            if is_gone and item.kind == "path" and not are_paths:
                yield Use(BreakKind.module, files[0], files[0], path, item.line, "still requires it")
            elif is_gone and not self._now.may_be_foreign_import(path, item, known):
                yield Use(BreakKind.name, files[0], name, path, item.line, "still imports it")
            for member, _ in item.names if files and not item.is_star else ():
                place = Origin(files[0], name)
                if place in self._search.members.get(member, ()) and self._is_lost(place, member):
                    yield Use(BreakKind.attribute, files[0], f"{name}.{member}", path, item.line, "still imports it")

    def _gone_names(self, path: str, was: str, reading: SourceReading, known: set[str]) -> Iterator[Use]:
        scan, before = self._head.graph.sources.scan(path), self._base.graph.sources.scan(was)
        for mention in () if self._is_built_anew and self._head.row.hoists else scan.mentions:
            outer, _, name = mention.partition("`")[0].rpartition(".")
            paths = self._search.names.get(name, ())
            if not paths or mention in scan.declares:
                continue
            holders: list[str] = [was] if mention in before.declares else list(self._before.named(was, mention))
            now = list(self._now.named(path, mention))
            if not now and not self._now.may_be_foreign(path, mention, known):
                symbol = name
            elif outer and "." not in outer and self._head.row.has_implicit_this:
                # A type inside another one, which has it no longer, itself or from a parent.
                symbol = mention
                declares = self._base.graph.sources.scan
                holders = [
                    one for one in now if mention in declares(one).declares and self._is_lost(Origin(one, outer), name)
                ]
            else:
                continue
            file = next((one for one in holders if one in paths), None)
            for line in reading.lines_of(mention) if file is not None else ():
                yield Use(BreakKind.name, file or "", symbol, path, line, f"still uses `{mention}`")

    def _is_lost(self, place: Origin, name: str) -> bool:
        """Return whether a type has no member or inner type of this name, from no parent either."""
        lineage = self._head.lineage(place)
        inner = {f"{one.name}.{name}" for one in lineage.classes}
        declared = {name for one in lineage.classes for name in self._head.graph.sources.scan(one.file).declares}
        return not lineage.is_open and not lineage.outside and not inner & declared and self._head.lacks(place, name)
