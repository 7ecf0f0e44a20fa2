"""Where tests lie: beside what they test, in a folder of tests below it, or in a tree of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from assay.validators.change import ChangeSet
from assay.validators.classify import Nature, nature_of

_MANIFESTS = frozenset("pyproject.toml setup.py setup.cfg package.json Cargo.toml go.mod pom.xml build.gradle".split())
_FOLDERS = frozenset("test tests __tests__ spec specs testing e2e".split())
_BESIDE, _BELOW, _APART = (
    "beside what they test",
    "in a test folder inside the source folder",
    "in a test tree of their own",
)


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A file that lies elsewhere than its like."""

    where: str
    habit: str
    support: int
    total: int
    noun: str


def misplaced(path: str, change: ChangeSet, min_samples: int, agreement: float) -> Misplaced | None:
    """How the place of a new test departs from where the others of its ending lie, None where it does not or none is
    clear.
    """
    suffix = PurePosixPath(path).suffix
    roots = {
        str(PurePosixPath(other).parent) for other in change.head.paths if PurePosixPath(other).name in _MANIFESTS
    } - {"."}
    mine = _place(path, roots)
    if mine is None or nature_of(path) is not Nature.test:
        return None
    places = Counter(
        place
        for other in change.base.paths
        if other.endswith(suffix) and nature_of(other) is Nature.test and (place := _place(other, roots)) is not None
    )
    total = sum(places.values())
    if total < min_samples:
        return None
    habit, support = places.most_common(1)[0]
    if habit == mine or support / total < agreement:
        return None
    return Misplaced(mine, habit, support, total, f"`*{suffix}` tests here")


def _place(path: str, roots: Collection[str]) -> str | None:
    """The place of a test in its project, None for what only helps tests (fixtures, data, conftest)."""
    pure = PurePosixPath(path)
    name = pure.name.lower()
    if not ("test" in name or "spec" in name) or name in ("tests.py", "conftest.py", "__init__.py"):
        return None
    root = next((folder for folder in pure.parents if str(folder) in roots), PurePosixPath())
    folders = [part.lower() for part in pure.relative_to(root).parts[:-1]]
    at = next((i for i, part in enumerate(folders) if part in _FOLDERS), None)
    if at is None:
        return _BESIDE
    return _APART if at == 0 else _BELOW
