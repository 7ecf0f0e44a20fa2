"""Findings of a model over the pushes of a pull request: said once, with one id, until their lines change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.github.events.model import Person, PullFacts
from assay.github_app.runs.review_history import with_review_history
from assay.github_app.store import Store, WaiverKind
from assay.validators import Finding, Tier, ValidationConfig, ValidationOptions, ValidationReport
from assay.validators.run.pipeline import Options, validate
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.examples import sampled
from tests.fakes.model import FakeModel
from tests.github_app.remembering import sha, store_at
from tests.github_app.test_review_history import kept, validated
from tests.repositories import RealRepository
from tests.validators.review.test_review_change import BASE, CLAIM, HEAD, LINE, NONE, STANDS, Reviewer, model_at

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
SILENT = {"correctness": NONE, "risk": {"factors": [], "unknowns": []}}
REFUTED = STANDS | {"verdict": "refuted", "reason": "the first item is a header"}
Push = Callable[..., ValidationReport]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(f"sqlite:///{tmp_path / 'assay.db'}") as store:
        yield store


@pytest.fixture
def push(repository: RealRepository, store: Store) -> Push:
    """Validate a next push of one pull request, as a worker does; without files, the same head again."""
    base = repository.commit("Start", dict(BASE))
    repository.branch("claude/topic")
    pull = PullFacts(
        70, 7, "A change", "", Person("ada", 5), repository.commit("Change", dict(HEAD)), "t", base, "main"
    )
    heads = iter("abcdef")

    def pushed(files: dict[str, str | None] | None = None, **answers: Any) -> ValidationReport:
        for name, content in (files or {}).items():
            if content is None:
                repository.remove(name)
            else:
                repository.write(name, content)
        change = replace(pull, head_sha=repository.commit("Push")) if files else pull
        run, _ = store.runs.begin(5, 7, sha(next(heads)), "synchronize", NOW)
        options = with_review_history(ValidationOptions(tiers=(Tier.quality,)), store, run, NOW)
        pushed.reviewer = Reviewer(**answers)  # type: ignore[attr-defined]
        report = reviewed_here(change, repository, pushed.reviewer, options)  # type: ignore[attr-defined]
        kept(store, report, run.head_sha[0])
        return report

    return pushed


def reviewed_here(
    change: PullFacts, repository: RealRepository, reviewer: Reviewer, options: ValidationOptions
) -> ValidationReport:
    """Validate a head in this process, which is quicker than a process of its own."""
    with FakeModel(answers=reviewer) as server, model_at(server) as model, Repository(repository.path) as opened:
        run = Options(tiers=(Tier.quality,), model=model, earlier=options.earlier)
        return validate(read_change(opened, change.base_sha, change.head_sha), ValidationConfig(), run)


def reviewed(report: ValidationReport) -> list[Finding]:
    return [one for one in report.findings if one.rule.startswith("review.")]


def resolved(report: ValidationReport) -> list[tuple[str, str]]:
    assert report.review is not None
    return [(one.finding, str(one.why)) for one in report.review.resolved]


def questions(push: Push) -> list[str]:
    asked: list[str] = push.reviewer.questions  # type: ignore[attr-defined]
    return asked


def test_a_finding_that_the_model_does_not_repeat_is_carried_without_a_question(push: Push):
    (first,) = reviewed(push())
    report = push({"pay.py": BASE["pay.py"] + "\n\n# more\n"}, **SILENT)
    (second,) = reviewed(report)
    assert (second.id, second.message, second.line, second.replacement) == (
        first.id,
        first.message,
        first.line,
        first.replacement,
    )
    assert "refute" not in questions(push), "its file is as it was"
    assert report.review is not None
    assert [one.is_carried for one in report.review.places] == [True]
    assert resolved(report) == []


def test_a_repeated_claim_is_not_said_twice(push: Push):
    (first,) = reviewed(push())
    elsewhere = CLAIM | {"statement": "The sum begins at the second item", "consequence": "data_loss"}
    report = push({"pay.py": BASE["pay.py"] + "\n"}, correctness={"findings": [elsewhere]})
    (second,) = reviewed(report)
    assert (second.id, second.message) == (first.id, first.message)
    assert report.review is not None
    assert [(one.reason, one.count) for one in report.review.dropped] == [("duplicate", 1)]


def test_a_finding_moves_with_its_lines_and_its_fix(push: Push):
    (first,) = reviewed(push())
    moved = f'"""A shop."""\n\nRATE = 2\n\n\ndef total(items):\n    """Return the sum."""\n{LINE}\n'
    (second,) = reviewed(push({"shop.py": moved}, **SILENT))
    assert (second.id, second.line, second.replacement) == (first.id, 8, "    return sum(items)")
    assert questions(push).count("refute") == 1, "its file changed"
    (third,) = reviewed(
        push({"shop.py": moved.replace("def total", "def sum_of").replace("    return", "\treturn")}, **SILENT)
    )
    assert (third.id, third.line, third.replacement) == (first.id, 8, None), "the exact lines of the fix are gone"


@pytest.mark.parametrize(
    "verdict", sampled([STANDS, STANDS | {"verdict": "cannot_tell"}, STANDS | {"evidence": []}], 1)
)
def test_only_a_refutation_resolves_a_finding_whose_lines_stand(push: Push, verdict: Any):
    (first,) = reviewed(push())
    (second,) = reviewed(push({"shop.py": f"{HEAD['shop.py']}\n\nX = 1\n"}, **SILENT, refute=verdict))
    assert second.id == first.id
    guarded = f"def total(items):\n    items = [None, *items]\n{LINE}\n"
    report = push({"shop.py": guarded}, **SILENT, refute=REFUTED)
    assert reviewed(report) == []
    assert resolved(report) == [(first.id, "refuted")]


@pytest.mark.parametrize(
    ("files", "why"),
    sampled(
        [
            ({"shop.py": "def total(items):\n    return sum(items[0:])\n"}, "edited"),
            ({"shop.py": "def total(items):\n    return 0\n\n\ndef tail(items):\n" + LINE + "\n"}, "edited"),
            ({"shop.py": None}, "edited"),
            ({"shop.py": None, "store.py": HEAD["shop.py"]}, "moved"),
            ({"shop.py": BASE["shop.py"], "new.py": "x = 1\n"}, "edited"),
        ],
        2,
    ),
)
def test_a_finding_is_resolved_when_its_lines_were_edited(push: Push, files: dict[str, str | None], why: str):
    (first,) = reviewed(push())
    report = push(files, **SILENT)
    assert reviewed(report) == []
    assert resolved(report) == [(first.id, why)]
    assert "refute" not in questions(push)


def test_a_finding_that_comes_back_is_not_called_resolved(push: Push):
    (first,) = reviewed(push())
    edited = "    return sum(items[1:  ])"
    claim = CLAIM | {"place": {"side": "head", "path": "shop.py", "quote": edited}, "fix": None}
    stands = STANDS | {"evidence": [claim["place"]]}
    report = push({"shop.py": f"def total(items):\n{edited}\n"}, correctness={"findings": [claim]}, refute=stands)
    (second,) = reviewed(report)
    assert second.id == first.id
    assert resolved(report) == []
    (third,) = reviewed(push({"pay.py": BASE["pay.py"] + "\n"}, **SILENT))
    assert third.id == first.id, "it is found by its lines of the last push"


def test_a_run_without_a_model_between_forgets_nothing(push: Push, store: Store):
    report = push()
    (first,) = reviewed(report)
    kept(store, replace(report, review=None).with_tiers(quality=None), "b")
    run, _ = store.runs.begin(5, 7, sha("c"), "synchronize", NOW)
    (earlier,) = with_review_history(ValidationOptions(), store, run, NOW).earlier
    assert earlier.reported is not None
    assert earlier.reported.place.finding == first.id


@pytest.mark.soak
def test_a_budget_that_is_used_up_resolves_nothing(push: Push, repository: RealRepository, store: Store):
    (first,) = reviewed(push())
    run, _ = store.runs.begin(5, 7, sha("b"), "synchronize", NOW)
    options = with_review_history(ValidationOptions(tiers=(Tier.quality,)), store, run, NOW)
    repository.write("shop.py", f"{HEAD['shop.py']}\n\nX = 1\n")
    head = repository.commit("Push")
    pull = PullFacts(
        70, 7, "A change", "", Person("ada", 5), head, "t", repository.git("rev-parse", "main").strip(), "main"
    )
    report = validated(pull, repository, Reviewer(**SILENT), replace(options, spent_usd=(3.0, 3.0)))
    assert [one.id for one in reviewed(report)] == [first.id]
    assert report.review is not None
    assert report.review.stopped is not None


def test_a_finding_marked_false_is_not_carried_and_keeps_its_id(push: Push, store: Store):
    (first,) = reviewed(push())
    store.waivers.put(5, 7, first.id, WaiverKind.fp, "ada", "it is wrong", sha("a"), NOW)
    report = push({"pay.py": BASE["pay.py"] + "\n"}, **SILENT)
    assert (reviewed(report), resolved(report)) == ([], [])
    (again,) = reviewed(push({"pay.py": BASE["pay.py"] + "\n\n"}, correctness={"findings": [CLAIM]}))
    assert again.id == first.id
