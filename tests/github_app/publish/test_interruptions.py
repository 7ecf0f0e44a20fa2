"""Broken off anywhere and begun again: one of each stands there in the end."""

from __future__ import annotations

import dataclasses

import pytest

from assay.github.errors import GithubAppError, GithubUnavailable
from assay.github.publish import publish
from assay.validators import Comments, Severity
from tests.github_app.open_pull import OpenPull
from tests.github_app.publish.reports import APP, finding, pull, said, with_findings

EVERYTHING = dataclasses.replace(APP, comments=Comments.all, with_sarif=True)
WRITES = (
    r"POST .*/repos/[^/]+/[^/]+/check-runs$",
    r"PATCH .*/check-runs/\d+$",
    r"POST .*/repos/[^/]+/[^/]+/labels$",
    r"POST .*/issues/\d+/labels$",
    r"DELETE .*/issues/\d+/labels/",
    r"POST .*/issues/\d+/comments$",
    r"POST .*/pulls/\d+/reviews$",
    r"POST .*/code-scanning/sarifs$",
)


def publication(opened: OpenPull):
    """All there is to write: two batches of annotations, a label, a comment, a review, SARIF."""
    report = with_findings([finding(number, Severity.error) for number in range(1, 81)], opened.head)
    return said(report, EVERYTHING, pull=pull(opened.number, opened.head))


def assert_one_of_each(opened: OpenPull) -> None:
    (check,) = opened.github.check_runs(opened.head)
    assert check["status"] == "completed"
    assert [one["start_line"] for one in check["annotations"]] == list(range(1, 81))
    assert opened.github.labels(opened.number) == ["risk:low"]
    assert len(opened.github.comments(opened.number)) == 1
    (review,) = opened.github.reviews(opened.number)
    assert [one["line"] for one in review["comments"]] == list(range(1, 26))
    assert {one["commit_sha"] for one in opened.github.sarifs} == {opened.head}


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "after"), [(502, False), (502, True), ("half_close", True)], ids=["502", "502-but-done", "half-closed"]
)
def test_lost_answers_to_every_kind_of_write_leave_one_of_each(opened: OpenPull, kind: str | int, after: bool):
    opened.github.label(opened.number, "risk:high")
    for write in WRITES:
        opened.github.front.fault(write, kind, after=after)
    wanted = publication(opened)
    for _ in range(len(WRITES)):
        try:
            publish(wanted, opened.repo)
        except GithubUnavailable:
            continue  # the durable job comes again
        break
    assert len([one for one in opened.github.requests if one.fault]) == len(WRITES), "every fault struck"
    assert_one_of_each(opened)


@pytest.mark.soak
def test_a_crash_after_any_request_and_a_run_from_the_start_leave_one_of_each(opened: OpenPull):
    """The process dies at request 1, then at request 2 of the next run, and so on, until a run comes through."""
    opened.github.label(opened.number, "risk:high")
    wanted = publication(opened)
    send = opened.repo._requester.requestJsonAndCheck
    for allowed in range(1, 40):
        left = allowed

        def dying(*given, **more):
            nonlocal left
            if not left:
                raise KeyboardInterrupt
            left -= 1
            return send(*given, **more)

        opened.repo._requester.requestJsonAndCheck = dying  # type: ignore[method-assign]
        try:
            publish(wanted, opened.repo)
        except KeyboardInterrupt:
            continue
        break
    else:
        pytest.fail("it never came through")
    assert allowed > 8
    assert_one_of_each(opened)


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "times"), [("secondary", 6), ("rate_limited", 6), ("exhausted", 6), ("timeout", 2)])
def test_bad_weather_all_the_way_ends_well_when_the_job_tries_again(opened: OpenPull, kind: str, times: int):
    opened.repo._requester._Requester__timeout = 1  # type: ignore[attr-defined]
    opened.github.front.fault(r".*", kind, times=times, every=2, retry_after=0, after=False)
    wanted = publication(opened)
    for _ in range(20):
        try:
            publish(wanted, opened.repo)
        except GithubAppError:
            opened.repo._requester.pace._blocked_until = {}  # the time has come
            continue
        break
    assert_one_of_each(opened)
