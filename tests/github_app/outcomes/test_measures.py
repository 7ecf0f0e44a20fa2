"""What is measured of one pull request, case by case: unknown where nothing is known, and never guessed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import event

from assay.github.events.model import CommentFacts, Person
from assay.github_app.outcomes import record
from assay.github_app.outcomes.metrics.measures import PullMeasures, measures
from assay.github_app.outcomes.metrics.measures_ci import FirstPush
from assay.github_app.outcomes.metrics.measures_findings import Addressed
from assay.github_app.store import PROPOSAL_BRANCH, ChangedLines, EventKind, FindingRow, MatchRow, RunState, Side, Store
from tests.github_app.outcomes.telling import checked, pulled, reviewed, talked
from tests.github_app.remembering import REPOSITORY, REVIEWER, after, merged, pull, review, sha

ULID = "01KJRHY880TTTTTTTTTTTTTTTT"


def tell(store: Store, *events: Any) -> None:
    for one in events:
        record(one, store, after(days=60))


def the_one(store: Store) -> PullMeasures:
    (found,) = measures(store)
    return found


def validate(
    store: Store,
    head: str,
    at: datetime,
    *findings: FindingRow,
    tools: dict[str, int] | None = None,
    not_checked: tuple[str, ...] = (),
) -> None:
    """A run that came to a report, and what its verdict said in the log."""
    run, _ = store.runs.begin(5, 7, head, "opened", at, is_again=True)
    store.runs.save_report(
        run.id, b"{}", conclusion="success", title="", risk_level="high", is_hold=False, findings=findings, factors=(),
        config_hash=None, durations_s={}, at=at,
    )  # fmt: skip
    store.runs.advance(run.id, RunState.completed, at)
    data = {"run_id": run.id, "tools": tools, "not_checked": list(not_checked)}
    store.events.append(EventKind.validation_completed, f"{run.id}:{at}", at, 5, 7, None, data)


def finding(number: int, **more: Any) -> FindingRow:
    return FindingRow(f"f{number}", "code-quality", "warning", "complexity", "hats.py", "Long", number, **more)


def test_a_proposal_of_assay_itself_is_no_measured_change(small_store: Store):
    ours = pull(number=8, head_ref=PROPOSAL_BRANCH)
    tell(small_store, pulled("opened", pull(number=7)), pulled("opened", ours))
    assert the_one(small_store).number == 7
    fork = pull(number=9, head_ref=PROPOSAL_BRANCH, head_repository=replace(REPOSITORY, id=99, full_name="eve/hats"))
    tell(small_store, pulled("opened", fork))
    assert [one.number for one in measures(small_store)] == [7, 9]


# ------------------------------------------------------------------ CI on the first push


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([{}], FirstPush.passed),
        ([{}, {"name": "lint", "conclusion": "failure"}], FirstPush.failed),
        ([{"conclusion": "timed_out"}, {"name": "lint"}], FirstPush.timed_out),
        ([{"conclusion": "startup_failure"}, {"name": "lint"}], FirstPush.inert),
        ([{"conclusion": "failure", "summary": "No space left on device"}, {"name": "lint"}], FirstPush.infra_failed),
        ([{"conclusion": "timed_out"}, {"name": "lint", "conclusion": "failure"}], FirstPush.failed),
        ([{"conclusion": "skipped"}], FirstPush.unknown),
        ([{"conclusion": "skipped"}, {"name": "lint"}], FirstPush.passed),
        ([{}, {"name": "build", "status": "in_progress", "conclusion": None}], FirstPush.unknown),
        ([{"conclusion": "failure"}, {"name": "build", "status": "queued", "conclusion": None}], FirstPush.failed),
        ([{"name": "cla"}], FirstPush.unknown),
        ([{"name": "cla", "conclusion": "failure"}, {}], FirstPush.passed),
        ([], FirstPush.unknown),
    ],
)
def test_ci_on_the_first_push_is_told_by_its_checks(
    small_store: Store, changes: list[dict[str, Any]], expected: FirstPush
):
    tell(small_store, pulled("opened", pull()))
    tell(small_store, *(checked(external_key=str(place), **change) for place, change in enumerate(changes)))
    assert the_one(small_store).first_push is expected


def test_the_run_that_validated_the_head_knows_the_required_checks(small_store: Store):
    tell(small_store, pulled("opened", pull()), checked())
    validate(small_store, sha("a"), after(minutes=5), tools={"passed": 1, "failed": 1})
    assert the_one(small_store).first_push is FirstPush.failed
    validate(small_store, sha("a"), after(minutes=9), tools={"passed": 2, "failed": 0})
    assert the_one(small_store).first_push is FirstPush.passed


def test_a_later_head_says_nothing_of_the_first(small_store: Store):
    tell(small_store, pulled("opened", pull()), checked(conclusion="failure"))
    tell(small_store, pulled("synchronize", pull(head_sha=sha("b"), updated_at=after(minutes=9)), sha("a")))
    tell(small_store, checked(head_sha=sha("b"), external_key="9"))
    validate(small_store, sha("b"), after(minutes=10), tools={"passed": 5})
    assert the_one(small_store).first_push is FirstPush.failed


# ------------------------------------------------------------------ findings at the merge


def merged_after(store: Store) -> None:
    tell(store, pulled("opened", pull()))
    tell(store, pulled("synchronize", pull(head_sha=sha("b"), updated_at=after(minutes=9)), sha("a")))
    tell(store, pulled("closed", merged(after(hours=1), head_sha=sha("b"))))


@pytest.mark.soak
def test_what_the_merged_head_s_report_has_no_more_is_addressed(small_store: Store):
    merged_after(small_store)
    validate(small_store, sha("a"), after(minutes=1), finding(1), finding(2), finding(3, is_introduced=False))
    validate(small_store, sha("b"), after(minutes=10), finding(2))
    assert the_one(small_store).findings == Addressed(2, 1, 1)


def test_gone_because_nobody_looked_is_not_gone(small_store: Store):
    merged_after(small_store)
    validate(small_store, sha("a"), after(minutes=1), finding(1, tool="mypy"), finding(2))
    validate(small_store, sha("b"), after(minutes=10), not_checked=("mypy",))
    found = the_one(small_store).findings
    assert (found, found.num_unknown) == (Addressed(2, 1, 0), 1)


@pytest.mark.parametrize(
    ("after_lines", "expected"),
    [
        ([(3, 9)], Addressed(1, 0, 1)),
        ([(20, 22)], Addressed(1, 1, 0)),
        ([(4, 8)], Addressed(1, 0, 0)),
        ([], Addressed(1, 1, 0)),
    ],
)
def test_without_a_last_report_lines_tell(small_store: Store, after_lines: list[tuple[int, int]], expected: Addressed):
    merged_after(small_store)
    validate(small_store, sha("a"), after(minutes=1), finding(5))
    small_store.changes.put(5, 7, sha("a"), [ChangedLines(Side.head, "hats.py", 3, 9)], after())
    places = [ChangedLines(Side.head, "hats.py", *lines) for lines in after_lines]
    small_store.changes.put(5, 7, sha("b"), [*places, ChangedLines(Side.head, "shoes.py", 1, 1)], after())
    assert the_one(small_store).findings == expected


def test_of_lines_nobody_wrote_down_nothing_is_known(small_store: Store):
    merged_after(small_store)
    validate(small_store, sha("a"), after(minutes=1), finding(5))
    assert the_one(small_store).findings == Addressed(1, 0, 0)


def test_an_open_pull_request_has_addressed_nothing_yet(small_store: Store):
    tell(small_store, pulled("opened", pull()))
    validate(small_store, sha("a"), after(minutes=1), finding(5))
    assert the_one(small_store).findings == Addressed()


# ------------------------------------------------------------------ talk and times


def test_what_people_ask_counts_and_the_rest_does_not(small_store: Store):
    said = [
        (REVIEWER, "Please rename this variable."),
        (REVIEWER, "Why is this here?"),
        (REVIEWER, "Nice!"),
        (REVIEWER, "/assay rerun"),
        (Person("ada", 11), "Please look again."),
        (Person("helper[bot]", 8, "Bot"), "Please rename this variable."),
    ]
    tell(small_store, pulled("opened", pull()))
    for number, (who, words) in enumerate(said):
        comment = CommentFacts(number, who, words, after(minutes=30 + number), after(minutes=30 + number))
        tell(small_store, talked(7, comment))
    asking = review(1, "commented", after(minutes=20))
    tell(small_store, reviewed(pull(), type(asking)(**{**_fields(asking), "body": "Do not catch every exception."})))
    found = the_one(small_store)
    assert (found.num_comments, found.num_asking, found.time_to_first_review_s) == (4, 2, 20 * 60)


def test_a_request_of_changes_counts_also_if_it_was_dismissed_and_no_push_followed(small_store: Store):
    tell(small_store, pulled("opened", pull()))
    tell(small_store, reviewed(pull(), review(1, "changes_requested", after(minutes=20))))
    tell(small_store, reviewed(pull(), review(2, "approved", after(minutes=30))))
    tell(small_store, reviewed(pull(), review(3, "changes_requested", after(minutes=40), by=Person("ada", 11))))
    found = the_one(small_store)
    assert (found.num_revision_requests, found.num_rounds) == (1, 0)


def _fields(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


@pytest.mark.parametrize(("body", "seconds"), [(f"Task-Id: {ULID}", None), ("Task-Id: T-1", 600.0), ("", None)])
def test_time_to_pr_is_known_where_the_submission_is(small_store: Store, body: str, seconds: float | None):
    tell(small_store, pulled("opened", pull(body=body)))
    if "T-1" in body:
        small_store.tasks.put(5, "T-1", after(), submitted_at=after(minutes=-10))
    assert the_one(small_store).time_to_pr_s == seconds, "a task made later than its pull request tells nothing"


def test_a_draft_s_clock_starts_when_it_is_ready(small_store: Store):
    tell(small_store, pulled("opened", pull(is_draft=True)))
    tell(small_store, pulled("ready_for_review", pull(updated_at=after(minutes=50))))
    tell(small_store, pulled("closed", merged(after(hours=1))))
    assert the_one(small_store).time_to_merge_s == 600


def test_the_user_is_who_asked_for_the_change_and_never_a_bot(small_store: Store):
    bot, helper = Person("Copilot", 9, "Bot"), Person("helper[bot]", 10)
    told: dict[str, Any] = {"author": bot, "body": "Task-Id: T-1"}
    tell(small_store, pulled("opened", pull(**told, assignees=(bot, helper))))
    assert the_one(small_store).user is None
    tell(small_store, pulled("assigned", pull(**told, assignees=(bot, REVIEWER), updated_at=after(minutes=1))))
    assert (the_one(small_store).author, the_one(small_store).user) == ("Copilot", REVIEWER.login)
    small_store.tasks.put(5, "T-1", after(), requested_by="cy")
    assert the_one(small_store).user == "cy"


def test_memory_state_is_what_was_declared_or_a_hash_of_what_was_handed_out(small_store: Store):
    tell(small_store, pulled("opened", pull(body="Task-Id: T-1")))
    assert the_one(small_store).memory_state is None
    for rule in ("0123456789ab", "ba9876543210"):
        small_store.rules.put_pending(5, rule, "Rule: x", {}, after(), key=rule, polarity="do")
        small_store.rules.handed_out(5, [rule], "api", after(), task_id="T-1")
    found = the_one(small_store)
    assert (len(found.memory_state or ""), found.num_rules_handed, found.hydration) == (16, 2, None)
    small_store.tasks.put(5, "T-1", after(), memory_state="snapshot-3")
    assert the_one(small_store).memory_state == "snapshot-3"


def test_hydration_is_what_was_handed_out_held_against_what_was_changed(small_store: Store):
    tell(small_store, pulled("opened", pull(body="Task-Id: T-1")))
    scopes: dict[str, Any] = {
        "a" * 12: {},
        "b" * 12: {"language": "python"},
        "c" * 12: {"paths": ("web/**",)},
        "d" * 12: {"language": "go"},
    }
    for rule, scope in scopes.items():
        small_store.rules.put_pending(5, rule, "Rule: x", {}, after(), key=rule, polarity="do", **scope)
    small_store.rules.handed_out(5, list(scopes), "api", after(), task_id="T-1")
    small_store.changes.put(5, 7, sha("a"), [ChangedLines(Side.head, "hats.py", 3, 9)], after())
    small_store.rules.match(MatchRow(5, "line:1", "b" * 12, 7, "line", 1, after(), 1, is_after_handout=True))
    found = the_one(small_store)
    assert (found.num_rules_handed, found.num_rules_touching, found.num_rules_kept) == (4, 2, 1)
    assert (found.hydration, found.num_repeats, found.num_repeats_after_handout) == ("good", 1, 1)


# ------------------------------------------------------------------ the reading


@pytest.mark.soak
def test_many_pull_requests_take_as_many_queries_as_one(store: Store):
    def num_queries() -> int:
        asked: list[str] = []
        engine = store._database.engine

        def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            if statement.startswith("SELECT"):
                asked.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        measures(store)
        event.remove(engine, "before_cursor_execute", note)
        return len(asked)

    tell(store, pulled("closed", merged(after(hours=1))))
    few = num_queries()
    for number in range(8, 40):
        tell(store, pulled("closed", merged(after(hours=number), number=number, head_sha=f"{number:040x}")))
    assert num_queries() == few
    assert len(measures(store)) == 33
