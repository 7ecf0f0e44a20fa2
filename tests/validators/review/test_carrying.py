"""Findings of the last push in the next review: their tests, evidence and places, on real changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest

from assay.llm import ModelUnavailable
from assay.llm.language_model import WhyUnavailable
from assay.validators.changes.change import ChangeSet
from assay.validators.report.model import Severity
from assay.validators.report.review import Demonstration, Fate
from assay.validators.review.claims import Dropped
from assay.validators.review.earlier import EarlierFinding, ReportedFinding
from assay.validators.review.reviewing import Part, Proof, Review, Reviewed, key_of
from assay.validators.tools.trials import Trial, TrialResult
from tests.validators.review.conftest import Files, MakeChange, Scripted
from tests.validators.review.test_reviewing import BASE, HEAD, LINES, STANDS, Model, claim

TEST = Demonstration("", "tests/test_app.py", "def test_run():\n    assert run() == 3\n", ("E  assert None == 3",))
REFUTED = STANDS | {"verdict": "refuted"}
Change = Callable[[Files], ChangeSet]


@pytest.fixture
def change(make_change: MakeChange) -> Change:
    """Make a change of the same base to these files of the head."""
    return lambda files: make_change(BASE, {**HEAD, **files})


def first(change: ChangeSet, *claims: Any, proof: Proof | None = None) -> tuple[EarlierFinding, ...]:
    """Return the findings of a first review, as the next one gets them."""
    prove = (lambda _: proof) if proof is not None else None
    return after(Review(change, PARTS, *askers(Model(*claims)), prove=prove).run())


def after(reviewed: Reviewed) -> tuple[EarlierFinding, ...]:
    """Return what the next review gets of this one, over the border of a process."""
    places = {one.finding: one for one in reviewed.places}
    tests = {one.finding: one for one in reviewed.demonstrations}
    found = []
    for one in reviewed.findings:
        key = key_of(one)
        reported = ReportedFinding(places[key], one.line, one.replacement, tests.get(key))
        found.append(EarlierFinding(one.rule, one.file, one.context, one.message, reported=reported))
    return tuple(EarlierFinding.from_data(asdict(one)) for one in found)


PARTS = [Part(("app.py",), "facts about app.py")]


def askers(model: Model) -> tuple[Scripted, Scripted]:
    return model.ask, model.refute


def again(
    change: ChangeSet, earlier: tuple[EarlierFinding, ...], model: Model | None = None, **options: Any
) -> Reviewed:
    return Review(change, PARTS, *askers(model or Model()), earlier=earlier, **options).run()


def test_a_demonstrated_finding_stays_an_error_while_its_files_do(change: Change):
    proof = Proof(is_demonstrated=True, is_expectation_quoted=True, demonstration=TEST)
    earlier = first(change({}), claim(3), proof=proof)
    model = Model()
    reviewed = again(change({"other.py": "x = 1\n"}), earlier, model, run_again=None)
    assert [one.severity for one in reviewed.findings] == [Severity.error]
    assert [(one.path, one.output) for one in reviewed.demonstrations] == [(TEST.path, TEST.output)]
    assert len(reviewed.demonstrated) == 1
    assert model.refute.asked == []


@pytest.mark.parametrize(("trial", "num_kept"), [(Trial.passed, 0), (Trial.failed, 1), (Trial.broke, 1)])
def test_a_test_finds_a_fix_in_another_file(change: Change, trial: Trial, num_kept: int):
    earlier = first(change({}), claim(3), proof=Proof(is_demonstrated=True, demonstration=TEST))
    model = Model()
    elsewhere = change({"other.py": "x = 1\n"})
    reviewed = again(elsewhere, earlier, model, run_again=lambda _: TrialResult(trial, output=("again",)))
    assert [one.output for one in reviewed.demonstrations] == [
        ("again",) if trial is Trial.failed else TEST.output for _ in range(num_kept)
    ]
    assert len(reviewed.findings) == num_kept == 1 - len(reviewed.resolved)
    assert model.refute.asked == []


@pytest.mark.parametrize(
    ("trial", "severity", "num_tests", "num_asked"),
    [
        (TrialResult(Trial.failed, "assert 4 == 3", ("E  assert 4 == 3",)), Severity.error, 1, 0),
        (TrialResult(Trial.passed), None, 0, 0),
        (TrialResult(Trial.broke), Severity.warning, 0, 1),
        (TrialResult(Trial.flaky), Severity.warning, 0, 1),
        (None, Severity.warning, 0, 1),
    ],
)
def test_when_its_file_changed_the_test_of_a_finding_is_run_again(
    change: Change, trial: TrialResult | None, severity: Severity | None, num_tests: int, num_asked: int
):
    proof = Proof(is_demonstrated=True, is_expectation_quoted=True, demonstration=TEST)
    earlier = first(change({}), claim(3), proof=proof)
    ran: list[str] = []

    def run_again(test: Demonstration) -> TrialResult:
        ran.append(test.text)
        assert trial is not None
        return trial

    model = Model()
    moved = change({"app.py": f"X = 1\n\n\n{HEAD['app.py']}"})
    reviewed = again(moved, earlier, model, run_again=run_again if trial is not None else None)
    assert [one.severity for one in reviewed.findings] == ([severity] if severity is not None else [])
    assert [one.why for one in reviewed.resolved] == ([] if severity is not None else [Fate.refuted])
    assert [one.output for one in reviewed.demonstrations] == [("E  assert 4 == 3",)] * num_tests
    assert len(model.refute.asked) == num_asked == reviewed.num_refuted
    assert ran == [TEST.text] * (trial is not None)


def test_a_demonstrated_finding_whose_test_is_lost_gets_it_back_by_no_claim(change: Change):
    """The claim about its lines is a duplicate: it is said once, as it was."""
    proof = Proof(is_demonstrated=True, demonstration=TEST)
    earlier = first(change({}), claim(3), proof=proof)
    moved = change({"app.py": f"X = 1\n{HEAD['app.py']}"})
    reviewed = again(moved, earlier, Model(claim(3, statement="it is another statement")))
    assert [one.message for one in reviewed.findings] == [earlier[0].message]
    assert reviewed.dropped[Dropped.duplicate] == 1


def test_evidence_that_changed_is_asked_about(change: Change):
    evidence = [{"side": "head", "path": "other.py", "quote": "limit = value_3"}]
    with_other = {"other.py": "limit = value_3\n"}
    earlier = first(change(with_other), claim(3, evidence=evidence))
    model = Model()
    assert len(again(change({**with_other, "third.py": "x = 1\n"}), earlier, model).findings) == 1
    assert model.refute.asked == []
    gone = again(change({"other.py": "limit = 3\n"}), earlier, Model(verdict=REFUTED))
    assert [one.why for one in gone.resolved] == [Fate.refuted]


def test_without_an_answer_a_finding_stands(change: Change):
    earlier = first(change({}), claim(3))
    busy = Model(verdict=ModelUnavailable("no budget", WhyUnavailable.budget))
    reviewed = again(change({"app.py": f"X = 1\n{HEAD['app.py']}"}), earlier, busy)
    assert [(one.line, one.severity) for one in reviewed.findings] == [(6, Severity.warning)]


def test_of_equal_lines_the_nearest_in_the_same_definition_is_meant(change: Change):
    twice = f"def run():\n{LINES[0]}\n{LINES[3]}\n{LINES[4]}\n{LINES[3]}\n    return None\n"
    earlier = first(change({"app.py": twice}), claim(3))
    assert earlier[0].reported is not None
    assert earlier[0].reported.line == 3
    later = f"# new\n{twice}\n\ndef other():\n{LINES[3]}\n"
    assert [one.line for one in again(change({"app.py": later}), earlier).findings] == [4]
    elsewhere = f"def run():\n    return None\n\n\ndef other():\n{LINES[3]}\n"
    assert [one.why for one in again(change({"app.py": elsewhere}), earlier).resolved] == [Fate.edited]


def test_a_finding_about_removed_lines_stands_until_they_are_back(make_change: MakeChange):
    base = {"app.py": f"def run():\n{LINES[1]}\n{LINES[2]}\n    return None\n"}
    place = {"side": "base", "path": "app.py", "quote": LINES[1]}
    removed = f"def run():\n{LINES[2]}\n    return None\n"
    stands = STANDS | {"evidence": [{"side": "base", "path": "app.py", "quote": LINES[1]}]}
    model = Model(claim(1, place=place), verdict=stands)
    earlier = after(Review(make_change(base, {"app.py": removed}), PARTS, *askers(model)).run())
    assert [one.reported.line for one in earlier if one.reported is not None] == [None]
    kept = again(make_change(base, {"app.py": f"# a comment\n{removed}"}), earlier, Model(verdict=stands))
    assert [one.context for one in kept.findings] == [earlier[0].context]
    back = again(make_change(base, {"app.py": f"# a comment\n{base['app.py']}"}), earlier, Model(verdict=stands))
    assert [one.why for one in back.resolved] == [Fate.edited]


def test_the_maximum_holds_for_carried_findings_the_worst_first(change: Change):
    proofs = iter([Proof(), Proof(), Proof(is_demonstrated=True, is_expectation_quoted=True, demonstration=TEST)])
    reviewed = Review(
        change({}), PARTS, *askers(Model(*(claim(number) for number in range(3)))), prove=lambda _: next(proofs)
    ).run()
    few = again(change({"other.py": "x = 1\n"}), after(reviewed), Model(claim(9)), max_findings=1)
    assert [one.severity for one in few.findings] == [Severity.error]
    assert few.dropped == {Dropped.over_limit: 3}
    assert few.resolved == [], "what is left out is not resolved"


def test_a_new_finding_is_added_to_those_that_are_carried(change: Change):
    earlier = first(change({}), claim(3))
    reviewed = again(change({"other.py": "x = 1\n"}), earlier, Model(claim(7)))
    assert [(one.line, place.is_carried) for one, place in zip(reviewed.findings, reviewed.places, strict=True)] == [
        (5, True),
        (9, False),
    ]


def test_a_dismissed_finding_is_not_carried(change: Change):
    (one,) = first(change({}), claim(3))
    reviewed = again(change({"other.py": "x = 1\n"}), (replace(one, reported=None),))
    assert (reviewed.findings, reviewed.resolved) == ([], [])
