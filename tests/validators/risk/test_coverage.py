"""Coverage of changed lines: what is low, what is unknown, and what is too little to judge by."""

from __future__ import annotations

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.gravity import Gravity
from assay.validators.report.model import RiskLevel, ToolsResult
from assay.validators.risk.assess import assess_risk
from assay.validators.risk.coverage import NO_DATA, NO_LINE_COVERED, WHAT, CoverageSignal
from tests.validators.risk.changes import Changes, many, said_of


@pytest.fixture(scope="module")
def change(changes: Changes):
    return changes.of(
        {"tests/test_user.py": "x = 1\n", "pkg/__init__.py": "", "pkg/user.py": "from pkg.tool import x_1\n"},
        {"pkg/tool.py": many("x_{n} = 1", 40), "tests/test_tool.py": "x = 1\n", "web/a.ts": "let a = 1\n"},
    )


def assessed(change, lines, policy="narrow"):
    config = ValidationConfig.model_validate({"tier3": {"policy": policy}})
    tools = None if lines is None else ToolsResult(line_coverage=lines, coverage_source="coverage.xml")
    return assess_risk(change, config, tools=tools, signals=[CoverageSignal()])


def covered(num: int, of: int = 40) -> dict[str, dict[int, bool]]:
    return {"pkg/tool.py": {line: line <= num for line in range(1, of + 1)}}


@pytest.mark.parametrize(
    ("num", "level"),
    [(40, None), (32, None), (31, RiskLevel.medium), (20, RiskLevel.medium), (19, RiskLevel.high), (0, RiskLevel.high)],
)
def test_the_share_of_covered_lines_is_a_notice_and_a_level_by_the_specification(change, num, level):
    assessment = assessed(change, covered(num))
    found = said_of(assessment, "coverage")
    assert [one.gravity for one in found] == ([Gravity.notice] if level else [])
    assert all(f"{100 * num / 40:g} %" in one.text for one in found)
    assert [one.level for one in said_of(assessed(change, covered(num), "seed"), "coverage")] == [level] * bool(level)
    assert assessment.coverage.percent == round(100 * num / 40, 1)
    assert (assessment.coverage.num_lines, assessment.coverage.num_covered) == (40, num)


def test_uncovered_lines_are_named_as_ranges(change):
    lines = {"pkg/tool.py": {line: line not in (3, 4, 5, 9) and line < 30 for line in range(1, 41)}}
    (found,) = said_of(assessed(change, lines), "coverage")
    assert [(one.file, one.line, one.text) for one in found.evidence] == [
        ("pkg/tool.py", 3, "no test runs lines 3-5, 9, 30-40")
    ]


def test_the_files_that_import_what_changed_are_told_too(change):
    (found,) = said_of(assessed(change, {**covered(0), "pkg/user.py": {1: True, 2: False}}), "coverage")
    assert "50 % of the 2 lines of the 1 files" in found.evidence[-1].text


def test_few_lines_are_not_stated(change):
    assert said_of(assessed(change, covered(0, of=19), "seed"), "coverage") == []
    assert len(said_of(assessed(change, covered(0, of=20), "seed"), "coverage")) == 1


@pytest.mark.parametrize("lines", [None, {}])
def test_without_data_coverage_is_unknown_and_adds_nothing(change, lines):
    assessment = assessed(change, lines)
    assert assessment.level is RiskLevel.low
    assert assessment.statements == ()
    assert assessment.coverage.percent is None
    assert assessment.coverage.why_unknown == NO_DATA
    assert [note.what for note in assessment.not_checked] == [WHAT]


def test_a_file_the_data_does_not_mention_is_unknown_not_covered(change):
    assessment = assessed(change, {"pkg/other.py": {1: True}})
    assert assessment.coverage.percent is None
    assert ["pkg/tool.py" in note.why for note in assessment.not_checked] == [True]


def test_a_language_the_data_does_not_cover_is_not_missed(change):
    assessment = assessed(change, covered(40))
    assert assessment.not_checked == ()


def test_lines_without_code_count_neither_way(change):
    assessment = assessed(change, {"pkg/tool.py": {100: False}})
    assert assessment.coverage.why_unknown == NO_LINE_COVERED


def test_a_change_without_source_has_nothing_to_say(changes: Changes):
    assessment = assessed(changes.of({}, {"docs/a.md": "more\n"}), None)
    assert assessment.not_checked == ()
