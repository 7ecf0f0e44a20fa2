"""What people did about a model's findings: edits, commands and reactions on the tests' GitHub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.github.publish import PublishPolicy, RunFacts, publication_of, publish
from assay.github.pull_request.validate import complete
from assay.github_app.handlers import handle
from assay.github_app.outcomes import validation_completed
from assay.github_app.runs.finding_outcomes import read_reactions, settle
from assay.github_app.runs.review_history import with_review_history
from assay.github_app.store import DecidedBy, FindingOutcome, ReviewFindingRow, RunState, Store
from assay.validators import Comments, Tier, ValidationOptions, ValidationReport
from tests.fakes.github import FakeGitHub
from tests.fakes.model import FakeModel
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.github_app.rooms import Room
from tests.github_app.test_carried_findings import SILENT, reviewed, reviewed_here
from tests.repositories import RealRepository
from tests.validators.review.test_review_change import BASE, CLAIM, HEAD, LINE, Reviewer

EDITED = "def total(items):\n    return sum(items[0:])\n"
Reviewed = Callable[..., ValidationReport]


@pytest.fixture
def review(room: Room) -> Reviewed:
    """Review the head of the pull request as a worker does, and publish it with notes on lines."""
    base = room.repository.git("rev-parse", "main").strip()

    def run(**answers: Any) -> ValidationReport:
        pull, at = replace(room.pull(), base_sha=base), datetime.now(UTC)
        row = room.store.pulls.get(*room.place)
        assert row is not None
        run, _ = room.store.runs.begin(*room.place, pull.head_sha, "test", at)
        with room.context.repo(room.repository_id) as repo:
            read_reactions(room.context, repo, row)
            options = with_review_history(ValidationOptions(tiers=(Tier.quality,)), room.store, run, at)
            found = reviewed_here(pull, room.repository, Reviewer(**answers), options)
            policy = PublishPolicy(comments=Comments.all, is_app=True, web_url=repo.web_url)
            done = complete(found).report
            publish(publication_of(done, pull, policy, run=RunFacts(run.external_id)), repo)
        validation_completed(room.store, run, done, at)
        room.store.runs.advance(run.id, RunState.completed, at)
        return done

    return run


def notes(room: Room) -> list[dict[str, Any]]:
    found = room.github.get(f"/repos/{room.full_name}/pulls/{room.number}/comments?per_page=100")
    return [one for one in found if one["body"].startswith("<!-- assay:finding")]


def outcomes(room: Room) -> list[tuple[str | None, str | None, str | None]]:
    rows: tuple[ReviewFindingRow, ...] = room.store.review_findings.of(*room.place)
    return [(row.outcome, row.decided_by, row.decider) for row in rows]


def react(room: Room, login: str, content: str = "-1") -> None:
    (note,) = notes(room)
    path = f"/repos/{room.full_name}/pulls/comments/{note['id']}/reactions"
    room.github.as_person(login, "POST", path, {"content": content})


def end(room: Room) -> None:
    """What the App does with the event of the end."""
    event = room.heard("pull_request", lambda payload: payload["action"] == "closed")
    handle(event, room.context)


def test_over_three_pushes_a_finding_is_said_once_and_its_note_is_resolved(room: Room, review: Reviewed):
    room.push({"shop.py": HEAD["shop.py"]})
    (first,) = reviewed(review())
    (said,) = notes(room)
    assert first.id in said["body"]
    assert "```suggestion\n    return sum(items)\n```" in said["body"]
    room.push({"shop.py": f"# A shop.\n\n{HEAD['shop.py']}"})
    (second,) = reviewed(review(**SILENT))
    assert (second.id, second.line) == (first.id, 4)
    (again,) = notes(room)
    assert (again["id"], again["body"]) == (said["id"], said["body"])
    assert outcomes(room) == [(None, None, None)]
    room.push({"shop.py": EDITED})
    assert reviewed(review(**SILENT)) == []
    (gone,) = notes(room)
    assert gone["id"] == said["id"]
    assert "No longer found" in gone["body"]
    assert outcomes(room) == [("acted_on", "push", None)]
    (row,) = room.store.review_findings.of(*room.place)
    assert (row.question, row.rule, row.model, row.severity) == (
        "correctness",
        "review.correctness",
        "claude-opus-5-5",
        "warning",
    )
    assert row.prompt.startswith("correctness v")
    assert row.first_sha != row.last_sha


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        ("mary", ("dismissed", "reaction", "mary")),
        ("rick", (None, None, None)),
        ("assay-test[bot]", (None, None, None)),
    ],
)
def test_only_a_thumbs_down_of_a_person_who_may_write_counts(room: Room, review: Reviewed, login: str, expected: Any):
    room.push({"shop.py": HEAD["shop.py"]})
    review()
    react(room, login)
    react(room, "mary", "+1")
    room.push({"pay.py": "x = 1\n"})
    report = review(**SILENT)
    assert outcomes(room) == [expected]
    assert len(reviewed(report)) == 1, "a reaction removes no finding; a waiver does"


def test_reactions_are_read_at_the_merge_and_the_rest_is_ignored(room: Room, review: Reviewed):
    second = "def tail(items):\n    return items[2:]\n"
    claim = CLAIM | {"place": {"side": "head", "path": "tail.py", "quote": "    return items[2:]"}, "fix": None}
    room.push({"shop.py": HEAD["shop.py"], "tail.py": second})
    review(correctness={"findings": [CLAIM, claim]})
    one, other = sorted(notes(room), key=lambda note: note["path"])
    path = f"/repos/{room.full_name}/pulls/comments/{one['id']}/reactions"
    room.github.as_person("ada", "POST", path, {"content": "-1"})
    room.github.merge(room.number)
    end(room)
    assert sorted(outcomes(room), key=str) == [("dismissed", "reaction", "ada"), ("ignored", "merged", None)]
    rows = {row.file: row for row in room.store.review_findings.of(*room.place)}
    assert rows["shop.py"].by_author
    assert room.store.review_findings.dismissed(room.repository_id, 9) == (), "authors hold back nothing"
    assert other["path"] == "tail.py"


def test_a_push_that_no_review_saw_counts_as_an_edit_at_the_end(room: Room, review: Reviewed):
    room.push({"shop.py": HEAD["shop.py"], "tail.py": "def tail(items):\n    return items[2:]\n"})
    claim = CLAIM | {"place": {"side": "head", "path": "tail.py", "quote": "    return items[2:]"}, "fix": None}
    review(correctness={"findings": [CLAIM, claim]})
    room.push({"shop.py": EDITED})
    room.github.close_pull(room.number)
    end(room)
    rows = {row.file: (row.outcome, row.decided_by) for row in room.store.review_findings.of(*room.place)}
    assert rows == {"shop.py": ("acted_on", "last_push"), "tail.py": ("ignored", "closed")}
    row = room.store.pulls.get(*room.place)
    assert row is not None
    asked = len(room.github.requests)
    settle(room.context, row)
    assert len(room.github.requests) == asked, "nothing stands, so nothing is asked"


@pytest.mark.soak
def test_a_refuted_finding_is_withdrawn(room: Room, review: Reviewed):
    room.push({"shop.py": HEAD["shop.py"]})
    review()
    room.push({"shop.py": f"def total(items):\n    items = [0, *items]\n{LINE}\n"})
    refuted = {"verdict": "refuted", "reason": "a header", "evidence": [CLAIM["place"]]}
    review(**SILENT, refute=refuted)
    assert outcomes(room) == [("withdrawn", "push", None)]


@pytest.mark.soak
def test_a_finding_that_comes_back_is_open_again(room: Room, review: Reviewed):
    room.push({"shop.py": HEAD["shop.py"]})
    (first,) = reviewed(review())
    room.push({"shop.py": EDITED})
    review(**SILENT)
    room.push({"shop.py": HEAD["shop.py"]})
    (again,) = reviewed(review())
    assert again.id == first.id
    assert outcomes(room) == [(None, None, None)]
    assert [first.id in note["body"] and "No longer" not in note["body"] for note in notes(room)] == [True]


def test_a_false_positive_is_dismissed_and_three_hold_the_fourth_back(room: Room, review: Reviewed):
    """Three pull requests would take long: the other two dismissals are stored as the first one is."""
    room.push({"shop.py": HEAD["shop.py"]})
    (finding,) = reviewed(review())
    reply = room.say("mary", f"/assay fp {finding.id} the header is the first item")
    assert "is waived as a false positive" in reply
    assert outcomes(room) == [("dismissed", "command", "mary")]
    (row,) = room.store.review_findings.of(*room.place)
    again = room.say("mary", f"/assay accept {finding.id} it is right after all")
    assert "is accepted" in again
    assert outcomes(room) == [("dismissed", "command", "mary")]
    room.push({"shop.py": BASE_OF_NEXT, "sale.py": HEAD["shop.py"].replace("total", "sale")})
    quote = {"side": "head", "path": "sale.py", "quote": LINE}
    claim = CLAIM | {"place": quote, "statement": "sale() leaves out the first item", "fix": None}
    stands = {"verdict": "stands", "reason": "the slice starts at 1", "evidence": [quote]}
    for number in (801, 802):
        room.store.review_findings.seen(
            [replace(row, number=number, outcome=None, decided_by=None, decided_at=None, decider=None)], row.first_at
        )
        place = (room.repository_id, number)
        kind, by = FindingOutcome.dismissed, DecidedBy.command
        assert room.store.review_findings.decide(place, row.finding_id, kind, by, row.first_at, decider="mary")
    report = review(correctness={"findings": [claim]}, refute=stands)
    assert reviewed(report) == []
    run = room.store.runs.newest_reported(*room.place)
    assert run is not None
    text = next(one["output"]["text"] for one in room.github.check_runs(room.head) if one["status"] == "completed")
    assert "1 dropped (like three that were dismissed)" in text


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_the_app_as_it_is_run_follows_a_finding_to_the_merge(
    github: FakeGitHub, repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with FakeModel() as fake:
        fake.answers = Reviewer(risk=SILENT["risk"])
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-worker")
        surroundings = environment_for(github, tmp_path / "app", review_model="claude-opus-5-5")
        process = AppProcess("serve", surroundings, tmp_path / "app.log")
        process.start()
        try:
            _follow(github, repository, f"{wait_ready(surroundings, process)}/webhooks/github", fake)
            github.settled(timeout_s=30)
        finally:
            github.deliver_to(None)
            process.close()
    with Store.open(f"sqlite:///{tmp_path / 'app' / 'assay.sqlite'}", migrate=False) as store:
        rows = store.review_findings.of(github.repository_id(), 1)
    assert [(row.outcome, row.decided_by, row.decider, row.is_demonstrated) for row in rows] == [
        ("dismissed", "reaction", "mary", False)
    ]
    assert rows[0].first_sha != rows[0].last_sha


def _follow(github: FakeGitHub, repository: RealRepository, url: str, fake: FakeModel) -> None:
    """Two pushes, a reaction, and the merge; the note is written once, and its text moves with the finding."""
    github.deliver_to(url)
    full_name = github.create_repository("shop")
    github.person("mary", role="write")
    repository.commit("Start", {**BASE, ".github/assay.yml": "comments: all\n"})
    github.push(repository, "main")
    repository.branch("change")
    head = repository.commit("Change", dict(HEAD))
    github.push(repository, "change")
    number = github.open_pull("change", by="ada")

    def said(sha: str) -> str:
        """The report on a head, once it has a verdict."""

        def judged() -> list[dict[str, Any]]:
            runs = github.check_runs(sha, name="Assay")
            return [one for one in runs if one["conclusion"] not in (None, "cancelled")]

        (run,) = github.wait(judged, timeout_s=90)
        return str(run["output"]["text"])

    assert "total() leaves out the first item" in said(head)
    path = f"/repos/{full_name}/pulls/{number}/comments?per_page=100"
    (note,) = github.wait(lambda: github.get(path), timeout_s=30)
    github.as_person("mary", "POST", f"/repos/{full_name}/pulls/comments/{note['id']}/reactions", {"content": "-1"})
    fake.answers = Reviewer(**SILENT)
    second = repository.commit("More", {"shop.py": f"# A shop.\n\n{HEAD['shop.py']}"})
    github.push(repository, "change")
    assert "Of earlier pushes: 1 still there, 0 resolved" in said(second)
    assert [one["id"] for one in github.get(path)] == [note["id"]]
    github.merge(number)


BASE_OF_NEXT = "def total(items):\n    return sum(items)\n"
