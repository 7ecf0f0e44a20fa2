"""What is said: inside every limit, whatever strangers wrote, and nothing of it acts."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.github.client import RISK_LABELS, CheckConclusion, CheckOutput, CheckStatus
from assay.github.client import limits as github_limits
from assay.github.publish import (
    HAND_TO_AGENT,
    RELEASE_HOLD,
    RERUN,
    HoldFacts,
    Publication,
    RunFacts,
    State,
    marker,
    read_marker,
)
from assay.github.publish.lines import MOST_ANNOTATIONS, MOST_NOTES
from assay.validators import Comments, Conclusion, Finding, Gravity, RiskLevel, Severity, Tier
from assay.validators.report.model import Likelihood
from assay.validators.report.waiver import Waiver, WaiverKind
from assay.validators.risk.level import levelled
from tests.examples import num_examples
from tests.github_app.publish.reports import APP, failing, finding, fine, held, said, statement, with_findings
from tests.test_escape import HOSTILE_TEXT
from tests.validators.render.github import shown_by_github
from tests.validators.render.hostile import HOSTILE, all_say

ALL = dataclasses.replace(APP, comments=Comments.all)
FIRST_LINE = re.compile(r"\A<!-- assay:[a-z]+[^\n]*-->\n")


def texts(publication: Publication) -> list[str]:
    """Every Markdown text of it; the marker of ours, which must be the first line, is taken off."""
    marked = [publication.comment, publication.comment_if_there]
    marked += [note.body for note in publication.review.notes] if publication.review else []
    marked += [publication.review.body(1)] if publication.review else []
    for text in filter(None, marked):
        assert read_marker(text) is not None
        assert FIRST_LINE.match(text)
    return [publication.check.summary, publication.check.text, *(FIRST_LINE.sub("", one) for one in marked if one)]


def assert_harmless(publication: Publication) -> None:
    for text in texts(publication):
        own_link = text.replace(f"[Checks]({APP.web_url}/pull/7/checks)", "Checks")
        page = shown_by_github(own_link)
        assert page.active() == []


def assert_inside_limits(publication: Publication) -> None:
    check = publication.check
    assert len(check.content()["title"].encode()) <= github_limits.MOST_TITLE
    assert len(check.summary.encode()) <= github_limits.MOST_OUTPUT_BYTES
    assert len(check.text.encode()) <= github_limits.MOST_OUTPUT_BYTES
    assert len((publication.comment or "").encode()) <= github_limits.MOST_COMMENT_BYTES
    assert len(check.annotations) <= MOST_ANNOTATIONS
    for one in check.annotations:
        body = one.body()
        assert len(body["title"]) <= github_limits.MOST_TITLE
        assert len(body["message"].encode()) <= github_limits.MOST_ANNOTATION_BYTES
        assert 1 <= body["start_line"] <= body["end_line"]
        assert body["path"].isprintable()
    assert len(check.buttons) <= github_limits.MOST_ACTIONS


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("state", [State.final, State.progress])
def test_hostile_words_in_every_place_do_nothing(words: str, state: State):
    hold = HoldFacts("critical", (words,), placed_by=words or "x")
    run = RunFacts("assay:1", waiting_for=(words,), incident=words, why=words, repeats=(words,))
    for report in (all_say(words), dataclasses.replace(all_say(words), hold=True)):
        publication = said(report, ALL, state, hold=hold, run=run)
        assert_harmless(publication)
        assert_inside_limits(publication)
        assert publication.check.title.isprintable()


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_in_every_other_state_do_nothing(words: str):
    run = RunFacts("assay:1", superseded_by=words, incident=words, why=words)
    for state in (State.cancelled, State.could_not_run, State.progress):
        assert_harmless(said(None, ALL, state, run=run))


@settings(max_examples=num_examples(60))
@given(HOSTILE_TEXT)
def test_no_words_in_a_finding_act(words: str):
    report = with_findings([finding(1, Severity.error, message=words, rule=words, suggestion=words, tool=words)])
    assert_harmless(said(report, ALL))
    assert_inside_limits(said(report, ALL))


@given(st.text(max_size=200), st.integers(-5, 10**12), st.integers(-5, 10**12))
def test_no_place_a_finding_claims_breaks_an_annotation(path: str, line: int, end: int):
    report = with_findings([finding(1, Severity.error, file=path, line=line, end_line=end)])
    assert_inside_limits(said(report, ALL))


@pytest.mark.soak
def test_a_report_of_any_size_fits():
    findings = [
        finding(number, Severity.error, message="ü" * 3_000, suggestion="@x " * 900, rule="r" * 300)
        for number in range(1, 800)
    ]
    publication = said(with_findings(findings), ALL)
    assert_inside_limits(publication)
    assert "left out here" in publication.check.text
    assert publication.review is not None
    assert len(publication.review.narrowed({"src/uploads/client.py": range(1, 800)}, ())) == MOST_NOTES
    assert f"{799 - MOST_NOTES} more" in publication.review.body(MOST_NOTES)


def test_the_longest_title_is_cut_by_bytes():
    output = CheckOutput(CheckStatus.completed, "ü" * 400, "s", conclusion=CheckConclusion.success)
    body = output.content()
    assert len(body["title"].encode()) <= 255
    assert body["title"].endswith("…")


def test_an_annotation_says_where_what_and_what_to_do():
    report = with_findings([finding(4, Severity.error, end_line=6, suggestion="split it", tool="ruff")])
    (one,) = said(report).check.annotations
    assert one.body() == {
        "path": "src/uploads/client.py",
        "start_line": 4,
        "end_line": 6,
        "annotation_level": "failure",
        "title": "complexity (ruff)",
        "message": "Function number 4 is complex\n\nWhat to do: split it",
    }


def test_what_blocks_comes_first_and_levels_follow_severities():
    findings = [finding(1, Severity.info), finding(2), finding(3, Severity.error), finding(4, introduced=False)]
    check = said(with_findings(findings)).check
    assert [(one.start_line, one.level) for one in check.annotations] == [(3, "failure"), (2, "warning"), (1, "notice")]


def test_grave_statements_stand_at_their_lines_unless_a_finding_does():
    grave = statement("security_sensitive", "danger", "runs text as code", file="a.py", line=2, advice="avoid it")
    others = [
        dataclasses.replace(grave, line=1),
        dataclasses.replace(grave, line=None),
        dataclasses.replace(grave, line=3, gravity=Gravity.medium),
        dataclasses.replace(grave, line=4, finding="0123456789ab"),
        dataclasses.replace(grave, line=5, file="a\nb.py"),
    ]
    report = dataclasses.replace(with_findings([finding(1, file="a.py")]), statements=(grave, *others))
    found, stated = said(report).check.annotations
    assert (found.start_line, found.title) == (1, "complexity")
    assert stated.body() == {
        "path": "a.py",
        "start_line": 2,
        "end_line": 2,
        "annotation_level": "warning",
        "title": "Dangerous code",
        "message": "runs text as code\n\nWhat to do: avoid it",
    }


def test_a_name_that_cannot_be_shown_gets_no_note_and_is_counted():
    findings = [finding(1, file="a\nb.py"), finding(2, file="caf\udce9.py"), finding(3, file=""), finding(4, line=None)]
    check = said(with_findings(findings)).check
    assert check.annotations == ()
    assert "4 more findings without an annotation" in check.summary


def test_a_waived_finding_is_no_longer_said_beside_the_code_but_its_waiver_is():
    report = with_findings([finding(1), finding(2)])
    waived = report.findings[0]
    assert [one.level for one in said(report).check.annotations] == ["warning", "warning"]
    waiver = Waiver(waived.id, WaiverKind.fp, "olivia", "generated code")
    publication = said(dataclasses.replace(report, waivers=(waiver,)), ALL)
    assert [one.level for one in publication.check.annotations] == ["notice", "warning"]
    assert publication.review is not None
    assert [note.finding_id for note in publication.review.notes] == [report.findings[1].id]
    assert "1 finding waived" in publication.check.summary
    assert "marked false positive by `olivia`: generated code" in publication.check.text


def test_results_of_the_changes_own_run_are_called_that_on_the_first_screen():
    report = failing()
    assert report.tools is not None
    tools = dataclasses.replace(report.tools, reported_by="the change's own run (ci.yml)")
    publication = said(report.with_tiers(tools=tools))
    assert "the change's own run (ci.yml)" in publication.check.summary
    assert "the change's own run (ci.yml)" in (publication.comment or "")


@pytest.mark.parametrize(
    ("report", "repeats", "is_earned"),
    [
        (fine(), (), False),
        (fine(level=RiskLevel.medium), (), False),
        (fine(level=RiskLevel.high), (), True),
        (held(), (), True),
        (failing(), (), True),
        (fine(), ("use explicit types, not `any`",), True),
        (with_findings([finding(1)]), (), False),
    ],
    ids=["fine", "medium", "high", "held", "failing", "repeat", "advice"],
)
def test_a_comment_has_to_earn_its_place(report, repeats, is_earned: bool):
    publication = said(report, run=RunFacts("assay:1", repeats=repeats))
    assert (publication.comment is not None) is is_earned
    assert (publication.comment_if_there is None) is is_earned


@pytest.mark.parametrize(
    ("changes", "is_resolved"),
    [
        ({}, True),
        ({"conclusion": Conclusion.incomplete, "reasons": ("`mypy` could not run",)}, False),
        (
            {"conclusion": Conclusion.action_required, "configuration_at_fault": True, "reasons": ("no such key",)},
            False,
        ),
    ],
)
def test_a_comment_is_resolved_by_success_alone(changes: dict[str, Any], is_resolved: bool):
    publication = said(fine(**changes))
    assert publication.comment is None
    assert ("Resolved" in str(publication.comment_if_there)) is is_resolved


@pytest.mark.parametrize(
    ("level", "is_advised"), [("low", False), ("medium", False), ("high", True), ("critical", True)]
)
def test_from_high_risk_on_a_thorough_review_is_recommended(level: str, is_advised: bool):
    publication = said(fine(level=RiskLevel(level)))
    words = f"**{level.capitalize()} risk, set by impact (Destructive migration): a thorough review is recommended**"
    assert (words in publication.check.summary) is is_advised
    assert (words in (publication.comment or "")) is is_advised
    if is_advised:
        assert "starting with “Tier 3” and “Blast radius”" in publication.check.summary
        assert publication.check.summary.count("keep the column") == 1
        assert "What would lower it" not in publication.check.summary
        assert "### Tier 3 — Risk Assessment" in publication.check.text
        assert "<summary>Blast radius</summary>" in publication.check.text


def test_a_high_likelihood_is_lowered_by_smaller_changes():
    report = fine()
    assert report.risk is not None
    risk = levelled(dataclasses.replace(report.risk, likelihood=Likelihood(RiskLevel.high, 93.0, "size", 500)))
    publication = said(report.with_tiers(risk=risk))
    assert "What would lower it: smaller changes" in publication.check.summary


def test_the_comment_fits_on_a_screen_and_leads_to_the_rest():
    body = said(failing()).comment or ""
    assert len(body.splitlines()) < 30
    assert "[Checks](https://github.com/acme/shop/pull/7/checks)" in body
    assert "### Tier 1" not in body


def test_the_buttons_are_those_that_have_something_to_do():
    assert said(fine()).check.buttons == (RERUN,)
    assert said(failing()).check.buttons == (RERUN, HAND_TO_AGENT)
    assert said(failing(hold=True)).check.buttons == (RERUN, HAND_TO_AGENT, RELEASE_HOLD)
    off = replace(failing(), settings={"configuration": {"handBack": "off"}})
    assert said(off).check.buttons == (RERUN,), "where nothing is handed over there is no button for it"
    assert said(None, state=State.progress).check.buttons == ()
    assert said(None, state=State.could_not_run).check.buttons == (RERUN,)
    assert said(None, state=State.cancelled).check.buttons == ()


def test_progress_says_what_is_waited_for_and_until_when():
    until = datetime(2026, 11, 22, 3, 30, tzinfo=UTC)
    run = RunFacts("assay:1", waiting_for=tuple(f"ci {number}" for number in range(14)), wait_until=until)
    check = said(fine(), state=State.progress, run=run).check
    assert "until 03:30 UTC at most" in check.summary
    assert "`ci 9` and 4 more." in check.summary
    assert (check.status, check.conclusion) == ("in_progress", None)


def test_a_final_word_takes_a_report():
    with pytest.raises(ValueError, match="needs a report"):
        said(None, state=State.final)


def test_the_same_is_said_of_the_same():
    assert said(failing()) == said(failing())


def test_the_risk_of_every_level_has_its_label():
    for level in RiskLevel:
        publication = said(fine(level=level))
        assert publication.label == level
        label = RISK_LABELS[level]
        assert label.name == f"risk:{level}"
        assert re.fullmatch(r"[0-9a-f]{6}", label.color)
        assert len(label.description) <= 100
        assert len(label.name) <= 50
    assert said(fine(risk=None)).label is None


def test_a_marker_is_read_only_where_a_body_begins():
    assert read_marker(f"{marker('finding', 'abc123')}\nwords") == ("finding", "abc123")
    assert read_marker(f"words\n{marker('comment')}") is None
    assert read_marker(f"\r\n {marker('comment')}\r\nwords") == ("comment", "")
    with pytest.raises(ValueError, match="invalid marker"):
        marker("finding", "--> <script>")


def test_a_finding_of_tier_1_stands_beside_its_line_too():
    report = with_findings([Finding(Tier.tools, Severity.warning, "B007", "a.py", "Unused", 3, tool="ruff")])
    assert said(report).check.annotations[0].title == "B007 (ruff)"


# ------------------------------------------------------------------ suggestions


def note_of(**changes: Any):
    """The note of one finding with these fields."""
    review = said(with_findings([finding(3, Severity.error, **changes)]), ALL).review
    assert review is not None
    return review, review.notes[0]


def test_a_certain_fix_can_be_committed_from_the_note():
    _, note = note_of(replacement="\tit('adds', () => {")
    assert "\n```suggestion\n\tit('adds', () => {\n```\n" in note.body
    assert "suggestion\n" not in note_of(suggestion="split it")[1].body, "an advice is no fix"


@given(st.text(alphabet=st.sampled_from("`~\n suggestionx<!->"), max_size=200))
def test_no_line_of_code_can_leave_the_block_of_a_suggestion(code: str):
    _, note = note_of(replacement=code)
    page = shown_by_github(FIRST_LINE.sub("", note.body))
    assert page.active() == ["lang=suggestion"]
    block = "".join(page.codes)
    assert code.strip("\n") in block or not code.strip()


@pytest.mark.parametrize("code", ["x = '\u202e'", "x\0y", "caf\udce9", "x\r", "a\u200bb", "x" * 5_000])
def test_code_that_does_not_look_like_what_it_is_is_never_suggested(code: str):
    assert "suggestion\n" not in note_of(replacement=code)[1].body


def test_a_suggestion_for_several_lines_is_not_made_at_one_of_them():
    review, note = note_of(replacement="one\ntwo", end_line=5)
    assert "```suggestion" in note.body
    (whole,) = review.narrowed({note.path: {3, 4, 5}}, ())
    assert "```suggestion" in whole.body
    (last,) = review.narrowed({note.path: {5}}, ())
    assert (last.start_line, last.line) == (None, 5)
    assert "```suggestion" not in last.body
