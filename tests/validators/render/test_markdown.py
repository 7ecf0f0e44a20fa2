"""The Markdown report: one screen, the lines as specified, nothing active, within what GitHub takes."""

from __future__ import annotations

import dataclasses
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validators.render import markdown, sarif, terminal
from assay.validators.render.markdown_parts.tiers import _api, _dependencies
from assay.validators.render.phrases import moved_in_words
from assay.validators.report.dependent import Dependent
from assay.validators.report.identity import identified
from assay.validators.report.likelihood import ObservedRate
from assay.validators.report.model import (
    Conclusion,
    Coverage,
    Evidence,
    Finding,
    Gate,
    Likelihood,
    NotChecked,
    QualityResult,
    RiskAssessment,
    RiskFactor,
    RiskLevel,
    Severity,
    Tier,
    ValidationReport,
)
from assay.validators.report.risk_facts import ApiChange, ApiChangeKind, NewDependency
from assay.validators.report.waiver import Waiver, WaiverKind
from assay.validators.risk.level import levelled
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
    "❌ Medium risk · tests fail · 2 blocking, 3 advisory",
    "Fix these",
    "Validation Report",
    "Tier 1 — Tool Validation",
    "Tier 2 — Code Quality",
    "Tier 3 — Risk Assessment",
]


def test_the_report_has_the_specified_headings_and_lines():
    lines = markdown.render(sample.clean()).splitlines()
    for specified in SPECIFIED.splitlines():
        # After a finding's place Assay names its rule.
        line = next(one for one in lines if one.startswith(specified))
        assert line == specified or line.startswith(f"{specified} (`")
        lines = lines[lines.index(line) + 1 :]


def test_the_first_screen_says_the_verdict_each_tier_and_what_to_fix():
    text = markdown.render(sample.sample())
    first = text.split("## Validation Report")[0]
    assert first.startswith("# ❌ Medium risk · tests fail · 2 blocking, 3 advisory\n")
    assert (
        "`8fae482` (`retry-uploads`) against `2f4a9c1` (`main`) · by `claude-code` (98% sure) · advisory mode" in first
    )
    assert "| ❌ | **Tools** | 5 commands: 1 fails, 1 unavailable, 3 pass | new failures block |" in first
    assert "| ❌ | **Quality** | 1 error, 2 warnings, 1 info | errors block |" in first
    assert "| 🟡 | **Risk** | **medium** (set by likelihood and policy): 82 source lines are added |" in first
    assert "1. **Tests: FAIL** — `uv run pytest -q`: 1 of 43 tests fails; it passed on the base" in first
    assert "2. `test_integrity` in `tests/test_client.py:12`" in first
    assert len(first.splitlines()) < 25


def test_the_page_is_made_of_the_headings_it_should_have():
    page = shown_by_github(markdown.render(sample.sample()))
    assert page.headings == HEADINGS
    assert page.tags.count("details") == 10
    assert page.active() == []


def test_why_this_level_gives_value_threshold_evidence_and_what_would_lower_it():
    text = markdown.render(sample.sample())
    assert "| 🟡 | surface | 82 | 50 | send the retry helper by itself first |" in text
    assert "- **surface**: 82 source lines are added\n  - `src/uploads/client.py` 52 lines" in text
    assert text.count("its score is above that of 71 % of the last 500 source changes") == 1
    assert "- higher because it adds 82 lines of code\n- lower because it is no fix by its message\n" in text
    assert "<summary>Impact (1 fact)</summary>\n\n- **shared\\_infrastructure**: changes the build" in text
    assert "  - `package.json:14` the build configuration (scripts)\n\n</details>" in text


def test_places_of_a_fact_that_the_blast_radius_lists_are_not_repeated():
    fact = RiskFactor("dependents", None, "5 files use the changed code", evidence=(Evidence("uses send", "a.py"),))
    report = dataclasses.replace(sample.sample(), risk=RiskAssessment(factors=(fact,)))
    assert "5 files use the changed code\n\n</details>" in markdown.render(report)
    assert "uses send" not in terminal.render(report)


def test_the_risk_section_begins_with_the_observed_rate_of_enough_changes():
    times = "3.1 times as often as average "
    reason = f"### Tier 3 — Risk Assessment\n\nChanges like this one needed a fix within a year {times}"
    report = sample.sample()
    assert report.risk is not None
    assert report.risk.likelihood is not None
    assert f"{reason}here (n = 214).\n" in markdown.render(report)
    elsewhere = dataclasses.replace(report.risk.likelihood, rate=ObservedRate(0.2, 50, 3.1, "8 public repositories"))
    risk = dataclasses.replace(report.risk, likelihood=elsewhere)
    assert f"{reason}in 8 public repositories (n = 50).\n" in markdown.render(dataclasses.replace(report, risk=risk))
    low = dataclasses.replace(risk, likelihood=dataclasses.replace(elsewhere, level=RiskLevel.low))
    assert reason not in markdown.render(dataclasses.replace(report, risk=low))


@pytest.mark.parametrize(
    ("likely", "floor", "by", "lowered", "is_reviewed"),
    [
        ("high", None, "likelihood", ["smaller changes"], True),
        ("low", "critical", "policy", ["keep the check"], False),
        ("high", "high", "likelihood and policy", ["keep the check", "smaller changes"], True),
        ("low", None, "neither likelihood nor policy", [], False),
    ],
)
def test_the_report_states_what_set_the_level_and_what_would_lower_it(likely, floor, by, lowered, is_reviewed):
    removed = RiskFactor("guards", RiskLevel(floor or "low"), f"{floor} because x", would_lower="keep the check")
    likelihood = Likelihood(RiskLevel(likely), 90.0, "size", 0)
    risk = levelled(RiskAssessment(factors=(removed,) if floor else (), likelihood=likelihood))
    report = dataclasses.replace(sample.sample(), risk=risk)
    for text in (terminal.render, sarif.render, markdown.render):
        written = " ".join(text(report).split())
        assert by in written
        assert [words for words in ("keep the check", "smaller changes") if words in written] == lowered
    assert ("A thorough review is recommended" in written) is is_reviewed


def test_the_blast_radius_gives_distance_symbols_owners_and_tests_apart():
    text = markdown.render(sample.sample())
    uses, may_be = text.split("**Uses the change**")[1].split("**May be affected**")
    assert "| `src/app/main.py` | 1 | `send` |  | `@acme/app` | `command serve` |" in uses
    assert "| `src/app/jobs.py` | 1 | `send`, `Client` (uncertain) |  |  |  |" in uses
    assert "| `src/cli/main.py` | 2 |  | `src/cli/upload.py` |  |  |" in may_be
    assert "Tests to run first: `tests/test_client.py`" in text
    assert "3 modules import from changed files (1 indirect, 1 test file); 1 test file to run first" in text


def test_what_was_not_checked_is_always_said():
    assert "<summary>Not checked (3)</summary>" in markdown.render(sample.sample())
    nothing = markdown.render(sample.clean())
    assert "<summary>Not checked (0)</summary>\n\nAll requested checks ran." in nothing


def test_a_tier_that_was_not_run_says_so_and_is_never_good():
    text = markdown.render(sample.nothing_ran())
    assert text.count("- Not run; see “Not checked”") == 3
    assert "| ▫️ | **Tools** | not run |" in text
    assert "Tier 1 \\(" not in text
    assert "not requested (--tiers)" in text


def test_unknown_coverage_is_unknown_with_its_reason():
    report = sample.clean()
    assert report.risk is not None
    unknown = dataclasses.replace(report.risk, coverage=Coverage(None, why_unknown="no coverage data was given"))
    text = markdown.render(dataclasses.replace(report, risk=unknown))
    assert "- Test coverage of affected area: unknown (no coverage data was given)" in text


@pytest.mark.parametrize(
    ("percent", "shown"), [(100.0, "100%"), (99.96, "99.9%"), (0.0, "0%"), (77.55, "77.5%"), (78.0, "78%")]
)
def test_coverage_is_never_rounded_up(percent: float, shown: str):
    report = sample.clean()
    assert report.risk is not None
    risk = dataclasses.replace(report.risk, coverage=Coverage(percent, 100, 50))
    assert f"affected area: {shown}\n" in markdown.render(dataclasses.replace(report, risk=risk))


def test_a_held_change_and_a_configuration_at_fault_say_who_is_asked():
    held = dataclasses.replace(
        sample.clean(), conclusion=Conclusion.action_required, hold=True, reasons=("critical risk: approval required",)
    )
    assert "## Approval required\n\n- critical risk: approval required" in markdown.render(held)
    at_fault = dataclasses.replace(held, hold=False, configuration_at_fault=True, reasons=("npm test is unavailable",))
    assert "## Fix the configuration\n\n- npm test is unavailable" in markdown.render(at_fault)
    lost = dataclasses.replace(held, hold=False, conclusion=Conclusion.incomplete, reasons=("pytest could not run",))
    assert "# ❔" in markdown.render(lost)
    assert "## Some checks could not run\n\n- pytest could not run" in markdown.render(lost)


def test_a_failure_that_does_not_count_says_why():
    report = sample.sample()
    assert report.tools is not None
    failed = dataclasses.replace(report.tools.runs[0], gating=False, reason="it fails on the base too")
    informs = dataclasses.replace(failed, gate=Gate.informational, reason=None, name="other")
    tools = dataclasses.replace(report.tools, runs=(failed, informs))
    text = markdown.render(dataclasses.replace(report, tools=tools, blocking=()))
    assert "- `pytest`: FAIL (42 passed, 1 failed, 2 skipped) — it fails on the base too _(does not block)_" in text
    assert "- `other`: FAIL (42 passed, 1 failed, 2 skipped) _(advisory)_" in text
    assert "Fix these" not in text
    assert "| ⚠️ | **Tools** |" in text


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
    factors = tuple(
        RiskFactor(words, RiskLevel.high, words, words, words, (Evidence(words, words, 1),) * 50, words)
        for _ in range(100)
    )
    risk = dataclasses.replace(
        report.risk,
        factors=factors,
        dependents=tuple(Dependent(f"{words}{i}", 1, (words,) * 50, words, False, (words,) * 50) for i in range(500)),
        num_dependents_total=90_000,
        api_changes=report.risk.api_changes * 500,
        new_dependencies=report.risk.new_dependencies * 500,
    )
    return dataclasses.replace(
        report,
        tools=dataclasses.replace(report.tools, runs=runs, findings=findings),
        quality=QualityResult(findings, 10_000),
        risk=risk,
        title=words,
        reasons=(words,) * 500,
        blocking=tuple(f"run{i}" for i in range(40)) + tuple(finding.id for finding in findings),
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
    assert "left out here (command output" in said
    assert said.endswith("The JSON report has all of it._")


def test_a_list_that_was_cut_says_how_much_is_missing():
    text = markdown.render(huge("word"))
    assert "and 2437 more, in the whole report." in text
    assert "<summary>Not checked (1000)</summary>" in markdown.details(huge("word"), 1), "never left out"
    assert "- and 1188 more, listed further down" in text
    assert "- and 940 more" in text


def test_what_is_said_of_many_places_is_said_once():
    findings = identified(
        Finding(Tier.quality, Severity.info, "suppressions.noqa", f"src/a{i}.py", "the linter looks away", i + 1)
        for i in range(6)
    )
    text = markdown.render(dataclasses.replace(sample.sample(), quality=QualityResult(findings)))
    (line,) = [line for line in text.splitlines() if "2 more`" in line]
    assert "`src/a0.py:1, src/a1.py:2, src/a2.py:3, src/a3.py:4 and 2 more` (`suppressions.noqa`)" in line
    more = text.split("<summary>More findings (2)</summary>")[1].split("</details>")[0]
    assert re.findall(r"src/a\d\.py:\d", more) == ["src/a4.py:5", "src/a5.py:6"]


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


def test_runs_that_assay_did_not_make_are_said_to_be_somebody_elses_word():
    report = sample.sample()
    assert report.tools is not None
    first, *others = report.tools.runs
    theirs = dataclasses.replace(first, found_in=f"reported: {first.found_in}")
    tools = dataclasses.replace(report.tools, runs=(theirs, *others), reported_by="the change's own run")
    text = markdown.render(dataclasses.replace(report, tools=tools))
    assert "(1 of them by the change's own run)" in text.partition("<details>")[0]
    assert "reported: " not in text


def test_changes_of_the_interface_and_dependencies_are_counted_by_kind():
    broken, kept, unknown = (ApiChange(kind, "shop.price", "changed", "shop.py") for kind in ApiChangeKind)
    assert _api([broken, kept, kept, broken, kept, unknown]) == "**2 breaking**, 3 non-breaking"
    assert _api([broken]) == "**1 breaking**"
    assert _api([unknown]) == ""  # named among the unknown
    new = NewDependency("rich", "pypi", "pyproject.toml", "14", None)
    moved = dataclasses.replace(new, name="click", before="8.1")
    assert _dependencies([new, moved, moved]).endswith(", " + moved_in_words(2, 1))
    assert _dependencies([new, moved, moved, moved]).endswith(", " + moved_in_words(3, 1))
    assert _dependencies([new]).count(",") == 0
