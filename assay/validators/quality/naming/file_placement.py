"""Placement of tests: next to their subject, in a test folder below it, or in a separate tree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.classify import Nature

_MANIFESTS = frozenset("pyproject.toml setup.py setup.cfg package.json Cargo.toml go.mod pom.xml build.gradle".split())
_FOLDERS = frozenset("test tests __tests__ spec specs testing e2e".split())
_SOURCE_SET = re.compile(r"(?:^|/)src/\w+/(?:java|kotlin|scala|groovy)/")
"""Where Gradle and Maven look for the code of one purpose, such as `src/androidTest/java`."""
_BESIDE, _BELOW, _APART = (
    "next to what they test",
    "in a test folder inside the source folder",
    "in a separate test tree",
)


@dataclass
class Placements:
    """Places of the tests of a tree; counts are cached."""

    change: ChangeSet
    min_samples: int
    agreement: float
    _counts: dict[str, Counter[str]] = field(default_factory=dict)

    def misplaced(self, path: str) -> str | None:
        """Return how a new test's place differs from the clear majority of its suffix, or None."""
        suffix = PurePosixPath(path).suffix
        mine = _place(path, self._roots)
        places = self._places(suffix) if mine is not None else Counter[str]()
        total = places.total()
        if total < self.min_samples:
            return None
        convention, support = places.most_common(1)[0]
        if convention == mine or support / total < self.agreement:
            return None
        return f"This test is {mine}; {support} of {total} `*{suffix}` tests here are {convention}"

    def _places(self, suffix: str) -> Counter[str]:
        if suffix not in self._counts:
            alike = (path for path in self.change.base.paths if path.endswith(suffix))
            alike = (path for path in alike if self.change.nature_of(path) is Nature.test)
            found = (_place(path, self._roots) for path in alike)
            self._counts[suffix] = Counter(place for place in found if place is not None)
        return self._counts[suffix]

    @cached_property
    def _roots(self) -> frozenset[str]:
        """Folders below the top that are separate projects."""
        pures = (PurePosixPath(path) for path in self.change.head.paths if path.rpartition("/")[2] in _MANIFESTS)
        return frozenset(str(pure.parent) for pure in pures) - {"."}


def _place(path: str, roots: Collection[str]) -> str | None:
    """Return the place of a test in its project; None for helpers of tests, and where the build says the place."""
    pure = PurePosixPath(path)
    name = pure.name.lower()
    is_test = ("test" in name or "spec" in name) and name not in ("tests.py", "conftest.py", "__init__.py")
    if not is_test or _SOURCE_SET.search(path):
        return None
    root = next((folder for folder in pure.parents if str(folder) in roots), PurePosixPath())
    folders = [part.lower() for part in pure.relative_to(root).parts[:-1]]
    at = next((i for i, part in enumerate(folders) if part in _FOLDERS), None)
    if at is None:
        return _BESIDE
    return _APART if at == 0 else _BELOW
