"""Rules in words in the App's validation: a model reads the change for them, asked by the worker, within options."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from assay.github.events.model import Person, PullFacts
from assay.github.pull_request.validate import ValidationProcess, validate_pull_request
from assay.github_app.ops.settings import read_settings
from assay.github_app.runs.validate_head import NO_REVIEW_MODEL, ReviewModel
from assay.llm import AnthropicModel, Budget, ConversingModel
from assay.validators import LearnedRule, Tier, ValidationOptions, ValidationReport
from assay.validators.quality.learned.learned_rules import NO_MODEL
from assay.validators.review.text_rules import NO_ANSWER
from tests.fakes.github import FakeGitHub
from tests.fakes.model import Asked, Fails, FakeModel, Says, Step
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository
from tests.validators.review.rule_answers import broken, finding, is_refutation, place

NAME = "claude-haiku-5-5"
SENTENCE = "Handlers check their input"
SETTINGS = f"""\
tier2:
  review: {{enabled: false}}
  customRules:
    - {SENTENCE}
    - {{id: short-names, message: "No single letters", severity: error, paths: ["*.py"]}}
    - {{id: of-docs, message: "Whole sentences", paths: ["docs/**"]}}
    - {{id: no-print, message: "No print", forbid: 'print\\('}}
"""
LEARNED = LearnedRule("0123456789ab", "use the log", provenance="#3 by ann")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """The model's service, and its key where a worker has it."""
    with FakeModel() as fake:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-worker")
        yield fake


@pytest.fixture
def change(repository: RealRepository) -> PullFacts:
    base = repository.commit("Start", {".github/assay.yml": SETTINGS, "shop.py": "x = 1\n"})
    repository.branch("claude/topic")
    head = repository.commit("Change", {"shop.py": "x = 1\nprint(x)\nd = 2\n"})
    return PullFacts(70, 7, "A change", "", Person("ada", 5), head, "claude/topic", base, "main")


def validated(
    change: PullFacts, repository: RealRepository, model: ConversingModel | None, *learned: LearnedRule
) -> ValidationReport:
    options = ValidationOptions(tiers=(Tier.quality,), learned_rules=learned)
    return validate_pull_request(change, repository.path, options, ValidationProcess(model=model))


@pytest.mark.soak
def test_the_worker_asks_for_the_validate_and_the_answer_is_in_the_report(
    change: PullFacts, repository: RealRepository, fake: FakeModel
):
    def answers(asked: Asked) -> Step:
        if is_refutation(asked):
            return broken(asked, "", place("shop.py", "d = 2"))
        assert "3. use the log" in asked.prompt, "rules of the repository and learned ones are one question"
        where = place("shop.py", "d = 2")
        return Says({"findings": [finding(2, where), finding(3, where, "d is not the log")]})

    fake.answers = answers
    with AnthropicModel(NAME) as model:
        report = validated(change, repository, model, LEARNED)
    found = {(one.rule, str(one.severity), one.line, one.tool): one.message for one in report.findings}
    assert found["repository_rules.short-names", "error", 3, "model"] == "No single letters: d says nothing"
    assert "use the log" in found["learned_rules.0123456789ab", "warning", 3, "model"]
    assert ("repository_rules.no-print", "warning", 2, None) in found
    assert not [one for one in report.not_checked if "rule" in one.what]
    assert len(fake.asked) == 3
    assert SENTENCE in fake.asked[0].prompt
    assert "head     3 +| d = 2" in fake.asked[0].prompt
    assert "Whole sentences" not in fake.asked[0].prompt, "it holds for no changed file"
    assert report.review is not None
    assert [one.split()[0] for one in report.review.prompts] == ["system", "rules", "refute"]


@pytest.mark.soak
def test_a_sentence_has_a_name_of_its_own(change: PullFacts, repository: RealRepository, fake: FakeModel):
    fake.answers = lambda asked: broken(asked, SENTENCE, place("shop.py", "print(x)"))
    with AnthropicModel(NAME) as model:
        report = validated(change, repository, model)
    (found,) = [one for one in report.findings if one.message.startswith(SENTENCE)]
    assert found.rule.startswith("repository_rules.words-")
    assert (str(found.severity), found.line) == ("warning", 2)


@pytest.mark.soak
def test_what_the_model_makes_up_does_not_count(change: PullFacts, repository: RealRepository, fake: FakeModel):
    lies = [
        finding(9, place("shop.py", "d = 2")),
        finding(1, place("cart.py", "d = 2")),
        finding(1, place("shop.py", "x = 1")),
        finding(1, place("shop.py", "d = 3")),
        finding(1, place("shop.py", "d = 2"), "it might be short"),
    ]
    fake.answers = lambda _: Says({"findings": lies})
    with AnthropicModel(NAME) as model:
        report = validated(change, repository, model)
    assert {one.rule for one in report.findings} == {"repository_rules.no-print"}
    assert report.review is not None
    assert {one.reason: one.count for one in report.review.dropped} == {
        "hedged": 1,
        "invalid": 1,
        "not_changed": 1,
        "quote_missing": 1,
        "unknown_file": 1,
    }


def unchecked(report: ValidationReport) -> dict[str, str]:
    return {one.what: one.why for one in report.not_checked if "rule" in one.what}


def test_without_a_model_each_is_named_as_not_checked(change: PullFacts, repository: RealRepository, fake: FakeModel):
    notes = unchecked(validated(change, repository, None, LEARNED))
    why = "a rule in words needs a model, and none is configured"
    assert notes[f"repository rule: {SENTENCE}"] == why
    assert notes["repository_rules.short-names"] == why
    assert any(NO_MODEL in why for why in notes.values())
    assert fake.asked == []


@pytest.mark.soak
@pytest.mark.parametrize("trouble", ["refused", "budget"])
def test_a_model_that_gives_no_answer_leaves_them_unchecked(
    change: PullFacts, repository: RealRepository, fake: FakeModel, trouble: str
):
    fake.answers = lambda _: Fails(401, "invalid x-api-key", kind="authentication_error")
    budget = Budget(max_calls=0) if trouble == "budget" else None
    with AnthropicModel(NAME, budget=budget) as model:
        notes = unchecked(validated(change, repository, model))
    assert notes["repository_rules.short-names"].startswith(NO_ANSWER)
    assert "sk-secret" not in json.dumps(notes)
    assert len(fake.asked) == (0 if trouble == "budget" else 1)


@pytest.mark.system
def test_the_key_is_in_no_process_that_validates(
    change: PullFacts, repository: RealRepository, fake: FakeModel, tmp_path: Path
):
    seen: list[bytes] = []

    def answers(asked: Asked) -> Step:
        # Meanwhile the validation waits: look into it.
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = Path("/proc", pid, "cmdline").read_bytes()
                if b"assay.validators.run.isolated_main" in line:
                    seen.append(line + Path("/proc", pid, "environ").read_bytes())
            except OSError:
                continue
        return Says({"findings": []})

    fake.answers = answers
    with AnthropicModel(NAME) as model:
        validated(change, repository, model)
    assert seen, "the validation was at work when the question came"
    assert all(b"sk-secret" not in one and b"ANTHROPIC" not in one for one in seen)


# ------------------------------------------------------------------ as the operator sets it


def settings(tmp_path: Path, **given: Any) -> Any:
    return read_settings(data_dir=tmp_path, webhook_secret="x" * 32, **given)


def test_none_is_asked_unless_the_operator_names_one(tmp_path: Path, fake: FakeModel):
    assert ReviewModel(settings(tmp_path)).of(date(2026, 11, 22)) is None


def test_the_budget_is_one_days(tmp_path: Path, fake: FakeModel):
    reader = ReviewModel(settings(tmp_path, review_model=NAME, review_budget_usd=2.5))
    first = reader.of(date(2026, 11, 22))
    assert isinstance(first, AnthropicModel)
    assert (first.name, first.budget.max_usd) == (NAME, 2.5)
    assert reader.of(date(2026, 11, 22)) is first
    assert reader.of(date(2026, 11, 23)) is not first


def test_without_its_key_the_log_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    assert ReviewModel(settings(tmp_path, review_model=NAME)).of(date(2026, 11, 22)) is None
    assert NO_REVIEW_MODEL in caplog.text


@pytest.mark.soak
@pytest.mark.timeout(240)
def test_the_app_as_it_is_run_shows_what_the_model_found(
    github: FakeGitHub, repository: RealRepository, tmp_path: Path, fake: FakeModel
):
    fake.answers = lambda asked: broken(asked, "No single letters", place("shop.py", "d = 2"))
    surroundings = environment_for(github, tmp_path / "app", review_model=NAME)
    process = AppProcess("serve", surroundings, tmp_path / "app.log")
    process.start()
    try:
        github.deliver_to(f"{wait_ready(surroundings, process)}/webhooks/github")
        github.create_repository("shop")
        repository.commit("Start", {".github/assay.yml": SETTINGS, "shop.py": "x = 1\n"})
        github.push(repository, "main")
        repository.branch("change")
        head = repository.commit("Change", {"shop.py": "x = 1\nd = 2\n"})
        github.push(repository, "change")
        github.open_pull("change")

        def judged() -> list[Any]:
            """The runs with a verdict; one that began before the push of main was processed is cancelled."""
            runs = github.check_runs(head, name="Assay")
            return [one for one in runs if one["conclusion"] not in (None, "cancelled")]

        github.wait(judged, timeout_s=90)
        (run,) = judged()
        assert "No single letters: d says nothing" in f"{run['output']['text']} {run['annotations']}"
        github.settled(timeout_s=30)
    finally:
        github.deliver_to(None)
        process.close()
