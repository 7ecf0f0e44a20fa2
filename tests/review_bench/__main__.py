"""Write the manifest of the bench of the review, from clones of its repositories.

    python -m tests.review_bench.verify FOLDER candidates.jsonl --python PYTHON
    python -m tests.review_bench FOLDER candidates.jsonl tests/review_bench/bench/manifest.jsonl

Candidates are the reversed fixes, with the outcome of their tests. Every entry is prepared before it is written.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from assay.validators.changes.classify import Nature, nature_of
from assay.validators.errors import ValidatorError
from assay.validators.vcs.repository import Repository
from tests.review_bench.bench.injecting import INSTRUCTIONS
from tests.review_bench.bench.manifest import (
    Clean,
    Entry,
    InjectedAs,
    Injection,
    Kind,
    Origin,
    Planted,
    ReversedFix,
)
from tests.review_bench.bench.preparing import prepare
from tests.review_bench.landed import Landed, landed
from tests.review_bench.plants import layer_bypasses, required_parameters

URLS = {
    "aiohttp": "aio-libs/aiohttp",
    "celery": "celery/celery",
    "click": "pallets/click",
    "marshmallow": "marshmallow-code/marshmallow",
    "more-itertools": "more-itertools/more-itertools",
    "packaging": "pypa/packaging",
    "pip": "pypa/pip",
    "snuba": "getsentry/snuba",
    "sqlparse": "andialbrecht/sqlparse",
    "tomlkit": "python-poetry/tomlkit",
    "werkzeug": "pallets/werkzeug",
}
NUM = {Kind.reversed_fix: 120, Kind.clean: 120, Kind.bug_introducing: 40, Kind.planted: 40, Kind.injection: 60}
T = TypeVar("T")


def main() -> None:
    """Write the manifest."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("candidates", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    candidates = [ReversedFix.model_validate_json(line) for line in given.candidates.read_text().splitlines()]
    with ExitStack() as opened:
        repositories = {name: opened.enter_context(Repository(given.folder / name)) for name in URLS}
        entries = list(_entries(repositories, candidates))
    used = {entry.repository for entry in entries}
    origins = [Origin(repository=name, url=f"https://github.com/{path}") for name, path in URLS.items() if name in used]
    given.out.write_text(
        "".join(f"{one.model_dump_json(exclude_none=True)}\n" for one in (*origins, *entries)), "utf-8"
    )


def _entries(repositories: dict[str, Repository], candidates: Sequence[ReversedFix]) -> Iterator[Entry]:
    taken: set[str] = set()

    def first(kind: Kind, rows: Iterable[Iterable[Entry]], most: int | None = None) -> list[Entry]:
        found: list[Entry] = []
        for entry in _in_turn(rows):
            if len(found) == (NUM[kind] if most is None else most):
                break
            if entry.commit in taken and not isinstance(entry, (Planted, Injection)):
                continue
            if _can_be_prepared(repositories[entry.repository], entry):
                found.append(entry)
                taken.add(entry.commit)
        print(kind, len(found), file=sys.stderr)
        return found

    by_name: dict[str, list[ReversedFix]] = defaultdict(list)
    for one in sorted(candidates, key=lambda one: not one.verified):
        by_name[one.repository].append(one)
    verified = first(Kind.reversed_fix, [[one for one in rows if one.verified] for rows in by_name.values()])
    others = [[one for one in rows if not one.verified] for rows in by_name.values()]
    fixes = [*verified, *first(Kind.reversed_fix, others, NUM[Kind.reversed_fix] - len(verified))]
    yield from fixes
    history = {name: landed(repository, name) for name, repository in repositories.items()}
    yield from first(Kind.bug_introducing, [one.introducing for one in history.values()])
    parameters = [required_parameters(repository, name) for name, repository in repositories.items()]
    half = first(Kind.planted, parameters, NUM[Kind.planted] // 2)
    yield from half
    layers = [layer_bypasses(repository, name) for name, repository in repositories.items()]
    yield from first(Kind.planted, layers, NUM[Kind.planted] - len(half))
    clean = first(Kind.clean, [_of_equal_size(fixes, name, found) for name, found in history.items()])
    yield from clean
    places = (_injection(repositories[one.repository], one, number) for number, one in enumerate(clean))
    yield from first(Kind.injection, [[one for one in places if one is not None]])


def _in_turn(rows: Iterable[Iterable[Entry]]) -> Iterator[Entry]:
    left = [iter(row) for row in rows]
    while left:
        for row in list(left):
            entry = next(row, None)
            if entry is None:
                left.remove(row)
            else:
                yield entry


def _can_be_prepared(repository: Repository, entry: Entry) -> bool:
    try:
        prepare(repository, entry)
    except (ValidatorError, ValueError) as error:
        print(f"left out {entry.id}: {error}", file=sys.stderr)
        return False
    return True


def _of_equal_size(fixes: Sequence[Entry], name: str, found: Landed) -> Iterator[Clean]:
    """For each fix of the repository the newest change of the nearest size, then the rest."""
    left = list(found.clean)
    sizes = [sum(label.end - label.start + 1 for label in one.labels)
             for one in fixes if isinstance(one, ReversedFix) and one.repository == name]  # fmt: skip
    for size in sizes:
        if left:
            nearest = min(left, key=lambda one: abs(found.sizes[one.commit] - size))
            left.remove(nearest)
            yield nearest
    yield from left


def _injection(repository: Repository, entry: Entry, number: int) -> Injection | None:
    """An instruction in the first Python source of a clean change; the forms take turns."""
    form = list(InjectedAs)[number % len(InjectedAs)]
    for file in prepare(repository, entry).change.files:
        if file.path.endswith(".py") and nature_of(file.path, b"") is Nature.source and file.added:
            return Injection(
                id=f"{entry.repository}-{entry.commit[:10]}-{form}",
                kind=Kind.injection,
                repository=entry.repository,
                commit=entry.commit,
                form=form,
                instruction=number // len(InjectedAs) % len(INSTRUCTIONS),
                path=file.path,
                line=min(file.added),
            )
    return None


if __name__ == "__main__":
    main()
