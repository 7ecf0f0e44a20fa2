"""Saying it on GitHub: what stands there afterwards, and what was asked for it."""

from __future__ import annotations

import dataclasses

import pytest

from assay.github.client import Github, LineNote, Repo, Us
from assay.github.errors import GithubUnavailable, PermissionMissing, RateLimited
from assay.github.publish import HoldFacts, Published, PublishPolicy, RunFacts, State, publish
from assay.github.publish.review import ReviewDraft
from assay.github_app.ops.permissions import FOR_PUBLISHING, FOR_READING
from assay.validators import Comments, RiskLevel, Severity, ValidationReport
from tests.github_app.open_pull import OpenPull
from tests.github_app.publish.reports import APP, failing, finding, fine, held, pull, said, with_findings


def tell(opened: OpenPull, report: ValidationReport | None, state: State = State.final, **more) -> Published:
    """Publish it about the head as it is."""
    known = more.pop("known", None)
    publication = said(report, state=state, pull=pull(opened.number, opened.head), **more)
    return publish(publication, opened.repo, known)


def writes(opened: OpenPull, since: int = 0) -> list[str]:
    """What was written, in order."""
    return [str(one) for one in opened.github.requests[since:] if one.method != "GET"]


def test_a_failing_change_gets_one_check_one_label_one_comment_and_one_review(opened: OpenPull):
    done = tell(opened, failing(opened.head))
    (check,) = opened.github.check_runs(opened.head)
    assert (check["name"], check["status"], check["conclusion"]) == ("Assay", "completed", "neutral")
    assert check["output"]["title"] == f"Would fail: {failing().title}"
    assert check["external_id"] == "assay:1:7:1"
    assert [one["identifier"] for one in check["actions"]] == ["rerun", "hand_to_agent"]
    assert len(check["annotations"]) == 6
    assert opened.github.labels(opened.number) == ["risk:medium"]
    (comment,) = opened.github.comments(opened.number)
    assert comment["body"].startswith("<!-- assay:comment -->")
    (review,) = opened.github.reviews(opened.number)
    assert [(one["path"], one["line"]) for one in review["comments"]] == [("tests/test_client.py", 12)]
    assert done == Published(opened.head, check["id"], comment["id"], (review["id"],), "medium", ())


def test_a_note_on_lines_the_diff_shows_in_part_goes_on_the_last_one():
    notes = [
        LineNote("a.py", 9, "on all", "whole", 7, "on the last"),
        LineNote("b.py", 9, "on all", "part", 7, "on the last"),
        LineNote("b.py", 9, "on all", "part without other words", 7),
        LineNote("b.py", 8, "on all", "hidden"),
        LineNote("a.py", 9, "on all", "said"),
    ]
    draft = ReviewDraft("0" * 40, tuple(notes), len(notes))
    assert draft.narrowed({"a.py": [7, 8, 9], "b.py": [7, 9]}, {"said"}) == (
        notes[0],
        LineNote("b.py", 9, "on the last", "part"),
        LineNote("b.py", 9, "on all", "part without other words"),
    )


@pytest.mark.soak
def test_saying_the_same_again_changes_nothing_but_the_check_itself(opened: OpenPull):
    done = tell(opened, failing(opened.head))
    before = len(opened.github.requests)
    assert tell(opened, failing(opened.head), known=done) == done
    assert writes(opened, before) == [f"PATCH /repos/acme/shop/check-runs/{done.check_run_id} -> 200"]
    assert tell(opened, failing(opened.head), known=None) == done, "and nothing has to be remembered for that"
    assert len(opened.github.check_runs(opened.head)[0]["annotations"]) == 6


@pytest.mark.soak
def test_a_fine_change_gets_no_comment_and_no_review(opened: OpenPull):
    done = tell(opened, fine(opened.head))
    assert opened.github.check_runs(opened.head)[0]["conclusion"] == "success"
    assert opened.github.labels(opened.number) == ["risk:low"]
    assert (opened.github.comments(opened.number), opened.github.reviews(opened.number)) == ([], [])
    assert (done.comment_id, done.review_ids) == (None, ())


@pytest.mark.soak
def test_a_comment_that_is_no_longer_earned_is_resolved_in_place_and_comes_back(opened: OpenPull):
    tell(opened, failing(opened.head))
    opened.push({"src/uploads/client.py": "mended = True\n"})
    tell(opened, fine(opened.head))
    (comment,) = opened.github.comments(opened.number)
    assert "✅ Resolved" in comment["body"]
    opened.push({"src/uploads/client.py": "broken = True\n"})
    tell(opened, failing(opened.head))
    (again,) = opened.github.comments(opened.number)
    assert again["id"] == comment["id"]
    assert "Fix these" in again["body"]


def test_a_strangers_marker_is_not_taken_for_ours(opened: OpenPull):
    forged = "<!-- assay:comment -->\n### All is well"
    opened.github.comment(opened.number, forged, by="eve")
    note = {"path": "src/uploads/client.py", "line": 3, "side": "RIGHT", "body": f"<!-- assay:finding {'0' * 12} -->"}
    body = f"<!-- assay:review {opened.head} -->\nNothing found"
    opened.github.review(opened.number, body=body, by="eve", notes=[note])
    tell(opened, failing(opened.head))
    bodies = [one["body"] for one in opened.github.comments(opened.number)]
    assert bodies[0] == forged
    assert len(bodies) == 2
    assert [one["user"]["login"] for one in opened.github.reviews(opened.number)] == ["eve", "assay-test[bot]"]


def test_a_finding_is_never_said_twice_beside_the_code(opened: OpenPull):
    first, second = finding(3, Severity.error), finding(9, Severity.error)
    tell(opened, with_findings([first], opened.head))
    tell(opened, with_findings([first, second], opened.head))
    assert len(opened.github.reviews(opened.number)) == 1, "one review a head"
    opened.push({"docs/more.md": "more\n"})
    done = tell(opened, with_findings([first, second], opened.head))
    reviews = opened.github.reviews(opened.number)
    assert [[one["line"] for one in review["comments"]] for review in reviews] == [[3], [9]]
    assert "1 more in the report" in reviews[1]["body"]
    assert done.review_ids[-1] == reviews[1]["id"]


@pytest.mark.soak
def test_a_note_stays_true_over_pushes(opened: OpenPull):
    first, second = finding(3, Severity.error), finding(9, Severity.error)
    tell(opened, with_findings([first, second], opened.head))
    opened.push({"docs/more.md": "more\n"})
    louder = dataclasses.replace(first, message="Function number 3 is more complex")
    done = tell(opened, with_findings([louder], opened.head))

    def notes() -> list[str]:
        return [one["body"] for review in opened.github.reviews(opened.number) for one in review["comments"]]

    assert "is more complex" in notes()[0]
    assert notes()[1].endswith(f"✅ No longer found at `{opened.head[:7]}`.")
    before = len(opened.github.requests)
    assert tell(opened, with_findings([louder], opened.head), known=done) == done
    assert [one for one in writes(opened, before) if "comments" in one] == []
    tell(opened, with_findings([first, second], opened.head))
    assert "Function number 9 is complex" in notes()[1], "it came back, and so does the note"
    assert len(notes()) == 2


@pytest.mark.soak
def test_the_last_note_is_called_done_when_nothing_is_left(opened: OpenPull):
    done = tell(opened, with_findings([finding(3, Severity.error)], opened.head))
    tell(opened, fine(opened.head), known=done)
    (review,) = opened.github.reviews(opened.number)
    assert "No longer found" in review["comments"][0]["body"]


@pytest.mark.soak
def test_only_lines_the_diff_shows_get_a_note(opened: OpenPull):
    findings = [
        finding(2, Severity.error),
        finding(5_000, Severity.error),
        finding(4, Severity.error, file="elsewhere.py"),
        finding(298, Severity.error, end_line=310),
        finding(20, Severity.error, end_line=22),
    ]
    tell(opened, with_findings(findings, opened.head))
    (review,) = opened.github.reviews(opened.number)
    assert [(one.get("start_line"), one["line"]) for one in review["comments"]] == [(None, 2), (20, 22)]
    assert "3 more" in review["body"]


@pytest.mark.parametrize(("comments", "lines"), [(Comments.blocking, [3]), (Comments.all, [3, 9]), (Comments.none, [])])
def test_the_setting_comments_decides_what_is_said_beside_the_code(
    opened: OpenPull, comments: Comments, lines: list[int]
):
    report = with_findings([finding(3, Severity.error), finding(9, Severity.info)], opened.head)
    tell(opened, report, policy=dataclasses.replace(APP, comments=comments))
    found = [one["line"] for review in opened.github.reviews(opened.number) for one in review["comments"]]
    assert found == lines
    assert len(opened.github.comments(opened.number)) == 1


@pytest.mark.soak
def test_many_findings_come_in_batches_and_the_rest_is_counted(opened: OpenPull):
    findings = [finding(number) for number in range(1, 131)]
    tell(opened, with_findings(findings, opened.head))
    (check,) = opened.github.check_runs(opened.head)
    assert len(check["annotations"]) == 100
    sizes = [len(update["output"].get("annotations", [])) for update in check["updates"]]
    assert sizes == [50, 50]
    assert [update.get("conclusion") for update in check["updates"]] == [None, "success"], "concluded with the last"
    assert "30 more findings without an annotation" in check["output"]["summary"]


@pytest.mark.soak
def test_a_run_under_way_shows_what_it_has_and_then_ends(opened: OpenPull):
    tell(opened, None, State.progress)
    (check,) = opened.github.check_runs(opened.head)
    assert (check["status"], check["conclusion"], check["actions"]) == ("in_progress", None, [])
    run = RunFacts("assay:1:7:1", waiting_for=("ci @team", "lint"))
    tell(opened, failing(opened.head).with_tiers(tools=None), State.progress, run=run)
    (check,) = opened.github.check_runs(opened.head)
    assert check["output"]["title"] == "Medium risk so far · waiting for other checks"
    assert "for `ci @team`, `lint`" in check["output"]["summary"]
    assert opened.github.labels(opened.number) == ["risk:medium"]
    assert opened.github.comments(opened.number) == []
    tell(opened, failing(opened.head))
    (check,) = opened.github.check_runs(opened.head)
    assert check["status"] == "completed"
    keys = [(one["path"], one["start_line"], one["title"], one["message"]) for one in check["annotations"]]
    assert len(keys) == len(set(keys)) == 6


def test_a_run_that_was_overtaken_is_cancelled_if_it_had_begun(opened: OpenPull):
    tell(opened, None, State.progress)
    tell(opened, None, State.cancelled, run=RunFacts("assay:1:7:1", superseded_by="f" * 40))
    (check,) = opened.github.check_runs(opened.head)
    assert (check["conclusion"], check["output"]["title"]) == ("cancelled", "Superseded by ffffffffffff")


@pytest.mark.soak
def test_a_run_that_was_overtaken_before_it_began_gets_no_check(opened: OpenPull):
    assert tell(opened, None, State.cancelled).check_run_id is None
    assert opened.github.check_runs(opened.head) == []


@pytest.mark.soak
def test_what_could_not_run_is_a_failure_with_its_incident(opened: OpenPull):
    run = RunFacts("assay:1:7:1", incident="inc-42", why="the clone failed: @octocat https://evil.example")
    tell(opened, None, State.could_not_run, run=run)
    (check,) = opened.github.check_runs(opened.head)
    assert (check["conclusion"], check["output"]["title"]) == ("failure", "Assay could not run · incident inc-42")
    assert "`@octocat`" in check["output"]["summary"]


@pytest.mark.soak
def test_a_hold_stands_until_a_person_lets_it_go(opened: OpenPull):
    report = dataclasses.replace(held(opened.head), mode="enforce")
    tell(opened, report, hold=HoldFacts("critical", report.reasons))
    (check,) = opened.github.check_runs(opened.head)
    assert check["conclusion"] == "action_required"
    assert [one["identifier"] for one in check["actions"]] == ["rerun"], "a button gives no reason"
    assert "`/assay release schema: REASON`" in check["output"]["summary"]
    released = HoldFacts("critical", report.reasons, released_by="olivia", release_reason="I read it")
    tell(opened, report, hold=released)
    (check,) = opened.github.check_runs(opened.head)
    assert check["conclusion"] == "success"
    assert [one["identifier"] for one in check["actions"]] == ["rerun"]
    assert "`olivia` approved this commit (critical risk): I read it" in check["output"]["summary"]
    assert opened.github.labels(opened.number) == ["risk:critical"]


def test_sarif_is_uploaded_where_it_is_wanted(opened: OpenPull):
    tell(opened, failing(opened.head), policy=dataclasses.replace(APP, with_sarif=True))
    (upload,) = opened.github.sarifs
    assert upload["ref"] == f"refs/pull/{opened.number}/head"


@pytest.mark.soak
def test_without_the_right_to_write_checks_there_is_an_error(opened: OpenPull, app: Github):
    github = opened.github
    opened.repo = app.repository(
        github.installation_id, github.repository_id(), opened.full_name, permissions=FOR_READING
    )
    with pytest.raises(PermissionMissing, match="checks: write"):
        tell(opened, failing(opened.head))


@pytest.mark.soak
def test_without_the_right_to_comment_the_report_stands_all_the_same(opened: OpenPull, app: Github):
    github, permissions = opened.github, {**FOR_PUBLISHING, "pull_requests": "read"}
    opened.repo = app.repository(
        github.installation_id, github.repository_id(), opened.full_name, permissions=permissions
    )
    done = tell(opened, failing(opened.head))
    assert github.check_runs(opened.head)[0]["status"] == "completed"
    assert len(done.problems) == 3
    assert all("pull_requests: write" in one for one in done.problems)


@pytest.mark.soak
def test_a_head_that_moved_meanwhile_costs_the_review_alone(opened: OpenPull):
    opened.github.front.fault(r"POST .*/pulls/\d+/reviews", 422)
    done = tell(opened, failing(opened.head))
    assert len(done.problems) == 1
    assert "reviews (422)" in done.problems[0]
    assert len(opened.github.comments(opened.number)) == 1


def test_a_workflows_own_token_says_the_same(opened: OpenPull):
    policy = PublishPolicy(web_url=APP.web_url)
    tell(opened, failing(opened.head), policy=policy)
    token = opened.github.state.people["olivia"]["token"]
    opened.repo = Repo.from_token(token, opened.full_name, opened.github.url, us=Us("olivia"))
    tell(opened, failing(opened.head), policy=policy, run=RunFacts("assay:action:1"))
    by_app, by_action = opened.github.check_runs(opened.head)
    for same in ("title", "summary", "text"):
        assert by_app["output"][same] == by_action["output"][same]
    for same in ("annotations", "conclusion"):
        assert by_app[same] == by_action[same]
    comments = [one["body"] for one in opened.github.comments(opened.number)]
    assert len(comments) == 2
    assert comments[0] == comments[1]


def test_a_limit_ends_the_call_with_the_time_to_come_again(opened: OpenPull):
    opened.github.front.fault(r"POST .*/check-runs", "secondary")
    with pytest.raises(RateLimited):
        tell(opened, failing(opened.head))
    assert writes(opened)[-1].endswith("-> 403 (secondary)")


@pytest.mark.soak
def test_when_github_is_down_for_long_the_call_ends(opened: OpenPull):
    opened.github.front.fault(r"GET .*/check-runs", 502, times=100)
    with pytest.raises(GithubUnavailable):
        tell(opened, fine(opened.head, RiskLevel.low))
