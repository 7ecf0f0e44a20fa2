"""Two rules that say the same become one: what either was asked for counts, and what is like either later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from assay.github_app.learning.handout.delivery import rules_for
from assay.github_app.learning.job import reader_for
from assay.github_app.learning.match.comparing import Found, Reader
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide
from assay.github_app.learning.rules.exchanging import export_rules, import_rules
from assay.github_app.learning.rules.joining import join, may_join
from assay.github_app.learning.rules.learned import REJECTED
from assay.github_app.learning.rules.listing import list_candidates, show_rule
from assay.github_app.learning.rules.quorum import update_state
from assay.github_app.ops.settings import Settings
from assay.github_app.store import QUORUM, CommentRow, RuleChange, RuleRow, RuleState
from assay.llm import KeptAnswers
from assay.validators import Learning
from tests.fakes.model import FakeModel, Says
from tests.github_app.learning.village import ID, NO_ANY, READER, Village
from tests.github_app.remembering import after

SCOPED = "Every database query must be scoped to the tenant."
TENANT = "Please filter by tenant id in all queries."
"""The same, which the comparison does not recognise."""
TENANT_AGAIN = "Please filter by the tenant id here in all queries!"
"""Recognised as `TENANT`, and not as `SCOPED`."""
RETRY = "Please wrap external calls in the retry helper."
RETRY_AGAIN = "Wrap external calls in the retry helper, please."
LATER = after(days=1)


def taught(village: Village, login: str, number: int, body: str) -> str:
    """A comment begins a rule; its id."""
    done = village.says(login, number, body)
    assert done.is_new
    assert done.rule_id is not None
    return done.rule_id


def joined(village: Village, rule_id: str, into: str) -> bool:
    return join(village.store, (ID, rule_id), into, LATER, by="olivia", settings=village.settings).is_news


def row(village: Village, rule_id: str) -> RuleRow:
    found = village.store.rules.get(ID, rule_id)
    assert found is not None
    return found


@pytest.fixture
def two(everywhere: Village) -> tuple[Village, str, str]:
    """A rule that a maintainer confirmed, and a paraphrase of it that waits."""
    everywhere.settings = Learning()
    into, other = taught(everywhere, "mary", 10, SCOPED), taught(everywhere, "bo", 15, TENANT)
    decide(everywhere.store, (ID, into), Decision.accept, after(hours=16), by="olivia")
    return everywhere, into, other


def test_a_joined_rule_s_comments_and_later_ones_like_it_count_for_the_other(two: tuple[Village, str, str]):
    village, into, other = two
    assert village.says("cy", 12, TENANT_AGAIN, comment_id=50).rule_id == other, "the comparison tells them apart"
    assert joined(village, other, into)
    assert not joined(village, other, into), "and once is enough"
    assert (row(village, other).state, row(village, other).joined_into) == (RuleState.joined, into)
    assert [one.number for one in village.store.rules.sources(ID, into)] == [10, 12, 15]
    assert village.store.rules.sources(ID, other) == ()
    assert [(one.rule_id, one.number) for one in village.store.rules.matches(ID)] == [(into, 12), (into, 15)]
    again = village.says("cy", 20, TENANT_AGAIN, after(days=2))
    assert (again.rule_id, again.is_new, again.is_repeat) == (into, False, True)
    assert village.repeats() == [12, 15, 20]
    assert [one.what for one in village.store.rules.audit(ID, other)][-1] is RuleChange.joined
    (told,) = (one for one in village.store.rules.audit(ID, into) if one.what is RuleChange.joined)
    assert (told.by, dict(told.data)) == ("olivia", {"rule_id": other, "num_sources": 2})


def test_an_edited_or_deleted_comment_withdraws_from_the_rule_it_counts_for(two: tuple[Village, str, str]):
    village, into, other = two
    joined(village, other, into)
    village.says("cy", 20, TENANT_AGAIN, after(days=2), comment_id=60)
    village.says("cy", 20, "Thank you!", after(days=3), comment_id=60)
    assert village.repeats() == [15]
    first = village.store.rules.sources(ID, into)[-1].comment_id
    village.says("bo", 15, "", after(days=3), comment_id=first, is_deleted=True)
    assert village.repeats() == []
    assert row(village, other).state is RuleState.joined, "its wording stays"
    village.says("cy", 21, TENANT_AGAIN, after(days=4))
    assert village.repeats() == [21]


@dataclass
class LateReader:
    """Reader that is done after something else has happened, with an answer of before."""

    found: Callable[[Found], Found]
    meanwhile: Callable[[], object]

    def read(self, comment: CommentRow, known: Sequence[RuleRow], threshold: float | None = None) -> Found:
        found = READER.read(comment, known, threshold)
        self.meanwhile()
        return self.found(found)


@pytest.mark.parametrize("is_recognised", [True, False])
def test_a_comment_read_while_its_rule_is_joined_counts_for_the_other(
    two: tuple[Village, str, str], is_recognised: bool
):
    """Also the comment that began the rule, where it is not recognised as its own."""
    village, into, other = two
    first = village.store.rules.sources(ID, other)[0].comment_id
    answer = (lambda found: found) if is_recognised else (lambda found: Found(found.rule))
    village.reader = cast("Reader", LateReader(answer, lambda: joined(village, other, into)))
    assert village.says("bo", 15, TENANT, after(days=2), comment_id=first).rule_id == into
    assert village.store.rules.sources(ID, other) == ()
    update_state(village.store, (ID, other), LATER, village.settings)
    assert row(village, other).state is RuleState.joined


def test_the_reader_names_the_rule_a_wording_was_joined_into(two: tuple[Village, str, str]):
    village, into, other = two
    joined(village, other, into)
    comment, known = village.comment("cy", 20, TENANT_AGAIN), village.store.rules.of(ID)
    found = READER.read(comment, known)
    assert found.same is not None
    assert found.same.rule_id == into
    assert READER.read(comment, [one for one in known if one.rule_id != into]).same is None


def test_a_joined_rule_is_neither_delivered_nor_listed_exported_or_imported(two: tuple[Village, str, str]):
    village, into, other = two
    joined(village, other, into)
    states = tuple(RuleState)
    document = export_rules(village.store, ID, "octo/shop", LATER, states)
    assert [one["rule_id"] for one in document["rules"]] == [into]
    assert list_candidates(village.store, ID) == []
    assert [one.rule_id for one in rules_for(village.store, ID, [], how="api")[0]] == [into]
    shown, of_other = show_rule(village.store, ID, into), show_rule(village.store, ID, other)
    assert shown is not None
    assert of_other is not None
    assert [one["rule_id"] for one in shown["also_worded_as"]] == [other]
    assert of_other["joined_into"] == into
    assert may_join(row(village, other), village.store.rules.of(ID)) == []


def test_a_rule_of_a_file_that_is_known_as_another_wording_is_not_imported(two: tuple[Village, str, str]):
    village, into, other = two
    told = export_rules(village.store, ID, "octo/shop", LATER, [RuleState.pending])
    joined(village, other, into)
    done = import_rules(village.store, ID, json.dumps(told).encode(), LATER, by="operator ada")
    assert (done.new, done.num_known) == ((), 1)


def test_two_halves_of_a_quorum_confirm_the_rule_they_are_joined_in(village: Village):
    into, other = taught(village, "mary", 10, SCOPED), taught(village, "bo", 15, TENANT)
    joined(village, other, into)
    assert (row(village, into).state, row(village, into).confirmed_by) == (RuleState.confirmed, QUORUM)


def test_what_had_expired_is_no_vote_and_what_is_joined_into_it_brings_it_back(village: Village):
    into, other = taught(village, "mary", 10, SCOPED), taught(village, "bo", 15, TENANT)
    village.store.rules.expire_due(after(hours=11, days=30))
    assert row(village, into).state is RuleState.expired
    joined(village, other, into)
    assert row(village, into).state is RuleState.pending, "mary's comment expired, so that bo's is no quorum"
    assert [one.counts for one in village.store.rules.sources(ID, into)] == [False, True]
    assert village.repeats() == [15]


def test_the_comments_of_an_expired_rule_prove_a_repeat_and_are_no_votes(village: Village):
    other = taught(village, "bo", 10, TENANT)
    village.store.rules.expire_due(after(hours=11, days=30))
    into = taught(village, "mary", 2000, SCOPED)
    joined(village, other, into)
    assert (row(village, into).state, village.repeats()) == (RuleState.pending, [2000])


def test_a_rule_that_waits_lasts_as_long_as_what_is_joined_into_it(village: Village):
    village.settings = Learning()
    into, other = taught(village, "mary", 10, SCOPED), taught(village, "bo", 300, TENANT)
    until = row(village, other).expires_at
    joined(village, other, into)
    assert row(village, into).expires_at == until
    assert row(village, other).expires_at is None
    assert village.store.rules.expire_due(after(days=400)) == ((ID, into),)
    village.says("cy", 30, TENANT_AGAIN, after(days=401))
    assert row(village, into).state is RuleState.pending


def test_rules_joined_into_a_rule_that_is_joined_move_with_it_and_with_their_purge(village: Village):
    village.settings = Learning()
    first, second, third = (
        taught(village, *said) for said in (("mary", 10, SCOPED), ("bo", 15, TENANT), ("cy", 20, RETRY))
    )
    joined(village, first, second)
    joined(village, second, third)
    assert {one.rule_id: one.joined_into for one in village.store.rules.of(ID)} == {
        first: third,
        second: third,
        third: None,
    }
    decide(village.store, (ID, third), Decision.purge, LATER, by="olivia")
    assert village.rules() == {}
    assert {village.store.rules.audit(ID, one)[-1].what for one in (first, second, third)} == {RuleChange.purged}
    assert village.says("cy", 30, TENANT_AGAIN, after(days=2)).is_new


def test_a_rule_whose_comments_are_gone_goes_with_its_wordings(village: Village):
    village.settings = Learning()
    into, other = taught(village, "mary", 10, SCOPED), taught(village, "bo", 15, TENANT)
    joined(village, other, into)
    for one in village.store.rules.sources(ID, into):
        village.says(one.reviewer, one.number, "", LATER, comment_id=one.comment_id, is_deleted=True)
    assert village.rules() == {}


def test_what_is_like_a_rejected_rule_s_other_wording_is_ignored(two: tuple[Village, str, str]):
    village, into, other = two
    joined(village, other, into)
    decide(village.store, (ID, into), Decision.reject, LATER, by="olivia")
    done = village.says("cy", 20, TENANT_AGAIN, after(days=2))
    assert (done.rule_id, done.why) == (into, REJECTED)


def test_a_rejected_rule_may_be_joined_and_counts_from_then_on(two: tuple[Village, str, str]):
    village, into, other = two
    decide(village.store, (ID, other), Decision.reject, LATER, by="olivia")
    assert village.says("cy", 20, TENANT_AGAIN, after(days=2)).why == REJECTED
    joined(village, other, into)
    assert village.says("cy", 21, TENANT_AGAIN, after(days=3)).is_repeat
    assert village.repeats() == [15, 21]


@pytest.mark.parametrize("decision", [Decision.accept, Decision.reject])
def test_a_decision_about_a_joined_rule_splits_it_off(two: tuple[Village, str, str], decision: Decision):
    village, into, other = two
    joined(village, other, into)
    assert decide(village.store, (ID, other), decision, LATER, by="olivia").is_news
    state = RuleState.confirmed if decision is Decision.accept else RuleState.rejected
    assert (row(village, other).state, row(village, other).joined_into) == (state, None)
    assert [one.number for one in village.store.rules.sources(ID, into)] == [10, 15], "its comments stay"
    done = village.says("cy", 20, TENANT_AGAIN, after(days=2))
    assert (done.rule_id, done.is_repeat) == (other, False)


def test_a_candidate_is_said_to_repeat_the_rule_that_the_one_it_resembles_was_joined_into(village: Village):
    village.settings = Learning()
    into, other = taught(village, "mary", 10, SCOPED), taught(village, "bo", 15, TENANT)
    assert [one["rule_id"] for one in _like(village, other)] == [into]
    third = taught(village, "cy", 20, RETRY)
    joined(village, into, third)
    assert [one["rule_id"] for one in _like(village, other)] == [third]
    assert third not in [one["rule_id"] for one in _like(village, third)], "not itself, by the one joined into it"


def test_a_new_candidate_names_the_rule_instead_of_its_other_wording(village: Village):
    village.settings = Learning()
    other, into = taught(village, "mary", 10, SCOPED), taught(village, "cy", 20, RETRY)
    joined(village, other, into)
    found = row(village, taught(village, "bo", 30, TENANT)).canonical["like"]
    assert [one["rule_id"] for one in found] == [into]
    assert found[0]["score"] > 0.5, "by the other wording, which is more like it"


def _like(village: Village, rule_id: str) -> list[dict[str, str]]:
    shown = show_rule(village.store, ID, rule_id)
    assert shown is not None
    found: list[dict[str, str]] = shown["like"]
    return found


# ------------------------------------------------------------------ refusals


def test_what_cannot_be_joined_is_refused_and_nothing_changes(village: Village):
    village.settings = Learning()
    into, other = taught(village, "mary", 10, SCOPED), taught(village, "bo", 15, TENANT)
    third = taught(village, "cy", 20, RETRY)
    smelly = taught(village, "mary", 21, "Always pass `flags` when you commit. <!-- x -->")
    python = taught(village, "mary", 22, "Please send calls to other services through `retried`.")
    village.store.rules.put_pending(ID, "e" * 12, "Rule: x", {}, LATER, key="e", polarity="do", language="python")
    joined(village, other, into)
    decide(village.store, (ID, python), Decision.reject, LATER, by="olivia")
    before = [(one.rule_id, one.state, one.joined_into) for one in village.store.rules.of(ID)]
    for rule_id, target, code in (
        ("0" * 12, into, "rule.unknown"),
        (into, "0" * 12, "rule.unknown"),
        (into, into, "rule.same"),
        (third, other, "rule.joined"),
        (other, third, "rule.joined"),
        (third, python, "rule.state"),
        (third, smelly, "rule.state"),
        (smelly, into, "rule.state"),
        ("e" * 12, into, "rule.language"),
    ):
        with pytest.raises(CannotDecide) as refused:
            joined(village, rule_id, target)
        assert refused.value.code == code, (rule_id, target)
    assert [(one.rule_id, one.state, one.joined_into) for one in village.store.rules.of(ID)] == before


def test_a_rule_in_force_is_not_joined_into_one_that_is_not(two: tuple[Village, str, str]):
    village, into, other = two
    with pytest.raises(CannotDecide, match=r"rule\.state"):
        joined(village, into, other)
    decide(village.store, (ID, other), Decision.accept, LATER, by="olivia")
    assert joined(village, into, other)


# ------------------------------------------------------------------ by a model


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """A model that says what a test tells it to."""
    with FakeModel() as fake:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        yield fake


def test_a_model_is_shown_each_wording_and_its_choice_counts_for_the_rule(
    village: Village, model: FakeModel, tmp_path: Path
):
    village.settings = Learning()
    into, other = taught(village, "mary", 10, SCOPED), taught(village, "bo", 15, TENANT)
    joined(village, other, into)
    village.reader = reader_for(Settings(data_dir=tmp_path, learning_model="claude-haiku-5-5"))
    prompts = []

    def choose(request: object) -> Says:
        prompt = str(getattr(request, "prompt", ""))
        prompts.append(prompt)
        number = next(int(line[0]) for line in prompt.splitlines() if "Filter by tenant id" in line and ". " in line)
        quotation = "filter queries by tenant id"
        return Says({"kind": "known_rule", "number": number, "quotation": quotation, "rule": ""})

    model.answers = choose
    found = village.reader.read(village.comment("cy", 19, TENANT_AGAIN), village.store.rules.of(ID))
    assert found.same is not None
    assert found.same.rule_id == into
    done = village.says("cy", 20, TENANT_AGAIN, LATER)
    assert (done.rule_id, done.is_repeat) == (into, True)
    assert "scoped to the tenant" in prompts[0]
    assert isinstance(village.reader.model, KeptAnswers)
    village.reader.model.close()


def test_unrelated_rules_stay_what_they_are(two: tuple[Village, str, str]):
    village, into, other = two
    unrelated = taught(village, "mary", 30, NO_ANY)
    joined(village, other, into)
    assert village.says("bo", 40, NO_ANY, after(days=3)).rule_id == unrelated
