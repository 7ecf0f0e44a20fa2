"""Line coverage, from reports that a run wrote or a coverage file given by the user."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from assay.validators.changes.change import shown
from assay.validators.changes.language_table import suffixes
from assay.validators.errors import UnreadableCoverage
from assay.validators.report.risk_facts import LineCoverage
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.commands.python_statements import statement_lines
from assay.validators.tools.coverage.formats import COVERAGE_FORMATS, Reported
from assay.validators.tools.readers.tree_paths import TreePaths, walk
from assay.validators.vcs.trees import read_regular

SIZE_LIMIT = 64 * 1024 * 1024
"""Maximum bytes of one report, about twice the report of a million lines of code."""

MOST_FILES = 50
"""Maximum reports of one run: a monorepo has one for each package."""

_HEAD_BYTES = 16 * 1024
_DATA_FILE = ".coverage"
_USUAL_NAMES = frozenset(
    "coverage.xml cobertura.xml cobertura-coverage.xml coverage.cobertura.xml coverage.json coverage-final.json "
    "lcov.info coverage.lcov coverage.info jacoco.xml jacocoTestReport.xml kover.xml cover.out coverage.out "
    "c.out coverage.txt profile.cov cover.profile".split()
)

ReadSource = Callable[[str], bytes | None]
"""Lookup from a repository-relative path to the file's content, None if it does not exist."""
OLD_FILE = "it was there before the commands ran"


class _UnknownFormat(ValueError):
    """A file in no supported coverage format."""


class _NothingMeasured(ValueError):
    """A report that lists no file, as every process without the project's code leaves one."""


def find_coverage(root: Path, started_at: float) -> tuple[LineCoverage | None, str | None, list[NotChecked]]:
    """Return the lines, the files they were read from, and the unusable files below the tree at `root`.

    Search the usual places for files written since `started_at` (seconds since the epoch): an older report was in the
    repository before and describes another run.
    """
    paths = list(walk(root))
    tree = TreePaths(paths)
    notes: list[NotChecked] = []
    merged: dict[str, dict[int, bool]] = defaultdict(dict)
    used: list[str] = []
    for path in _candidates(root, paths, started_at, notes):
        try:
            lines = _read(content_of(root / path), tree, str(root), lambda name: read_regular(str(root / name)))
        except ValueError as error:
            # A `coverage.txt` may be anything.
            if not isinstance(error, _UnknownFormat | _NothingMeasured):
                notes.append(NotChecked(f"coverage file {shown(path)}", str(error)))
            continue
        used.append(path)
        _merge(merged, lines)
    source = ", ".join(shown(path) for path in used)
    return (dict(merged), source, notes) if used else (None, None, notes)


def read_coverage(path: Path, tree_paths: Collection[str]) -> LineCoverage:
    """Return the covered lines of a tree's files from a coverage file given by the user.

    `.coverage` is refused: it lists only the lines that ran.

    Raises:
        UnreadableCoverage: The file cannot be read; the message names it.
    """
    try:
        return _read(content_of(path), TreePaths(tree_paths), None, None)
    except ValueError as error:
        raise UnreadableCoverage(str(path), str(error)) from None


def _candidates(root: Path, paths: Collection[str], started_at: float, notes: list[NotChecked]) -> list[str]:
    """Return the fresh reports; a data file only where its folder holds no report of the same run."""
    named = (path for path in sorted(paths) if _is_report(path.rpartition("/")[2]) or _is_data(path))
    fresh = [path for path in named if _written_at(root / path) >= started_at]
    reports = {os.path.dirname(path) for path in fresh if not _is_data(path)}
    kept = [path for path in fresh if not _is_data(path) or os.path.dirname(path) not in reports]
    if len(kept) > MOST_FILES:
        notes.append(NotChecked("coverage", f"{len(kept)} reports were found; only the first {MOST_FILES} were read"))
    return kept[:MOST_FILES]


def _is_report(name: str) -> bool:
    return name in _USUAL_NAMES or name.endswith(".lcov")


def _is_data(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name == _DATA_FILE or name.startswith(f"{_DATA_FILE}.")


def _written_at(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def content_of(path: Path) -> bytes:
    """Return a report's bytes; raise ValueError if it cannot be read or is too large."""
    if not path.exists():
        raise ValueError("no such file")
    data = read_regular(str(path), SIZE_LIMIT)
    if data is None:
        raise ValueError(f"not a readable file of at most {SIZE_LIMIT // 1024 // 1024} MB")
    return data


def _read(data: bytes, tree: TreePaths, root: str | None, source: ReadSource | None) -> dict[str, dict[int, bool]]:
    """Map each path in the tree to its lines; raise ValueError with the cause."""
    head = data[:_HEAD_BYTES]
    reader = next((reader for reader in COVERAGE_FORMATS if reader.begins.search(head)), None)
    if reader is None:
        known = ", ".join(reader.name for reader in COVERAGE_FORMATS)
        raise _UnknownFormat(f"unsupported coverage format; supported: {known}")
    reported = list(reader.read(data))
    if not reported:
        raise _NothingMeasured("it lists no file")
    lines: dict[str, dict[int, bool]] = defaultdict(dict)
    num_placed = 0
    for path, file in _placed(reported, tree, root):
        num_placed += 1
        _merge(lines, {path: _completed(file, path, source)})
    if not num_placed:
        raise ValueError(f"none of the {len(reported)} files it lists is in this repository")
    return {path: found for path, found in lines.items() if found}


def _completed(file: Reported, path: str, source: ReadSource | None) -> dict[int, bool]:
    """Return the lines of a file; find the executable ones in the source if the report lists only those that ran."""
    if not file.only_ran:
        return file.lines
    if source is None:
        raise ValueError("it lists only the lines that ran: write a report from it (coverage json)")
    content = source(path)
    statements = statement_lines(content) if content is not None and path.endswith(suffixes("python")) else None
    if statements is None:
        return {}
    has_run = {statements[line] for line in file.lines if line in statements}
    return {line: line in has_run for line in sorted(set(statements.values()))}


def _merge(into: dict[str, dict[int, bool]], lines: LineCoverage) -> None:
    for path, found in lines.items():
        known = into[path]
        for line, has_run in found.items():
            known[line] = known.get(line, False) or has_run


def _placed(reported: Iterable[Reported], tree: TreePaths, root: str | None) -> Iterator[tuple[str, Reported]]:
    """Yield each file with its path in the tree; leave out those that match no file of the tree.

    Once one file matches, its folder prefix (`/builds/shop/` is our root) maps the others too.
    """
    unplaced: list[tuple[Reported, tuple[str, ...]]] = []
    prefixes: dict[str, int] = defaultdict(int)
    for file in reported:
        spelled = _spellings(file, root)
        path = next((name for name in spelled if name in tree), None) or next(
            (match for name in spelled if (match := tree.match(name)) is not None), None
        )
        if path is None:
            unplaced.append((file, spelled))
            continue
        for name in spelled:
            if name.endswith("/" + path):
                prefixes[name[: -len(path)]] += 1
        yield path, file
    likely = sorted(prefixes, key=lambda prefix: -prefixes[prefix])[:5]
    likely = likely or _common_folder([spelled[0] for _, spelled in unplaced if spelled])
    for file, spelled in unplaced:
        inside = (name[len(prefix) :] for prefix in likely for name in spelled if name.startswith(prefix))
        path = next((name for name in inside if name in tree), None)
        if path is not None:
            yield path, file


def _spellings(file: Reported, root: str | None) -> tuple[str, ...]:
    """Yield the possible paths of a file: below each folder the report names, and as written."""
    written = file.path.replace("\\", "/").removeprefix("file://")
    names = [os.path.normpath(os.path.join(folder.replace("\\", "/"), written)) for folder in file.folders[:50]]
    names.append(os.path.normpath(written))
    if root is not None:
        roots = (root, os.path.realpath(root))
        names += [name[len(start) + 1 :] for name in names for start in roots if name.startswith(start + "/")]
    return tuple(dict.fromkeys(name for name in names if name and "\0" not in name and len(name) < 4096))


def _common_folder(names: Sequence[str]) -> list[str]:
    """Return the folder common to all files of a report, used where the report does not name its root."""
    folders = {os.path.dirname(name) for name in names if name.startswith("/")}
    return [os.path.commonpath(folders).rstrip("/") + "/"] if folders else []
