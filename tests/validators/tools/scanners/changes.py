"""Changes to scan: two commits of a repository, and what the scanners make of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import Scanner, Tier1, ValidationConfig
from assay.validators.progress import Deadline, Silent
from assay.validators.tools.scanners.register import SCANNERS
from assay.validators.tools.scanners.scanning import scan
from assay.validators.tools.tool import ScanResult
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository

Files = Mapping[str, str | bytes]
ALL = frozenset(scanner.name for scanner in SCANNERS)


@contextmanager
def changed(repository: RealRepository, before: Files, after: Files, gone: Collection[str] = ()) -> Iterator[ChangeSet]:
    """The change from one set of files to another; `gone` are deleted on the way."""
    base = repository.commit("Before", {"README.md": "", **before})
    for name in gone:
        repository.remove(name)
    head = repository.commit("After", after)
    with Repository(repository.path) as opened:
        yield read_change(opened, base, head)


def scanned(
    repository: RealRepository,
    before: Files,
    after: Files,
    *,
    only: Collection[str] = ALL,
    gone: Collection[str] = (),
    seconds: float = 100,
) -> ScanResult:
    """What the scanners `only` find in that change."""
    config = ValidationConfig(tier1=Tier1(scanners=tuple(one for one in Scanner if one in only)))
    with changed(repository, before, after, gone) as change:
        return scan(change, config, Deadline(seconds), Silent())


def said(result: ScanResult) -> list[str]:
    """Findings as lines: `src/a.py:3 error python-eval`."""
    return [f"{found.file}:{found.line} {found.severity} {found.rule}" for found in result.findings]


def left_open(result: ScanResult) -> list[tuple[str, str]]:
    """What was not checked, and why: a scanner or file, or a question with its files."""
    return [
        (f"{note.question} {' '.join(note.files)}" if note.question else note.what, note.why)
        for note in result.not_checked
    ]
