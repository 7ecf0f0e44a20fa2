"""Landed changes of public repositories: those that no later fix changed, and those that a later fix blames."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.validators.changes.classify import Nature, nature_of
from assay.validators.changes.landed import FilePatch, LandedChange
from assay.validators.report.review import Side
from assay.validators.risk.likelihood.kept_past import facts_of
from assay.validators.risk.likelihood.labels import OutcomeFinder
from assay.validators.risk.likelihood.past import YEAR_S, is_fix, is_ordinary, is_revert
from assay.validators.risk.likelihood.text_measures import code_lines, is_import
from assay.validators.vcs.landed import RepositoryHistory
from assay.validators.vcs.repository import Repository
from tests.review_bench.bench.manifest import BugIntroducing, Clean, Kind, Span

MOST_READ = 4_000
MOST_LINES = 60
MOST_INTRODUCING = 300
MOST_FIX_FILES = 3
LEAST_SHARE = 0.6
"""Share of a fix's replaced lines of code that one change wrote, from which it is the one that introduced the bug."""
_HEADER = re.compile(r"([0-9a-f]{40}) (\d+) (\d+)(?: \d+)?")


@dataclass
class Landed:
    """Landed changes of a repository, the newest first, with their sizes in lines of Python source."""

    clean: list[Clean] = field(default_factory=list)
    introducing: list[BugIntroducing] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)


def landed(repository: Repository, name: str) -> Landed:
    """Changes that landed on the branch of the clone."""
    tip = repository.resolve("HEAD")
    history = RepositoryHistory(repository, tip, tip, tip)
    changes, outcomes, found = history.landed(MOST_READ), OutcomeFinder(), Landed()
    patched: dict[str, Sequence[FilePatch]] = {}
    for change, patches in history.patches(changes):
        outcomes.add(change, None if patches is None else facts_of(patches).files)
        patched[change.sha] = patches or ()
        found.sizes[change.sha] = _size(patches or ())
    end = changes[-1].time
    for change in reversed(changes):
        is_known_bad = change.sha in outcomes.fixed_at or change.sha in outcomes.reverted_at
        is_quiet = not is_known_bad and change.time <= end - YEAR_S
        if is_quiet and is_ordinary(change) and 0 < found.sizes[change.sha] <= MOST_LINES:
            found.clean.append(
                Clean(id=f"{name}-{change.sha[:10]}-clean", kind=Kind.clean, repository=name, commit=change.sha)
            )
    known = {change.sha for change in changes}
    taken: set[str] = set()
    for change in reversed(changes):
        if is_fix(change) and not is_revert(change) and 0 < len(patched[change.sha]) <= MOST_FIX_FILES:
            entry = _introducing(repository, name, change, patched[change.sha])
            if entry is None or entry.commit not in known or entry.commit in taken:
                continue
            if 0 < found.sizes[entry.commit] <= MOST_INTRODUCING:
                taken.add(entry.commit)
                found.introducing.append(entry)
    return found


def _size(patches: Sequence[FilePatch]) -> int:
    return sum(
        len(hunk.removed) + len(hunk.added)
        for patch in patches
        if _is_python_source(patch.path)
        for hunk in patch.hunks
    )


def _is_python_source(path: str) -> bool:
    return path.endswith(".py") and nature_of(path, b"") is Nature.source


def _introducing(
    repository: Repository, name: str, fix: LandedChange, patches: Sequence[FilePatch]
) -> BugIntroducing | None:
    """The change that wrote most of the code a fix replaces, with those of its lines."""
    writers: dict[str, list[tuple[str, int]]] = defaultdict(list)
    num = 0
    for patch in patches:
        if patch.base_path is None or not _is_python_source(patch.path):
            continue
        for hunk in patch.hunks:
            lines = {
                hunk.base_start + offset
                for offset, line in enumerate(hunk.removed)
                if not is_import(line) and any(True for _ in code_lines((line,), patch.path))
            }
            num += len(lines)
            for sha, path, line, final in _blame(repository, fix.parents[0], patch.base_path, lines):
                assert final in lines
                writers[sha].append((path, line))
    if not 0 < num <= MOST_LINES or not writers:
        return None
    sha, places = max(writers.items(), key=lambda one: len(one[1]))
    if len(places) < num * LEAST_SHARE:
        return None
    return BugIntroducing(
        id=f"{name}-{sha[:10]}-introducing",
        kind=Kind.bug_introducing,
        repository=name,
        commit=sha,
        fix=fix.sha,
        labels=tuple(_spans(places)),
    )


def _blame(repository: Repository, commit: str, path: str, lines: set[int]) -> Iterator[tuple[str, str, int, int]]:
    """Writer, its path and line, and the line of the commit, of each line."""
    if not lines:
        return
    ranges = [f"-L{line},{line}" for line in sorted(lines)]
    options = ("--first-parent", "-w", "--porcelain", *ranges)
    out = repository.good("blame", *options, commit, "--", path).decode("utf-8", "replace")
    paths: dict[str, str] = {}
    sha, line, final = "", 0, 0
    for row in out.split("\n"):
        header = _HEADER.fullmatch(row)
        if row.startswith("\t"):
            yield sha, paths[sha], line, final
        elif header is not None:
            sha, line, final = header[1], int(header[2]), int(header[3])
        elif row.startswith("filename "):
            paths[sha] = row.removeprefix("filename ")


def _spans(places: Sequence[tuple[str, int]]) -> Iterator[Span]:
    """The places as ranges of adjacent lines."""
    start: tuple[str, int] | None = None
    end = 0
    for path, line in sorted(set(places)):
        if start is not None and path == start[0] and line == end + 1:
            end = line
            continue
        if start is not None:
            yield Span(side=Side.head, path=start[0], start=start[1], end=end)
        start, end = (path, line), line
    if start is not None:
        yield Span(side=Side.head, path=start[0], start=start[1], end=end)
