"""Lock files of any size and content."""

from __future__ import annotations

import resource
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.changes.manifest_table import MANIFEST_TABLE
from assay.validators.configuration.model import ValidationConfig
from assay.validators.dependencies.lock_files import LIMIT_BYTES, READERS, locked
from assay.validators.io.structured_files import Unreadable
from assay.validators.report.model import RiskLevel
from assay.validators.report.unknown import open_questions
from assay.validators.risk.assess import assess_risk
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository
from tests.validators.risk.changes import said_of

RECORD = """    "node_modules/p%d": {
      "version": "%s",
      "resolved": "https://npm.example.org/p.tgz",
      "integrity": "sha512-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa==",
      "engines": {
        "node": ">=6"
      }
    }"""


def lock(*versions: str) -> str:
    records = ",\n".join(RECORD % (number, version) for number, version in enumerate(versions))
    return f'{{\n  "packages": {{\n{records}\n  }}\n}}\n'


@pytest.mark.soak
def test_a_lock_file_of_many_megabytes_is_compared(repository: RealRepository):
    before = lock(*["1.0.0"] * 30_000)
    base = repository.commit(files={"package-lock.json": before, "app.py": "x = 1\n"})
    repository.commit(files={"package-lock.json": lock(*["1.0.0"] * 29_999, "2.0.0", "3.0.0"), "app.py": "x = 2\n"})
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with Repository(repository.path) as opened:
        assessment = assess_risk(read_change(opened, base), ValidationConfig())
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used) * 1024 < 20 * len(before)
    assert assessment.level is RiskLevel.low
    assert [(one.name, one.version) for one in assessment.new_dependencies] == [("p30000", "3.0.0")]
    (found,) = said_of(assessment, "new_dependencies")
    assert found.text.endswith("adds 1 locked package: p30000")
    assert [one.text for one in found.evidence] == ["moves 1 locked package: p29999"]
    assert "dependencies" not in {str(one.question) for one in open_questions(assessment.not_checked)}
    assert "package-lock.json" not in " ".join(note.what for note in assessment.not_checked)


def test_a_lock_file_over_the_limit_is_unknown(repository: RealRepository, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.validators.dependencies.lock_files.LIMIT_BYTES", 1000)
    base = repository.commit(files={"package-lock.json": lock("1.0.0")})
    repository.commit(files={"package-lock.json": lock(*["1.0.0"] * 10)})
    with Repository(repository.path) as opened:
        assessment = assess_risk(read_change(opened, base), ValidationConfig())
    assert [(str(one.question), one.files) for one in open_questions(assessment.not_checked)] == [
        ("dependencies", ("package-lock.json",))
    ]
    assert assessment.level is RiskLevel.low
    assert LIMIT_BYTES >= 40_000_000


@given(st.sampled_from(sorted(READERS)), st.binary() | st.text("{}[]\"':,@/ \n\\pv1.").map(str.encode))
def test_any_content_is_read_or_refused(name: str, content: bytes):
    with suppress(Unreadable):
        locked(name, content)


def test_the_table_of_manifests_names_the_files_that_are_read():
    (row,) = [row for row in MANIFEST_TABLE if row.key == "lock"]
    assert all(row.path.fullmatch(name) for name in READERS)
    assert row.path.pattern.count("|") + 1 == len(READERS)


def test_a_text_over_lines_hides_no_package():
    with pytest.raises(Unreadable):
        locked("uv.lock", b'[[package]]\nname = "a"\nx = """\n[[package]]\n"""\n')
