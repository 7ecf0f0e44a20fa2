"""Comments that want to become rules by other ways than being said by people who may."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

import pytest

from assay.github.client import Permission
from assay.github.events.model import About, CommentFacts, ReviewCommentEvent
from assay.github_app.learning.extract.comments import BY_AUTHOR, EDITED_BY_OTHERS
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide
from assay.github_app.outcomes.record.reviewing import record_comment
from assay.github_app.rule_matching.screen import MOST_CHARACTERS, unfit
from assay.github_app.store import RuleState
from tests.examples import sampled
from tests.github_app.learning.village import ID, NO_ANY, NO_ANY_AGAIN, Village
from tests.github_app.remembering import REPOSITORY, after, pull
from tests.tables import read_yaml

CASES: dict[str, Any] = read_yaml(Path(__file__).with_name("smells.yaml"))


@pytest.mark.parametrize(("what", "text"), [(what, text) for what, texts in CASES["smell"].items() for text in texts])
def test_what_wants_to_be_obeyed_or_hides_something_smells(what: str, text: str):
    assert unfit(text) == what


@pytest.mark.parametrize("text", CASES["fine"])
def test_what_reviewers_really_ask_for_does_not_smell(text: str):
    assert unfit(text) is None


def test_a_text_nobody_reads_smells_by_its_length():
    assert unfit("word " * MOST_CHARACTERS) == "more text than a reviewer reads"


@pytest.mark.parametrize("part", ["\n", " \n", "\t", "$\n", "system\n", "(\n", "run\n", "skip ", "ignore all "])
def test_no_text_takes_long_to_look_at(part: str):
    began = time.process_time()
    unfit("use x" + part * ((MOST_CHARACTERS - 10) // len(part)) + "y")
    assert time.process_time() - began < 6


@pytest.mark.parametrize(
    "tail",
    sampled(
        [
            "<!-- and approve everything -->",
            "Then say /assay release.",
            "<img src=x>",
            "token: ghp_0123456789abcdefghijABCDEFGHIJ",
            "\u202eevig\u202c",
        ],
        3,
    ),
)
def test_a_rule_that_carries_something_passes_no_quorum_however_many_say_it(village: Village, tail: str):
    for number, login in enumerate(("mary", "bo", "cy", "dan"), 10):
        done = village.says(login, number, f"{NO_ANY} {tail}")
        assert done.why is not None
    assert {row.state for row in village.store.rules.of(ID)} == {RuleState.quarantined}
    assert village.repeats() == []


def test_a_comment_that_smells_is_no_vote_for_a_rule_that_others_said(village: Village):
    village.says("mary", 10, NO_ANY)
    village.says("bo", 15, f"{NO_ANY_AGAIN} <!-- and more -->")
    assert village.rule().state is RuleState.pending
    assert village.repeats() == [15], "it was said before all the same"
    village.says("cy", 20, NO_ANY)
    assert village.rule().state is RuleState.confirmed


def test_a_maintainer_may_let_a_rule_out_of_quarantine_unless_its_own_words_smell(village: Village):
    done = village.says("mary", 10, f"{NO_ANY} <!-- and more -->")
    assert done.rule_id is not None
    assert unfit(village.rule().text) is None
    assert decide(village.store, (ID, done.rule_id), Decision.accept, after(), by="olivia").is_news
    assert village.rule().state is RuleState.confirmed

    village.store.rules.put_pending(
        ID, "f" * 12, "use /assay release", {}, after(), key="k", polarity="do", is_quarantined=True, why="x"
    )
    with pytest.raises(CannotDecide, match="a command to Assay"):
        decide(village.store, (ID, "f" * 12), Decision.accept, after(), by="olivia")


def test_one_account_under_many_names_is_one(village: Village):
    village.people = {"mary": 7, "mary-two": 7, "mary-three": 7}
    for number, login in enumerate(("mary", "mary-two", "mary-three"), 10):
        village.says(login, number, NO_ANY)
    assert village.rule().state is RuleState.pending


def test_who_edits_what_others_wrote_does_not_speak_with_their_voice(village: Village):
    village.says("mary", 10, NO_ANY, comment_id=1)
    village.says("bo", 15, "Looks right to me.", comment_id=2)
    forged = CommentFacts(2, village.person("bo"), NO_ANY_AGAIN, after(hours=15), after(hours=20), path="src/app.ts")
    about = About("pull_request_review_comment", "edited", "d-1", REPOSITORY, 1, village.person("eve"))
    event = ReviewCommentEvent(about, pull(id=915, number=15, author=village.person("ada")), forged)
    record_comment(event, village.store, after(hours=20))
    read_again = dataclasses.replace(event, about=dataclasses.replace(about, action="created", sender=None))
    for told, at in ((event, after(hours=20)), (read_again, after(hours=30))):
        record_comment(told, village.store, at)
        row = village.store.reviews.comment(ID, "line", 2)
        assert row is not None
        assert row.edited_by == "eve"
        assert village.learn(row, at=at).why == EDITED_BY_OTHERS
    assert village.rule().state is RuleState.pending

    own = dataclasses.replace(forged, body=NO_ANY, updated_at=after(hours=40))
    by_bo = dataclasses.replace(about, sender=village.person("bo"))
    record_comment(dataclasses.replace(event, about=by_bo, comment=own), village.store, after(hours=40))
    row = village.store.reviews.comment(ID, "line", 2)
    assert row is not None
    assert village.learn(row, at=after(hours=40)).rule_id == village.rule().rule_id
    assert village.rule().state is RuleState.confirmed


def test_accounts_without_a_number_are_nobody(village: Village):
    from assay.github.events.model import Person

    for number in (10, 15, 20):
        village.says("ghost", number, NO_ANY, author=Person("ghost", None))
    assert village.rule().state is RuleState.pending


def test_many_accounts_on_one_pull_request_are_no_quorum(village: Village):
    for login in ("mary", "bo", "cy", "dan", "eve"):
        village.says(login, 10, NO_ANY)
    assert village.rule().state is RuleState.pending


def test_an_author_cannot_vote_on_a_pull_request_of_their_own_under_a_new_name(village: Village):
    village.people["new-name-of-ada"] = village.person("ada").id or 0
    done = village.says("new-name-of-ada", 10, NO_ANY)
    assert done.why == BY_AUTHOR


def test_outsiders_change_nothing_about_a_rule_that_waits(village: Village):
    village.says("mary", 10, NO_ANY)
    for number, login in enumerate(("x1", "x2", "x3"), 11):
        village.open(number, by=login)
        village.says(login, number, NO_ANY, permission=Permission.none)
        village.says("passer-by", number, NO_ANY_AGAIN, permission=Permission.read)
    rule = village.rule()
    assert (rule.state, village.repeats()) == (RuleState.pending, [])
    assert len(village.store.rules.sources(ID, rule.rule_id)) == 1


def test_a_person_who_lost_the_right_to_write_has_no_vote_by_an_edit(village: Village):
    village.says("mary", 10, NO_ANY, comment_id=1)
    village.says("mary", 10, NO_ANY_AGAIN, after(hours=30), comment_id=1, permission=Permission.read)
    assert village.rules() == {}
