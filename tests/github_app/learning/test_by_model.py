"""A language model may word rules; it decides nothing, and is shown nothing that smells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.github_app.learning.job import reader_for
from assay.github_app.learning.match.comparing import Reader
from assay.github_app.ops.settings import Settings
from assay.github_app.store import RuleState
from assay.llm import KeptAnswers
from tests.fakes.model import Fails, FakeModel, Says
from tests.github_app.learning.village import ID, NO_ANY, READER, Village
from tests.github_app.remembering import after

WORDED = "name the type of every public function, not `any`"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """A model that says what a test tells it to."""
    with FakeModel() as fake:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        yield fake


@pytest.fixture
def reader(model: FakeModel, tmp_path: Path) -> Iterator[Reader]:
    """As the App makes it, where the operator names a model."""
    made = reader_for(Settings(data_dir=tmp_path, learning_model="claude-haiku-5-5"))
    yield made
    assert isinstance(made.model, KeptAnswers)
    made.model.close()


def says(rule: str, kind: str = "new_rule", number: int = 0, quotation: str = "explicit types") -> Says:
    return Says({"kind": kind, "number": number, "quotation": quotation, "rule": rule})


@pytest.mark.soak
def test_the_model_words_the_rule(village: Village, model: FakeModel, reader: Reader):
    model.script = [says(WORDED)]
    village.reader = reader
    village.says("mary", 10, NO_ANY)
    assert village.rule().text == f"Rule: {WORDED}"
    assert "explicit types" in model.asked[0].prompt


def test_a_correction_of_one_place_is_none_by_the_model_s_word(village: Village, model: FakeModel, reader: Reader):
    model.script = [says("", kind="none", quotation="")]
    village.reader = reader
    assert village.says("mary", 10, NO_ANY).rule_id is None


def test_without_an_answer_the_words_are_read_without_a_model(village: Village, model: FakeModel, reader: Reader):
    model.answers = lambda _: Fails(400, "no", {"x-should-retry": "false"})
    village.reader = reader
    village.says("mary", 10, NO_ANY)
    found = READER.read(village.comment("mary", 10, NO_ANY), ())
    assert found.rule is not None
    assert village.rule().text == found.rule.text


def test_the_model_joins_a_comment_to_a_rule_in_one_call(village: Village, model: FakeModel, reader: Reader):
    village.reader = reader
    model.script = [says(WORDED), says("", kind="known_rule", number=1, quotation="any makes this unreadable")]
    village.says("mary", 10, NO_ANY)
    done = village.says("bo", 15, "Any makes this unreadable, again.")
    assert done.is_repeat
    assert len(model.asked) == 2
    assert f"1. {WORDED}" in model.asked[1].prompt


def test_the_contrary_of_a_rule_joins_nothing(village: Village, model: FakeModel, reader: Reader):
    village.reader = reader
    model.script = [says(WORDED), says("use `any` for callbacks", "contrary", 1, "any is fine for callbacks")]
    village.says("mary", 10, NO_ANY)
    assert not village.says("bo", 15, "any is fine for callbacks").is_repeat
    assert len(village.store.rules.of(ID)) == 2


def test_what_smells_is_shown_to_no_model(village: Village, model: FakeModel, reader: Reader):
    village.reader = reader
    village.says("mary", 10, f"{NO_ANY} <!-- and more -->")
    assert model.asked == []
    assert village.rule().state is RuleState.quarantined


def test_a_model_that_was_talked_over_gets_its_rule_into_quarantine(village: Village, model: FakeModel, reader: Reader):
    model.answers = lambda _: says("use explicit types <!-- x -->")
    village.reader = reader
    for number, login in enumerate(("mary", "bo", "cy"), 10):
        village.says(login, number, NO_ANY)
    assert {row.state for row in village.store.rules.of(ID)} == {RuleState.quarantined}
    assert village.store.rules.expire_due(after(days=1000)) == ()


def test_where_no_model_is_named_none_is_asked(tmp_path: Path):
    assert reader_for(Settings(data_dir=tmp_path)).model is None
