"""A model reads a change only where somebody names one, and its word is held against the change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from assay.cli.main import run
from assay.validators.quality.learned.learned_rules import NO_MODEL
from assay.validators.review.text_rules import NO_ANSWER
from tests.fakes.model import Fails, FakeModel
from tests.repositories import RealRepository
from tests.validators.review.rule_answers import broken, place

RULES = "rules: [{id: kind, text: name what is meant, from: '#3 by ann'}]\n"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """A model that says what a test tells it to."""
    with FakeModel() as fake:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("ASSAY_REVIEW_MODEL", "claude-haiku-5-5")
        yield fake


@pytest.fixture
def change(repository: RealRepository, monkeypatch: pytest.MonkeyPatch) -> RealRepository:
    """A change under a rule that only a model can look for."""
    repository.commit("first", {".assay/learned-rules.yml": RULES, "a.py": "x = 1\n"})
    repository.commit("second", {"a.py": "x = 1\nd = 2\n"})
    monkeypatch.chdir(repository.path)
    return repository


def judged(capsys: Any, *more: str) -> str:
    run(["validate", "--base", "HEAD~1", "--tiers", "quality", "-f", "markdown", *more])
    return str(capsys.readouterr().out)


@pytest.mark.soak
def test_the_model_that_is_named_reads_the_change(change: RealRepository, model: FakeModel, capsys: Any):
    model.answers = lambda asked: broken(asked, "name what is meant", place("a.py", "d = 2"))
    said = judged(capsys)
    assert "name what is meant" in said
    assert "d says nothing" in said
    assert "d = 2" in model.asked[0].prompt


def test_none_is_asked_where_it_is_not_wanted_or_not_named(
    change: RealRepository, model: FakeModel, capsys: Any, monkeypatch: pytest.MonkeyPatch
):
    assert NO_MODEL in judged(capsys, "--no-model")
    monkeypatch.delenv("ASSAY_REVIEW_MODEL")
    assert NO_MODEL in judged(capsys)
    assert model.asked == []


def test_a_missing_key_and_a_model_that_fails_leave_the_rule_unchecked(
    change: RealRepository, model: FakeModel, capsys: Any, monkeypatch: pytest.MonkeyPatch
):
    model.answers = lambda _: Fails(401, "no")
    assert NO_ANSWER in judged(capsys)
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    run(["validate", "--base", "HEAD~1", "--tiers", "quality", "-f", "markdown"])
    heard = capsys.readouterr()
    assert "model.no-key" in heard.err
    assert NO_MODEL in heard.out
