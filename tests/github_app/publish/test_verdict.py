"""The conclusion table: what a Check Run says in either mode, and that nobody is told green who was not looked at."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from assay.github.authority import OTHERS
from assay.github.publish import RELEASE_HOLD, HoldFacts, RunFacts, with_hold
from assay.validators import Conclusion, ValidationReport
from tests.github_app.publish.reports import APP, RUN, failing, fine, held, said

BROKEN: dict[str, Any] = {"conclusion": Conclusion.action_required, "configuration_at_fault": True}
LOST: dict[str, Any] = {
    "conclusion": Conclusion.incomplete,
    "title": "Low risk · tests could not run · some checks could not run",
}
TABLE = [
    (fine(), "success", "success", ""),
    (failing(), "neutral", "failure", "Would fail: "),
    (held(), "neutral", "action_required", "Would be held: "),
    (fine(**BROKEN), "neutral", "action_required", "Would require a fix: "),
    (fine(**LOST), "failure", "failure", "Incomplete: Low risk · "),
    (fine(**LOST, quality=None, risk=None), "failure", "failure", "Assay could not run · incident inc-1 · "),
]


@pytest.mark.parametrize(("report", "advisory", "enforce", "prefix"), TABLE, ids=lambda value: str(value)[:20])
def test_the_table_of_conclusions(report: ValidationReport, advisory: str, enforce: str, prefix: str):
    run = dataclasses.replace(RUN, incident="inc-1")
    found = {mode: said(dataclasses.replace(report, mode=mode), run=run).check for mode in ("advisory", "enforce")}
    assert (found["advisory"].conclusion, found["enforce"].conclusion) == (advisory, enforce)
    assert found["advisory"].title.startswith(prefix)
    is_lost = report.conclusion is Conclusion.incomplete
    assert found["enforce"].title == (found["advisory"].title if is_lost else report.title)


@pytest.mark.parametrize("mode", ["advisory", "enforce", "a mode nobody knows"])
def test_what_was_not_looked_at_is_never_green_or_neutral(mode: str):
    run = RunFacts("assay:1", incident=None)
    assert said(fine(**LOST, mode=mode), run=run).check.conclusion == "failure"


@pytest.mark.parametrize("mode", ["advisory", "enforce"])
def test_a_configuration_nobody_could_read_has_not_asked_for_advice_alone(mode: str):
    unread = fine(**BROKEN, quality=None, risk=None, title="Not validated · configuration error")
    check = said(dataclasses.replace(unread, mode=mode)).check
    assert (check.conclusion, check.title) == ("action_required", "Not validated · configuration error")


@pytest.mark.parametrize("mode", ["advisory", "enforce"])
def test_where_nobody_can_let_go_a_hold_blocks_nothing_and_a_fault_does(mode: str):
    policy = dataclasses.replace(APP, can_hold=False)
    found = said(held(mode=mode), policy).check
    assert (found.conclusion, found.title.startswith("Would be held: ")) == ("neutral", True)
    if mode == "enforce":
        assert said(failing(mode=mode, hold=True), policy).check.conclusion == "failure"
        assert said(held(mode=mode, configuration_at_fault=True), policy).check.conclusion == "action_required"


def test_letting_go_makes_a_held_change_pass_and_says_who():
    released = HoldFacts("critical", released_by="olivia", release_reason="the migration was rehearsed")
    report = with_hold(held(), released)
    assert (report.conclusion, report.hold, report.reasons) == (Conclusion.success, False, ())
    assert report.title == "Critical risk · tests pass · 1 to review · released by olivia"


def test_letting_go_does_not_mend_what_fails():
    report = failing(hold=True, reasons=("pytest failed", "critical risk: approval required"))
    found = with_hold(report, HoldFacts("critical", released_by="olivia"))
    assert (found.conclusion, found.hold, found.reasons) == (Conclusion.failure, False, ("pytest failed",))


def test_letting_go_does_not_mend_the_configuration():
    report = held(configuration_at_fault=True)
    assert with_hold(report, HoldFacts("critical", released_by="olivia")).conclusion is Conclusion.action_required


def test_a_person_can_hold_what_would_pass():
    hold = HoldFacts("low", ("wait for the release",), placed_by="olivia")
    report = with_hold(fine(mode="enforce"), hold)
    assert (report.conclusion, report.hold) == (Conclusion.action_required, True)
    found = said(fine(mode="enforce"), hold=hold)
    assert found.check.conclusion == "action_required"
    assert found.check.title.endswith("approval required")
    assert "`olivia` holds this commit: wait for the release" in found.check.summary
    assert found.comment is not None


def test_a_hold_changes_nothing_twice():
    hold = HoldFacts("critical")
    assert with_hold(held(), hold) == held()
    assert with_hold(fine(), None) == fine()


@pytest.mark.parametrize(("level", "by_button"), [("critical", False), ("high", True)])
def test_only_what_needs_no_words_is_released_by_a_button(level: str, by_button: bool):
    check = said(held(), hold=HoldFacts(level)).check
    assert (RELEASE_HOLD in check.buttons) is by_button
    assert ("**Release hold**" in check.summary) is by_button
    assert OTHERS.capitalize() in check.summary


def test_the_check_and_the_comment_show_the_ids_that_waivers_ask_for():
    report = failing()
    (finding,) = [one for one in report.findings if one.id in report.blocking]
    publication = said(report)
    for text in (publication.check.summary, publication.comment or ""):
        assert f"- `{finding.id}` " in text
        assert OTHERS in text
    without = said(report, dataclasses.replace(APP, is_app=False))
    assert finding.id not in without.check.summary
    assert "To waive" not in said(held()).check.summary


def test_without_the_app_nothing_is_promised_about_holds():
    policy = dataclasses.replace(APP, is_app=False)
    publication = said(held(), policy)
    assert "Assay's GitHub App" in publication.check.summary
    assert "/assay" not in publication.check.summary + (publication.comment or "")
    assert publication.check.buttons == ()
