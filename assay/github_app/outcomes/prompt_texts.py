"""Display of prompt versions: list, diff, tasks of each."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from assay.coded_error import CodedError
from assay.github_app.store import PromptVersionRow, Store
from assay.validators import as_visible, as_visible_lines

LEAST_PREFIX = 4
MOST_LINES = 4000
"""Maximum lines compared per side, because comparing unrelated texts costs the product of their lengths."""
MOST_LINE = 500


class NoVersion(CodedError):
    """No version, or several, match; `str()` gives one line."""

    code = "prompt.unknown-version"


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """Version with its source (`files`, `declared`, `api`), its files, and the pull requests that used it."""

    version: str
    source: str
    paths: tuple[str, ...]
    first_seen_at: datetime
    pulls: tuple[int, ...]
    num_tasks: int


@dataclass(frozen=True, slots=True)
class FileDiff:
    """Difference in one file: `change` is added, removed or changed; `lines` are an escaped unified diff.

    `why_not` is the reason if there are no lines.
    """

    path: str
    change: str
    lines: tuple[str, ...] = ()
    why_not: str | None = None


def versions(store: Store, repository_id: int) -> tuple[ListedVersion, ...]:
    """Return the versions of a repository, oldest first. A declared one may have only a name and no text."""
    pulls = store.prompt_versions.pulls_under(repository_id)
    tasks = store.prompt_versions.tasks_under(repository_id)
    return tuple(
        ListedVersion(
            row.version,
            row.source,
            tuple(sorted(row.texts)),
            row.first_seen_at,
            pulls.get(row.version, ()),
            tasks.get(row.version, 0),
        )
        for row in store.prompt_versions.of(repository_id)
    )


def version_named(store: Store, repository_id: int, name: str) -> PromptVersionRow:
    """Return the version of this name, or the only one with this prefix. Raises `NoVersion`."""
    row = store.prompt_versions.get(repository_id, name)
    if row is not None:
        return row
    found = [one for one in store.prompt_versions.of(repository_id) if one.version.startswith(name)]
    if len(name) < LEAST_PREFIX or not found:
        raise NoVersion(f"there is no prompt version {as_visible(name, 80)}; `GET …/prompts` lists them")
    if len(found) > 1:
        raise NoVersion(f"{len(found)} prompt versions begin with {as_visible(name, 80)}; use a longer prefix")
    return found[0]


def difference(before: PromptVersionRow, after: PromptVersionRow) -> tuple[FileDiff, ...]:
    """Return the differences between the texts of two versions, by path."""
    return tuple(_differences(before, after))


def _differences(before: PromptVersionRow, after: PromptVersionRow) -> Iterator[FileDiff]:
    for path in sorted({*before.texts, *after.texts}):
        old, new = before.texts.get(path), after.texts.get(path)
        if old == new:
            continue
        change = "added" if old is None else "removed" if new is None else "changed"
        left, right = (old or "").splitlines(), (new or "").splitlines()
        if max(len(left), len(right)) > MOST_LINES:
            yield FileDiff(path, change, (), f"more than {MOST_LINES} lines: not compared line by line")
            continue
        names = (f"{before.version[:12]}/{path}", f"{after.version[:12]}/{path}")
        lines = difflib.unified_diff(left, right, *names, lineterm="")
        yield FileDiff(path, change, tuple(as_visible_lines(lines, MOST_LINE)))
