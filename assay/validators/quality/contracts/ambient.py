"""Names that scripts have without importing them."""

from __future__ import annotations

import re
from functools import cached_property

from assay.validators.changes.change import READ_LIMIT, SourceTree

DECLARED = re.compile(r"\.py[ix]$|\.d\.[cm]?ts$")
"""Files that describe code which is elsewhere."""
MOST_DECLARED = 200
_GLOBAL_TOO = re.compile(
    r"node:|(?:buffer|console|crypto|events|perf_hooks|process|stream|timers|url|util|worker_threads|fetch)\b"
    r"|.*(?:polyfill|ponyfill|whatwg|isomorphic|cross-|shim)|@(?:jest|vitest)/|vitest$|mocha$|chai$"
)
"""Modules whose names a runtime, a polyfill or a test runner may also give to every script."""
_AUTO_IMPORTS = re.compile(rb"auto-import|\bnuxt\b|unimport")


class AmbientNames:
    """Names of every script of a tree."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree

    def may_be(self, path: str, name: str) -> bool:
        """Return whether a name may be one of every script: declared in a `.d.ts`, or said to be global in the file."""
        said = re.compile(
            rf"(?:\bglobals?\b|\bexported\b|\bdeclare\b)[^\n]{{0,500}}(?<![\w$]){re.escape(name)}(?![\w$])"
        )
        contents = self._tree.read_many([path, *self._declared], READ_LIMIT)
        return any(said.search((content or b"").decode("utf-8", "surrogateescape")) for _, content in contents)

    @cached_property
    def are_imported_by_a_build(self) -> bool:
        """Whether a build may import names that scripts only use."""
        manifests = [path for path in self._tree.paths if path.rpartition("/")[2] == "package.json"]
        return any(_AUTO_IMPORTS.search(content or b"") for _, content in self._tree.read_many(manifests, READ_LIMIT))

    @cached_property
    def _declared(self) -> list[str]:
        return [path for path in self._tree.paths if DECLARED.search(path)][:MOST_DECLARED]


def is_also_global(target: str) -> bool:
    """Return whether what a module gives may be there without it."""
    return _GLOBAL_TOO.match(target) is not None
