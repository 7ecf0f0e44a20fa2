"""What cannot be read in a real repository: bytes, sizes, links."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.validators.changes.change import FileKind
from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import RiskAssessment, RiskLevel
from assay.validators.risk.assess import assess_risk
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository
from tests.validators.risk.changes import said_of

DANGER = "def run(text):\n    return eval(text)\n"
WRAPPED: dict[str, bytes] = {
    "NUL": b"x = '\0'\n" + DANGER.encode(),
    "UTF-16": DANGER.encode("utf-16"),
    "UTF-16 without mark": DANGER.encode("utf-16-le"),
    "UTF-32": DANGER.encode("utf-32"),
    "UTF-8 with mark": DANGER.encode("utf-8-sig"),
    "UTF-7": b"# coding: utf-7\n" + DANGER.replace("eval", "+AGUAdgBhAGw-").encode(),
    "line ends of old": DANGER.replace("\n", "\r").encode(),
    "behind a comment": b"# nothing\rdef run(text):\r    return eval(text)\n",
}


def assessed(
    repository: RealRepository, change: Callable[[], object], config: ValidationConfig | None = None
) -> RiskAssessment:
    base = repository.commit("Base", {"app.py": "x = 1\n", "notes.txt": "x\n"})
    change()
    repository.commit("Head")
    with Repository(repository.path) as opened:
        return assess_risk(read_change(opened, base), config or ValidationConfig())


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("path", ["app.py", "new.py"])
def test_danger_is_seen_in_every_encoding(repository: RealRepository, name: str, path: str) -> None:
    assessment = assessed(repository, lambda: repository.write(path, WRAPPED[name]))
    (found,) = said_of(assessment, "security_sensitive")
    assert (found.level, found.file, found.evidence) == (RiskLevel.critical, path, ())


def test_the_lines_of_a_file_git_calls_binary_are_counted(repository: RealRepository) -> None:
    base = repository.commit(files={"a.ts": "one\ntwo\n".encode("utf-16"), "b.xyz": "one\n", "c.png": b"\0one\n"})
    repository.commit(files={"a.ts": "one\n2\n".encode("utf-16"), "b.xyz": b"one\n\0two\n", "c.png": b"\0two\n"})
    with Repository(repository.path) as opened:
        files = read_change(opened, base).by_path
    assert (files["a.ts"].removed, files["a.ts"].added) == ({2: "two"}, {2: "2"})
    assert files["b.xyz"].added == {2: " two"}, "it was text in the base"
    assert files["c.png"].kind is FileKind.binary


def test_a_script_without_an_ending_is_read_by_its_first_line(repository: RealRepository) -> None:
    assessment = assessed(repository, lambda: repository.write("bin/run", "#!/usr/bin/env python3\n" + DANGER))
    assert said_of(assessment, "security_sensitive")[0].level is RiskLevel.critical


@pytest.mark.parametrize(("path", "num_bytes"), [("big.py", 1_100_000), ("big", 1_100_000), ("big", 5_400_000)])
def test_source_too_large_to_read_is_critical(repository: RealRepository, path: str, num_bytes: int) -> None:
    def grow() -> None:
        line = "# " + "x" * 997 + "\n"
        repository.write(path, "#!/usr/bin/env python3\n" + line * (num_bytes // len(line)) + DANGER)

    assessment = assessed(repository, grow)
    (found,) = said_of(assessment, "unreadable_source")
    assert (found.level, found.file, found.evidence) == (RiskLevel.critical, path, ())


@pytest.mark.parametrize(
    ("name", "target", "is_read"),
    [
        ("run.py", "notes.txt", False),
        ("run.py", "../outside.py", False),
        ("run.py", "app.py", True),
        ("logo", "x", True),
    ],
)
def test_a_link_is_read_where_it_leads_to_source_of_its_kind(
    repository: RealRepository, name: str, target: str, is_read: bool
) -> None:
    assessment = assessed(repository, lambda: repository.link(name, target))
    assert (said_of(assessment, "unreadable_source") == []) is is_read
