"""The Markdown report: one screen, the lines as specified, nothing active, within what GitHub takes."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validators.render import markdown
from assay.validators.report.gravity import Gravity
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    Coverage,
    Evidence,
    Finding,
    Gate,
    QualityResult,
    Severity,
    Statement,
    Tier,
    ValidationReport,
)
from assay.validators.report.risk_facts import Dependent
from assay.validators.report.statements import statements_of
from assay.validators.report.unknown import NotChecked
from assay.validators.report.waiver import Waiver, WaiverKind
from tests.examples import num_examples
from tests.test_escape import HOSTILE_TEXT
from tests.validators.render import sample
from tests.validators.render.github import shown_by_github, shown_by_others
from tests.validators.render.hostile import HOSTILE, all_say, with_words

SPECIFIED = """\
## Validation Report

### Tier 1 — Tool Validation

- Tests: PASS (42 passed, 0 failed)
- Lint: PASS (0 errors, 2 warnings)
- Type check: PASS

### Tier 2 — Code Quality

- 0 errors, 1 warning, 2 info
- ⚠️ Cognitive complexity of `processTask()` is 14 (threshold: 10) — `src/tasks.ts`
- {info} Consider extracting shared validation logic (DRY) — `src/tasks.ts`
- {info} New utility function follows existing naming conventions ✓ — `src/tasks.ts`

### Tier 3 — Risk Assessment

- **Risk level: Medium** 🟡
- Files changed: 4 | Lines: +87 / -12
- Downstream dependents: 3 modules import from changed files
- Public API changes: None
- New dependencies: None
- Test coverage of affected area: 78%
""".format(info="\u2139\ufe0f")

HEADINGS = [
    "❌ Medium risk · tests fail · 2 blocking, 3 to review",
    "Fix these",
    "Validation Report",
    "Tier 1 — Tool Validation",
    "Tier 2 — Code Quality",
    "Tier 3 — Risk Assessment",
]


def test_the_report_has_the_specified_headings_and_lines():
    lines = markdown.render(sample.clean()).splitlines()
    for specified in SPECIFIED.splitlines():
        # After a finding's place Assay names its rule, after the modules those that use the change.
        line = next(one for one in lines if one.startswith(specified))
        assert line == specified or line.startswith(f"{specified} (")
        lines = lines[lines.index(line) + 1 :]


def test_the_page_is_made_of_the_headings_it_should_have():
    page = shown_by_github(markdown.render(sample.sample()))
    assert page.headings == HEADINGS
    assert page.tags.count("details") == 6
    assert page.active() == []


def test_what_was_not_checked_is_always_said():
    assert "<summary>Not checked (3)</summary>" in markdown.render(sample.sample())
    nothing = markdown.render(sample.clean())
    assert "<summary>Not checked (0)</summary>\n\n- All requested checks ran\n" in nothing


def test_a_tier_that_was_not_run_says_so_and_is_never_good():
    text = markdown.render(sample.nothing_ran())
    assert text.count("- Not run; see “Not checked”") == 3
    assert "Tier 1 \\(" not in text
    assert "not requested (--tiers)" in text


def test_unknown_coverage_is_unknown_with_its_reason():
    report = sample.clean()
    assert report.risk is not None
    unknown = dataclasses.replace(report.risk, coverage=Coverage(None, why_unknown="no coverage data was given"))
    text = markdown.render(report.with_tiers(risk=unknown))
    assert "- Test coverage of affected area: unknown (no coverage data was given)" in text


@pytest.mark.parametrize(
    ("percent", "shown"), [(100.0, "100%"), (99.96, "99.9%"), (0.0, "0%"), (77.55, "77.5%"), (78.0, "78%")]
)
def test_coverage_is_never_rounded_up(percent: float, shown: str):
    report = sample.clean()
    assert report.risk is not None
    risk = dataclasses.replace(report.risk, coverage=Coverage(percent, 100, 50))
    assert f"affected area: {shown}\n" in markdown.render(report.with_tiers(risk=risk))


def test_a_failure_that_does_not_count_says_why():
    report = sample.sample()
    assert report.tools is not None
    failed = dataclasses.replace(report.tools.runs[0], gating=False, reason="it fails on the base too")
    informs = dataclasses.replace(failed, gate=Gate.informational, reason=None, name="other")
    tools = dataclasses.replace(report.tools, runs=(failed, informs))
    stated = statements_of(tools, None, None)
    text = markdown.render(dataclasses.replace(report.with_tiers(tools=tools), statements=stated, blocking=()))
    assert "- `pytest`: FAIL (42 passed, 1 failed, 2 skipped) — it fails on the base too (does not block)" in text
    assert "- `other`: FAIL (42 passed, 1 failed, 2 skipped) (advisory)" in text
    assert "Fix these" not in text


# ------------------------------------------------------------------ strangers


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_change_neither_the_page_nor_act(words: str):
    report = all_say(words)
    text = markdown.render(report)
    ours = shown_by_github(markdown.render(sample.sample()))
    for page in (shown_by_github(text), shown_by_others(text)):
        assert page.active() == []
        assert page.headings[1:] == HEADINGS[1:]
        for tag in ("details", "summary", "table", "tr", "td", "pre", "h1", "h2", "h3", "ol", "ul"):
            assert page.tags.count(tag) == ours.tags.count(tag), tag
    assert len(text.encode("utf-8")) <= markdown.MOST_BYTES


@settings(max_examples=num_examples(40), deadline=None)
@given(st.lists(HOSTILE_TEXT, min_size=1, max_size=12))
def test_a_report_of_random_words_is_inert(words: list[str]):
    turns = itertools.cycle(words)
    page = shown_by_github(markdown.render(with_words(sample.sample(), lambda _field, _text: next(turns))))
    assert page.active() == []
    assert page.headings[1:] == HEADINGS[1:]


# ------------------------------------------------------------------ size


def huge(words: str) -> ValidationReport:
    """A report with far too much of everything."""
    report = sample.sample()
    assert report.tools is not None
    assert report.risk is not None
    findings = identified(
        Finding(Tier.quality, severity, "complexity", f"src/{words}{i}.py", f"{i} {words}", i + 1, suggestion=words)
        for i in range(400)
        for severity in Severity
    )
    runs = tuple(
        dataclasses.replace(report.tools.runs[0], name=f"run{i}", command=words, reason=words, excerpt=(words,) * 80)
        for i in range(40)
    )
    statements = tuple(
        Statement("danger", words, words, 1, words, (Evidence(words, words, 1),) * 50, words, Gravity.high)
        for _ in range(100)
    )
    risk = dataclasses.replace(
        report.risk,
        statements=statements,
        dependents=tuple(Dependent(f"{words}{i}", 1, (words,) * 50, words, False, (words,) * 50) for i in range(500)),
        num_dependents_total=90_000,
        api_changes=report.risk.api_changes * 500,
        new_dependencies=report.risk.new_dependencies * 500,
    )
    blocking = (*(run.name for run in runs), *(finding.id for finding in findings))
    tools, quality = dataclasses.replace(report.tools, runs=runs, findings=findings), QualityResult(findings, 10_000)
    return dataclasses.replace(
        report.with_tiers(tools=tools, quality=quality, risk=risk),
        statements=statements_of(tools, quality, risk, blocking),
        title=words,
        reasons=(words,) * 500,
        blocking=blocking,
        not_checked=tuple(NotChecked(words, words) for _ in range(1_000)),
        hold=True,
    )


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("😀" * 300, id="emoji"),
        pytest.param("word " * 400, id="words", marks=pytest.mark.soak),
        pytest.param("`|\\" * 300, id="marks", marks=pytest.mark.soak),
        pytest.param("@octocat " * 200, id="names", marks=pytest.mark.soak),
    ],
)
def test_a_report_too_long_for_github_loses_whole_sections_and_says_which(words: str):
    text = markdown.render(huge(words))
    assert len(text.encode("utf-8")) <= markdown.MOST_BYTES
    page = shown_by_github(text)
    assert page.active() == []
    assert page.headings[2:] == ["Approval required", *HEADINGS[2:]]
    assert page.tags.count("details") == page.tags.count("summary")
    assert "Not checked (1000)" in "".join(page.texts)
    said = next(line for line in text.splitlines() if line.startswith("_Too long for one comment"))
    assert "left out here (fix prompt for the agent, blast radius, command output)" in said
    assert said.endswith("The JSON report has all of it._")


# ------------------------------------------------------------------ in two parts


def test_what_a_check_run_shows_first_is_one_screen_and_its_details_hold_the_rest():
    report = sample.sample()
    first, rest = markdown.summary(report), markdown.details(report)
    assert report.title not in first
    assert "`8fae482`" in first
    assert "## Fix these" in first
    assert "### Tier 1" not in first
    assert rest.startswith("<details>\n<summary>The whole report</summary>\n\n## Validation Report\n\n### Tier 1")
    assert rest.endswith("</details>\n")
    assert "## Fix these" not in rest
    assert "Not checked" in rest


@pytest.mark.parametrize("words", HOSTILE)
def test_both_parts_stay_within_limits_and_do_nothing(words: str):
    report = all_say(words)
    for text in (markdown.summary(report), markdown.details(report), markdown.details(report, 20_000)):
        assert shown_by_github(text).comments == []
    assert len(markdown.summary(report).encode()) <= markdown.MOST_BYTES // 2
    assert len(markdown.details(report, 20_000).encode()) <= 20_000 or "left out here" in markdown.details(
        report, 20_000
    )


def test_what_a_person_waived_is_shown_with_who_and_why():
    report = sample.sample()
    finding = next(one for one in report.findings if one.severity is Severity.warning)
    waiver = Waiver(finding.id, WaiverKind.accept, "olivia", "goes away with @octocat next week")
    text = markdown.render(dataclasses.replace(report, waivers=(waiver,)))
    assert "<summary>Waived (1)</summary>" in text
    assert "accepted by `olivia`: goes away with `@octocat` next week" in text
