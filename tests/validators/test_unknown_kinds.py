"""No part of a report says None, zero or a check mark about what no analyzer covers, for every kind of file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assay.validators.changes.language_table import LANGUAGE_TABLE, Kind, language_of
from assay.validators.configuration.model import Tier3, ValidationConfig
from assay.validators.render.format import FORMATS, rendered
from assay.validators.render.words import not_checked
from assay.validators.report.model import Tier, ValidationReport
from assay.validators.report.read import read_report
from assay.validators.report.unknown import BY_TIER, QUESTIONS, Question
from assay.validators.run.pipeline import Options, validate
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.conftest import ROOT
from tests.examples import sampled
from tests.repositories import RealRepository
from tests.tables import read_yaml

OTHER_TIERS = {"secrets", "coverage"}
"""Unknown in every case: Tier 1 does not run here."""
LINES = {
    Question.dependents: "Downstream dependents",
    Question.interface: "Public API changes",
    Question.dependencies: "New dependencies",
}


@dataclass(frozen=True)
class Case:
    """One changed file, and which of its questions have an answer."""

    name: str
    path: str
    head: str
    known: frozenset[str]
    unknown: frozenset[str]
    uses: dict[str, str] = field(default_factory=dict)


def _cases() -> list[Case]:
    rows = read_yaml(ROOT / "tests/cases/unknown/kinds.yaml")
    return [
        Case(
            name,
            row["path"],
            row["head"],
            frozenset(row.get("known", "").split()),
            frozenset(row.get("unknown", "").split()),
            row.get("uses", {}),
        )
        for name, row in rows.items()
    ]


CASES = _cases()


def judged(folder: Path, *cases: Case, config: ValidationConfig | None = None) -> ValidationReport:
    """The report of Tiers 2 and 3 on a change of these files."""
    repository = RealRepository(folder)
    uses = {path: text for case in cases for path, text in case.uses.items()}
    kept = {"tests/test_kept.py": "def test_kept():\n    assert 1\n", "Tests/KeptTests.swift": "// kept\n"}
    repository.commit("Start", {**{case.path: "1\n" for case in cases}, **uses, **kept})
    repository.commit("Change", {case.path: case.head for case in cases})
    with Repository(folder) as opened:
        change = read_change(opened, "main~1", "main")
        return validate(change, config or ValidationConfig(), Options(tiers=(Tier.quality, Tier.risk)))


@pytest.mark.parametrize("case", sampled(CASES, 16), ids=lambda case: case.name)
def test_what_nothing_covers_is_unknown_in_every_format(case: Case, tmp_path: Path):
    report = judged(tmp_path, case)
    (file,) = report.files
    assert set(file["unknown"]) - OTHER_TIERS == case.unknown
    assert set(file["asked"]) - OTHER_TIERS == case.unknown | case.known
    if case.uses:
        assert report.risk is not None
        assert {one.path for one in report.risk.dependents} == set(case.uses)
    holds_invariant(report)


def test_a_mixed_change_gives_the_known_part_and_names_the_unknown(tmp_path: Path):
    mixed = [case for case in CASES if case.name in ("python", "swift", "terraform")]
    report = judged(tmp_path, *mixed)
    holds_invariant(report)
    text = rendered(report, "markdown")
    assert "Downstream dependents: 1 module imports from changed files (1 using `price`); unknown (Swift)\n" in text
    assert "Public API changes: None in 1 file; unknown (Swift)\n" in text
    assert "(dependents unknown: Swift)" in report.title


def test_what_is_unknown_for_one_reason_takes_one_line_and_no_place_in_the_title(tmp_path: Path):
    report = judged(tmp_path, *(case for case in CASES if case.name in ("go", "typescript", "swift", "hex-manifest")))
    lines = [f"{what}: {why}" for what, why in not_checked(report)]
    assert "Swift (src/a.swift): dependents, public interface, dangerous code: unknown, no analyzer covers it" in lines
    assert "Hex (mix.exs): dependencies, supply chain: unknown, no analyzer covers it" in lines
    assert "dependents unknown: " in report.title
    assert not re.search("dangerous|supply|checks", report.title)


@pytest.mark.parametrize("signal", ["security_sensitive", "guards", "supply_chain"])
def test_a_signal_that_is_switched_off_leaves_its_question_open(signal: str, tmp_path: Path):
    question = {"security_sensitive": "dangers"}.get(signal, signal)
    report = judged(
        tmp_path,
        *(case for case in CASES if case.name in ("python", "dockerfile")),
        config=ValidationConfig(tier3=Tier3(signals={signal: False})),
    )
    asked = [file for file in report.files if question in file["asked"]]
    assert asked
    assert all(question in file["unknown"] for file in asked)


def holds_invariant(report: ValidationReport) -> None:
    """Check all formats: each unknown question is named in each, and no line about one is reassuring."""
    unknown = {Question(name) for file in report.files for name in file["unknown"] if name not in OTHER_TIERS}
    texts = {name: rendered(report, name) for name in FORMATS}
    for name in ("terminal", "markdown"):
        lines = re.sub(r"\\(.)", r"\1", texts[name]).splitlines()
        for question in unknown & LINES.keys():
            (line,) = [line for line in lines if LINES[question] in line]
            assert "unknown (" in line, (name, line)
            assert not re.search(r"\bNone$|\bNone\b(?! in \d)|\b0\b|not applicable", line), (name, line)
        for line in lines:
            if unknown & set(BY_TIER[1]) and re.search(r"\bQuality\b", line) and "Code Quality" not in line:
                assert not re.search("[✅✔]", line), (name, line)
                assert "unknown" in line, (name, line)
        joined = " ".join(texts[name].split())
        assert all(QUESTIONS[question] in joined for question in unknown), name
    data = json.loads(texts["json"])
    told = {one["question"] for tier in data["tiers"].values() if tier for one in tier["not_checked"]}
    assert unknown <= told
    assert read_report(texts["json"]).unknown == report.unknown
    notes = [
        note["message"]["text"]
        for invocation in json.loads(texts["sarif"])["runs"][0]["invocations"]
        for note in invocation["toolExecutionNotifications"]
    ]
    for question in unknown:
        assert any(QUESTIONS[question] in note and "unknown" in note for note in notes), question


def test_the_corpus_has_every_kind_and_at_least_forty():
    rows: list[Any] = [language_of(case.path) for case in CASES]
    assert len(CASES) >= 40
    kinds = {row.kind for row in rows if row is not None} | {Kind.settings}
    assert kinds == set(Kind)
    asked = {name for case in CASES for name in case.known | case.unknown}
    assert asked == {str(question) for question in Question} - OTHER_TIERS
    assert {row.key for row in rows if row is not None} <= {row.key for row in LANGUAGE_TABLE}


@pytest.mark.parametrize(
    ("path", "base", "head", "named"),
    [
        (
            "src/index.ts",
            "export function a(b) {\n  return b\n}\n",
            "export function a(c, b) {\n  return b\n}\n",
            False,
        ),
        ("src/index.ts", "export type A = string\n", "export type A = B<string>\n", True),
        ("src/index.ts", "export function a(b) {\n  return b\n}\n", "export function a(b) {\n  return 1\n}\n", False),
        ("src/index.ts", "export { b } from './b'\n", "export { b } from './c'\n", False),
    ],
)
def test_the_title_names_an_interface_whose_declarations_change(
    path: str, base: str, head: str, named: bool, tmp_path: Path
):
    repository = RealRepository(tmp_path)
    package = '{"name": "lib", "version": "1.2.0", "types": "src/index.ts"}\n'
    repository.commit("Start", {"package.json": package, path: base, "src/b.ts": "", "src/c.ts": ""})
    repository.commit("Change", {path: head})
    with Repository(tmp_path) as opened:
        report = validate(read_change(opened, "main~1", "main"), ValidationConfig(), Options(tiers=(Tier.risk,)))
    assert ("(interface unknown: " in report.title) is named
