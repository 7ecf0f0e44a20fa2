"""Each secret is a finding of its own, with its kind and its place; the text is in none."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assay.validators.report.model import Finding
from assay.validators.tools.scanners.export import Exported
from assay.validators.tools.scanners.secrets import secrets_in
from assay.validators.tools.tool import ScanResult
from tests.conftest import ROOT
from tests.repositories import RealRepository
from tests.tables import read_yaml
from tests.validators.tools.scanners.changes import left_open, scanned

# No file of this project may hold what looks like a secret.
GITHUB = "gh" + "p_Zk3Q9vXw7LmN2pR5tY8uB1cD4eF6gH0jK2lM"
SLACK = "xo" + "xb-482957361056-5938271640392-Kd8sJq2LmZx7PvB4nRtYw6Hc"
AWS = "AK" + "IAQ7GD82HLM1XZP0VT"
API_KEY = "a8f3kd92m" + "fk39dkq0z"
PASSWORD = "hunter2" + "hunter2"
BASE = {
    "moved.py": f'key = "{GITHUB}"\n',
    "joined.py": f'key = "{GITHUB}"\n',
    "replaced.py": f'key = "{GITHUB[:-1]}P"\n',
}
HEAD = {
    "rule_on_two_lines.py": f'github = "{GITHUB}"\nslack = "{SLACK}"\n',
    "rules_on_two_lines.py": f'password = "{PASSWORD}"\nAWS = "{AWS}"\n',
    "rule_on_one_line.md": f"é {GITHUB} {SLACK}\n",
    "rules_on_one_line.py": f'é = 1; password = "{PASSWORD}"; aws = "{AWS}"\n',
    "call.py": f'connect(password="{PASSWORD}", api_key="{API_KEY}")\n',
    "settings.py": f'S = {{\n    "api_key": "{API_KEY}",\n    "token": "{API_KEY}1",\n}}\n',
    "settings.js": f'const s = {{\n  apiKey: "{API_KEY}",\n  token: "{API_KEY}1",\n}};\n',
    "by_two_rules.py": f'token = "{GITHUB}"\n',
    "by_three_rules.py": f'password = "{GITHUB}"\n',
    "moved.py": f'# Moved down.\nnew_name = "{GITHUB}"  # and renamed\n',
    "joined.py": f'key = "{GITHUB}"; slack = "{SLACK}"\n',
    "replaced.py": f'key = "{GITHUB[:-1]}N"\n',
}
FOUND = {
    "rule_on_two_lines.py": ["1 error hardcoded-token ghp_", "2 error hardcoded-token xoxb-"],
    "rules_on_two_lines.py": ["1 warning python-hardcoded-password password", "2 error hardcoded-token AKIA"],
    "rule_on_one_line.md": ["1 warning hardcoded-token ghp_", "1 warning hardcoded-token xoxb-"],
    "rules_on_one_line.py": ["1 error hardcoded-token AKIA", "1 warning python-hardcoded-password password"],
    "call.py": ["1 error hardcoded-secret api_key", "1 warning python-hardcoded-password password"],
    "settings.py": ["2 error hardcoded-secret api_key", "3 error hardcoded-secret token"],
    "settings.js": ["2 error hardcoded-secret apiKey", "3 error hardcoded-secret token"],
    # Controls: one secret is one finding, and no finding where the base has it.
    "by_two_rules.py": ["1 error hardcoded-token ghp_"],
    "by_three_rules.py": ["1 error hardcoded-token ghp_"],
    "moved.py": [],
    "joined.py": ["1 error hardcoded-token xoxb-"],
    "replaced.py": ["1 error hardcoded-token ghp_"],
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ScanResult:
    repository = RealRepository(tmp_path_factory.mktemp("secrets") / "repository")
    return scanned(repository, BASE, HEAD, only=("semgrep",))


@pytest.mark.parametrize("file", FOUND)
def test_each_secret_is_a_finding_with_its_kind_and_place(result: ScanResult, file: str):
    found = [one for one in result.findings if one.file == file]
    assert sorted(map(_line, found)) == FOUND[file]


def test_no_finding_has_the_text_and_each_is_told_apart(result: ScanResult):
    assert all(one.is_secret for one in result.findings)
    assert not [text for text in (GITHUB, SLACK, AWS, API_KEY, PASSWORD) if text in repr(result)]
    assert len({(one.file, one.context) for one in result.findings}) == len(result.findings)


@pytest.mark.parametrize(("body", "is_cut_off"), [(None, False), ("exit 1", False), ("kill -9 $$", True)])
def test_tokens_are_found_where_semgrep_is_missing_or_fails(
    body: str | None, is_cut_off: bool, repository: RealRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """bandit takes over the rest there, and the report names what is open."""
    program = tmp_path / "semgrep"
    if body is not None:
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    monkeypatch.setenv("ASSAY_SEMGREP", str(program))
    head = {"shop.py": f'import tempfile\nx = tempfile.mktemp()\nkey = "{GITHUB}"\n'}
    result = scanned(repository, {}, head, only=("semgrep", "bandit"))
    assert [(one.line, one.rule) for one in result.findings] == [(3, "hardcoded-token"), (2, "B306")]
    assert [note.could_block for note in result.not_checked if note.what == "semgrep"] == [is_cut_off]
    assert [(run.name, run.gating) for run in result.runs] == [("semgrep", True), ("bandit", False)]
    assert [what for what, _ in left_open(result)] == ["semgrep", "secrets shop.py", "dangers shop.py"]


@pytest.mark.parametrize("kind", ["planted", "missed", "fine"])
def test_secrets_are_found_in_any_file_and_placeholders_are_none(kind: str):
    rows = read_yaml(ROOT / "tests" / "cases" / "secrets.yaml")[kind]
    texts = [(name, file, text.replace("~", "") if kind != "fine" else text) for name, file, text in rows]
    found = {(name, file) for name, file, text in texts if [*secrets_in(Exported("head", "a", file, text.split("\n")))]}
    assert found == ({(name, file) for name, file, _ in texts} if kind == "planted" else set())


def test_a_hostile_text_takes_no_time():
    texts = ("password=" * 40_000, "a://" * 90_000, "eyJ" + "a" * 300_000, "curl " * 60_000, "token:" + " " * 300_000)
    started = time.monotonic()
    assert [one for text in texts for one in secrets_in(Exported("head", "a", "a", [text]))] == []
    assert time.monotonic() - started < 20


def _line(one: Finding) -> str:
    return f"{one.line} {one.severity} {one.rule} {one.message.split('`')[1].removesuffix('…')}"
