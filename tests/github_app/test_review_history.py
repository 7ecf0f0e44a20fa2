"""A model's review in the App: in the validation process, with what earlier reviews found and cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.github.events.model import Person, PullFacts
from assay.github.pull_request.validate import ValidationProcess, validate_pull_request
from assay.github_app.outcomes import validation_completed
from assay.github_app.runs.review_history import with_review_history
from assay.github_app.store import DecidedBy, FindingOutcome, RunRow, Store
from assay.llm import AnthropicModel
from assay.validators import Tier, ValidationOptions, ValidationReport
from tests.fakes.model import Asked, FakeModel, Step
from tests.github_app.remembering import after, sha, store_at
from tests.repositories import RealRepository
from tests.validators.review.test_review_change import BASE, CLAIM, HEAD, NONE, Reviewer, model_at

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(f"sqlite:///{tmp_path / 'assay.db'}") as store:
        yield store


@pytest.fixture
def change(repository: RealRepository) -> PullFacts:
    base = repository.commit("Start", dict(BASE))
    repository.branch("claude/topic")
    head = repository.commit("Change", dict(HEAD))
    return PullFacts(70, 7, "A change", "Skip the header", Person("ada", 5), head, "claude/topic", base, "main")


def validated(
    change: PullFacts, repository: RealRepository, reviewer: Reviewer, options: ValidationOptions | None = None
) -> ValidationReport:
    options = options or ValidationOptions(tiers=(Tier.quality, Tier.risk))
    with FakeModel(answers=reviewer) as server, model_at(server) as model:
        return validate_pull_request(change, repository.path, options, ValidationProcess(model=model))


def kept(store: Store, report: ValidationReport, head: str = "a", number: int = 7) -> RunRow:
    run, _ = store.runs.begin(5, number, sha(head), "synchronize", after())
    validation_completed(store, run, report, NOW)
    return run


@pytest.mark.system
def test_a_review_crosses_the_processes_and_keeps_its_ids_over_pushes(
    change: PullFacts, repository: RealRepository, store: Store
):
    sent: list[str] = []

    class Keeping(Reviewer):
        def __call__(self, asked: Asked) -> Step:
            sent.append(asked.body["messages"][0]["content"][0]["text"])
            return super().__call__(asked)

    first = validated(change, repository, Keeping())
    assert all("\n| A change\n| \n| Skip the header\n| \n| Change\n=====" in text for text in sent)
    (finding,) = [one for one in first.findings if one.rule.startswith("review.")]
    assert first.review is not None
    assert first.review.cost_usd is not None
    run = kept(store, first)
    options = with_review_history(ValidationOptions(tiers=(Tier.quality,)), store, run, NOW)
    (earlier,) = options.earlier
    assert (earlier.rule, earlier.path, earlier.context, earlier.message) == (
        "review.correctness",
        "shop.py",
        "total: return sum(items[1:])",
        finding.message,
    )
    assert earlier.reported is not None
    assert earlier.reported.replacement == "    return sum(items)"
    assert [*options.spent_usd] == pytest.approx([first.review.cost_usd] * 2)
    worded = CLAIM | {"statement": "The sum starts at the second item"}
    again = validated(change, repository, Reviewer(correctness={"findings": [worded]}), options)
    assert [one.id for one in again.findings if one.rule.startswith("review.")] == [finding.id]


@pytest.mark.soak
def test_what_was_spent_limits_the_next_review(change: PullFacts, repository: RealRepository):
    for spent in ((3.0, 3.0), (0.0, 100.0)):
        options = ValidationOptions(tiers=(Tier.quality,), spent_usd=spent)
        report = validated(change, repository, Reviewer(), options)
        assert report.review is not None
        assert (report.review.num_calls, report.review.stopped is not None) == (0, True)


@pytest.mark.system
def test_costs_are_summed_by_pull_request_and_month(change: PullFacts, repository: RealRepository, store: Store):
    report = validated(change, repository, Reviewer(correctness=NONE))
    assert report.review is not None
    cost = report.review.cost_usd or 0.0
    run = kept(store, report)
    kept(store, report, "b")
    kept(store, report, "c", number=8)
    assert [*store.runs.costs_usd(5, 7, NOW - timedelta(days=1))] == pytest.approx([2 * cost, 3 * cost])
    later = with_review_history(ValidationOptions(), store, run, NOW + timedelta(days=30))
    assert [*later.spent_usd] == pytest.approx([2 * cost, 0.0])


@pytest.mark.system
def test_findings_marked_false_in_the_repository_are_remembered(
    change: PullFacts, repository: RealRepository, store: Store
):
    report = validated(change, repository, Reviewer())
    (finding,) = [one for one in report.findings if one.rule.startswith("review.")]
    run = kept(store, report, number=8)
    assert not [one for one in with_review_history(ValidationOptions(), store, run, NOW).earlier if one.is_dismissed]
    store.review_findings.decide((5, 8), finding.id, FindingOutcome.dismissed, DecidedBy.command, NOW, decider="bo")
    dismissed = [one for one in with_review_history(ValidationOptions(), store, run, NOW).earlier if one.is_dismissed]
    assert [(one.rule, one.message) for one in dismissed] == [("review.correctness", finding.message)]
    other = replace(run, repository_id=6)
    assert with_review_history(ValidationOptions(), store, other, NOW).earlier == ()


def test_a_worker_with_a_model_needs_no_key_in_the_validation_process(
    change: PullFacts, repository: RealRepository, monkeypatch: pytest.MonkeyPatch
):
    with FakeModel(answers=Reviewer()) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-worker")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        with AnthropicModel("claude-opus-5-5") as model:
            options = ValidationOptions(tiers=(Tier.quality,))
            report = validate_pull_request(change, repository.path, options, ValidationProcess(model=model))
        assert report.review is not None
        assert all("sk-secret" not in str(asked.body) for asked in server.asked)
        assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer sk-secret-of-the-worker"}
