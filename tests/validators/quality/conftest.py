"""A change in a real repository, judged by one rule or by all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Silent
from assay.validators.quality import check
from assay.validators.quality.register import RULES
from assay.validators.report.model import Finding, QualityResult
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository

Files = Mapping[str, str | bytes | None]


class Judge:
    """Makes a change of two commits and has it judged. A file that is None in the head is deleted."""

    def __init__(self, repository: RealRepository, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repository = repository
        self._monkeypatch = monkeypatch

    def only(self, *names: str) -> None:
        """From now on only these rules run."""
        self._monkeypatch.setattr(check, "RULES", tuple(rule for rule in RULES if rule.name in names))

    def make(self, base: Files, head: Files) -> tuple[str, str]:
        """Commit both sides; their ids."""
        first = self._commit("base", base)
        return first, self._commit("head", head)

    @contextmanager
    def change(self, base: Files, head: Files) -> Iterator[ChangeSet]:
        """The change between both sides."""
        first, second = self.make(base, head)
        with Repository(self.repository.path) as repository:
            yield read_change(repository, first, second)

    def __call__(self, base: Files, head: Files, config: Mapping[str, Any] | None = None) -> QualityResult:
        with self.change(base, head) as change:
            return self.of(change, config)

    def of(self, change: ChangeSet, config: Mapping[str, Any] | None = None) -> QualityResult:
        """Judge a change that is made already."""
        return check.check_quality(change, ValidationConfig.model_validate(config or {}), progress=Silent())

    def _commit(self, message: str, files: Files) -> str:
        for name, content in files.items():
            if content is None:
                self.repository.remove(name)
            else:
                path = self.repository.path / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        return self.repository.commit(message)


class Prepared:
    """Many changes in one repository, made by one `git fast-import` and read through one opened repository."""

    def __init__(self, folder: Path, wanted: Sequence[tuple[Files, Files]]) -> None:
        made, marks = RealRepository(folder), folder / "marks"
        commits = []
        for number, (base, head) in enumerate(wanted):
            commits.append(_commit(number, 2 * number + 1, None, base))
            commits.append(_commit(number, 2 * number + 2, 2 * number + 1, head))
        made.git("fast-import", "--quiet", f"--export-marks={marks}", data=b"".join(commits))
        self._ids = dict(line.split() for line in marks.read_text().splitlines())
        self._opened = Repository(made.path)
        self.close = self._opened.close

    def at(self, number: int) -> ChangeSet:
        """The change given as the `number`th."""
        base, head = (self._ids[f":{2 * number + side}"] for side in (1, 2))
        return read_change(self._opened, base, head)


def _commit(number: int, mark: int, parent: int | None, files: Files) -> bytes:
    """A commit in the words of `git fast-import`."""
    said = f"commit refs/heads/change-{number}\nmark :{mark}\ncommitter Ada <ada@example.org> 1700000000 +0000\n"
    parts = [said.encode(), b"data 6\nchange\n", b"" if parent is None else f"from :{parent}\n".encode()]
    for name, content in files.items():
        if content is None:
            parts.append(f"D {name}\n".encode())
        else:
            data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
            parts += [f"M 100644 inline {name}\ndata {len(data)}\n".encode(), data, b"\n"]
    return b"".join(parts)


@pytest.fixture
def judge(repository: RealRepository, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Judges a change given as two sets of files."""
    return Judge(repository, monkeypatch)


def said(findings: Sequence[Finding]) -> list[str]:
    """`severity rule file:line` of each finding; without a file where it is about the whole change."""
    return sorted(
        f"{finding.severity} {finding.rule} {finding.file}".rstrip()
        + ("" if finding.line is None else f":{finding.line}")
        for finding in findings
    )


@pytest.fixture(scope="session")
def cases_folder(project_root: Path) -> Path:
    """Where the tables of cases lie."""
    return project_root / "tests" / "cases" / "quality"
