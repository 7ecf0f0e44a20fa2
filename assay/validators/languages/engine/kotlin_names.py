"""Names of Kotlin by their packages, in one index with the types of Java.

Rules: https://kotlinlang.org/spec/scopes-and-identifiers.html: a name imported by name or under another one, one of the
own package, one of a package or type imported on demand. Functions at the top are names like types; those that extend a
type are called as its members.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.validators.languages.engine.java_types import JavaTypes
from assay.validators.languages.engine.rows import KOTLIN
from assay.validators.languages.language import Sources


class KotlinNames(JavaTypes):
    """Resolver of one tree."""

    own = ".kt"

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        declared = (name for path in sources.paths if path.endswith(".kt") for name in sources.scan(path).declares)
        self._extensions = {name for name in declared if name.startswith(".")}

    def sees(self, file: str, name: str) -> bool:  # noqa: ARG002 - every declaration has its own name
        """Return True: functions and properties are names of their package."""
        return True

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:
        """Return whether a mention may name what no file of the tree declares."""
        is_known = mention.startswith(".") or mention.partition(".")[0] in KOTLIN.known
        return is_known or super().may_be_foreign(path, mention, before)

    def extending(self, path: str, name: str) -> Iterator[str]:
        """Yield the files with a function of this name that code may call as a member of any value."""
        for file, there in self._type(path, name) if f".{name}" in self._extensions else ():
            if f".{there}" in self._sources.scan(file).declares:
                yield file

    def may_extend(self, path: str, name: str) -> bool:
        """Return whether a member of this name may be a function from elsewhere."""
        imports = self._sources.scan(path).imports
        is_imported = any(name in (item.alias, item.target.rpartition(".")[2]) for item in imports)
        is_outside = any(item.is_star and item.target not in self._index for item in imports)
        return f".{name}" in self._extensions or is_imported or is_outside
