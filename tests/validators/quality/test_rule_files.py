"""Rules of a repository that another tool runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.validators.io import process
from tests.validators.quality.conftest import Judge, said

SEMGREP = """\
rules:
  - id: no-print
    languages: [python]
    severity: WARNING
    message: a print
    pattern: print(...)
"""
CONFIG = {
    "tier2": {
        "customRules": [
            {"id": "no-print", "message": "Use the log.", "semgrep": "rules/print.yml", "paths": ["src/"]},
            {"id": "missing", "message": "No.", "semgrep": "rules/none.yml"},
        ]
    }
}


@pytest.mark.system
def test_a_semgrep_file_of_the_base_finds_added_lines_below_its_paths(judge: Judge):
    judge.only("repository_rules")
    base = {"rules/print.yml": SEMGREP, "src/a.py": "print(1)\n"}
    result = judge(base, {"src/a.py": "print(1)\nprint(2)\n", "b.py": "print(3)\n"}, CONFIG)
    assert said(result.findings) == ["warning repository_rules.no-print src/a.py:2"]
    assert result.findings[0].message == "Use the log. (a print)"
    assert result.findings[0].tool == "semgrep"
    assert [note.what for note in result.not_checked] == ["repository_rules.missing"]


def test_a_semgrep_that_is_not_here_is_named(judge: Judge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    judge.only("repository_rules")
    monkeypatch.setenv("ASSAY_SEMGREP", str(tmp_path / "none"))
    result = judge({"rules/print.yml": SEMGREP}, {"src/a.py": "print(2)\n"}, CONFIG)
    assert result.findings == ()
    assert any("semgrep: not found" in note.why for note in result.not_checked)


@pytest.mark.parametrize(
    ("severity", "path", "could_block"),
    [("error", "src/a.py", True), ("error", "b.py", False), ("info", "src/a.py", False)],
)
def test_a_rule_file_that_takes_too_long_could_block_where_it_applies(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, severity: str, path: str, could_block: bool
):
    judge.only("repository_rules")
    late = {"results": [], "errors": [{"type": "Timeout", "level": "warn", "message": "Timeout", "path": "head/0.py"}]}
    fake = tmp_path / "semgrep"
    fake.write_text(f"#!/bin/sh\necho '{json.dumps(late)}'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("ASSAY_SEMGREP", str(fake))
    rule = {"id": "no-print", "message": "m", "severity": severity, "paths": ["src/**"], "semgrep": "rules/print.yml"}
    result = judge({"rules/print.yml": SEMGREP}, {path: "print(2)\n"}, {"tier2": {"customRules": [rule]}})
    assert [(note.what, note.could_block) for note in result.not_checked] == [
        ("repository_rules.no-print", could_block)
    ]


def test_a_tool_that_talks_nonsense_is_named(judge: Judge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    judge.only("repository_rules")
    fake = tmp_path / "semgrep"
    fake.write_text('#!/bin/sh\necho \'{"results": [{"path": 3}]}\'\n')
    fake.chmod(0o755)
    monkeypatch.setenv("ASSAY_SEMGREP", str(fake))
    assert process.semgrep_program() == str(fake)
    result = judge({"rules/print.yml": SEMGREP}, {"src/a.py": "print(2)\n"}, CONFIG)
    assert result.findings == ()
    assert any("semgrep failed" in note.why for note in result.not_checked)
