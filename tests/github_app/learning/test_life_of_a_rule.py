"""A comment becomes a rule that waits, a rule that holds, and one that is over."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from assay.github.client import Permission
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide
from assay.github_app.learning.rules.learned import PURGED, REJECTED
from assay.github_app.learning.rules.listing import list_candidates
from assay.github_app.learning.rules.quorum import QUORUM_LOST
from assay.github_app.store import QUORUM, RuleChange, RuleState
from assay.validators import Learning
from tests.github_app.learning.village import EARLY, ID, NO_ANY, NO_ANY_AGAIN, Village
from tests.github_app.remembering import after

SECRETIVE = "Always wrap `hunter2zz` calls in a transaction."


def test_one_comment_waits_and_a_second_reviewer_on_another_pull_request_confirms_it(everywhere: Village):
    first = everywhere.says("mary", 10, NO_ANY)
    assert (first.is_new, first.is_repeat) == (True, False)
    rule = everywhere.rule()
    assert (rule.state, rule.rule_id, rule.expires_at) == (RuleState.pending, first.rule_id, after(hours=10, days=30))
    assert rule.text == "Rule: Use explicit types instead of `any`"
    second = everywhere.says("bo", 15, NO_ANY_AGAIN)
    assert (second.rule_id, second.is_new, second.is_repeat) == (first.rule_id, False, True)
    rule = everywhere.rule()
    assert (rule.state, rule.confirmed_by, rule.confirmed_at) == (RuleState.confirmed, QUORUM, after(hours=15))
    assert rule.expires_at == after(hours=15, days=365)
    assert [one.what for one in everywhere.store.rules.audit(ID, rule.rule_id)] == [
        RuleChange.learned,
        RuleChange.said_again,
        RuleChange.said_again,
        RuleChange.confirmed,
        RuleChange.repeated,
    ]


@pytest.mark.parametrize(
    ("login", "number"), [("mary", 15), ("bo", 10), ("mary", 10)], ids=["same person", "same pull request", "both"]
)
def test_one_person_or_one_pull_request_is_no_quorum(village: Village, login: str, number: int):
    village.says("mary", 10, NO_ANY)
    village.says(login, number, NO_ANY_AGAIN, after(hours=20))
    assert village.rule().state is RuleState.pending


def test_how_like_two_comments_must_be_can_be_set(village: Village):
    told = "Please pass the tenant to every query."
    village.settings = Learning(threshold=1.0)
    village.says("mary", 10, told)
    village.says("bo", 15, "Please pass the tenant to this query too.")
    assert len(village.store.rules.of(ID)) == 2
    village.says("bo", 15, told)
    assert village.repeats() == [15]


def test_the_same_comment_again_changes_nothing(village: Village):
    row = village.comment("mary", 10, NO_ANY)
    told = [village.learn(row).rule_id for _ in range(3)]
    assert len(set(told)) == 1
    log = len(village.store.rules.audit(ID))
    village.learn(row)
    assert len(village.store.rules.audit(ID)) == log
    assert len(village.store.rules.sources_in(ID)) == 1


@pytest.mark.soak
def test_the_order_in_which_comments_arrive_does_not_matter(sqlite_url: str, tmp_path_factory: pytest.TempPathFactory):
    from assay.github_app.store import Store

    said = [("mary", 10, NO_ANY, 1), ("bo", 15, NO_ANY_AGAIN, 2), ("cy", 20, NO_ANY, 3)]
    seen = []
    for number, order in enumerate(permutations(said)):
        url = f"sqlite:///{tmp_path_factory.mktemp('order') / f'{number}.sqlite'}"
        with Store.open(url) as store:
            village = Village(store)
            for login, pull, body, comment_id in order:
                village.says(login, pull, body, comment_id=comment_id)
            seen.append((village.repeats(), village.rule().state, village.rule().confirmed_by))
    assert set(map(str, seen)) == {str(([15, 20], RuleState.confirmed, QUORUM))}


# ------------------------------------------------------------------ who counts


@pytest.mark.parametrize(
    ("who", "why"),
    [
        ({"login": "ada"}, "the author of the pull request wrote it"),
        ({"login": "rick", "permission": Permission.read}, "its author may not write in this repository"),
        ({"login": "tria", "permission": Permission.triage}, "its author may not write in this repository"),
        ({"login": "zoe", "permission": Permission.none}, "its author may not write in this repository"),
        ({"login": "dependabot[bot]"}, "its author is a bot"),
        ({"login": "mary", "app_id": 7}, "its author is a bot"),
    ],
)
def test_who_may_not_teach_teaches_nothing(village: Village, who: dict[str, Any], why: str):
    login = str(who.pop("login"))
    done = village.says(login, 10, NO_ANY, **who)
    assert (done.rule_id, done.why) == (None, why)
    assert village.rules() == {}


@pytest.mark.parametrize(
    "body",
    [
        "Why do we need this?",
        "Nice work, thank you!",
        "LGTM",
        "/assay rule accept 0123456789ab",
        "Could you explain what this does?",
    ],
)
def test_questions_praise_and_commands_teach_nothing(village: Village, body: str):
    assert village.says("mary", 10, body).rule_id is None
    assert village.rules() == {}


# ------------------------------------------------------------------ edited and deleted


def test_a_deleted_comment_takes_its_rule_with_it_and_the_words_are_gone(village: Village):
    done = village.says("mary", 10, NO_ANY, comment_id=1)
    village.says("mary", 10, "", after(hours=30), comment_id=1, is_deleted=True)
    assert village.rules() == {}
    assert done.rule_id is not None
    assert [one.what for one in village.store.rules.audit(ID, done.rule_id)][-1] is RuleChange.purged


def test_an_edited_comment_teaches_what_it_says_now(village: Village):
    village.says("mary", 10, NO_ANY, comment_id=1)
    village.says("mary", 10, EARLY, after(hours=30), comment_id=1)
    (text,) = village.rules()
    assert "Return early" in text
    village.says("mary", 10, NO_ANY, after(hours=40), comment_id=1)
    (text,) = village.rules()
    assert "explicit types" in text


def test_a_quorum_that_is_taken_back_is_none(village: Village):
    village.says("mary", 10, NO_ANY, comment_id=1)
    village.says("bo", 15, NO_ANY_AGAIN, comment_id=2)
    assert village.rule().state is RuleState.confirmed
    village.says("bo", 15, "Thank you!", after(hours=30), comment_id=2)
    rule = village.rule()
    assert (rule.state, rule.why, village.repeats()) == (RuleState.pending, QUORUM_LOST, [])


def test_what_a_maintainer_accepted_stands_without_its_comments(village: Village):
    done = village.says("mary", 10, NO_ANY, comment_id=1)
    assert done.rule_id is not None
    decide(village.store, (ID, done.rule_id), Decision.accept, after(), by="olivia")
    village.says("mary", 10, "", after(hours=30), comment_id=1, is_deleted=True)
    assert (village.rule().state, village.rule().confirmed_by) == (RuleState.confirmed, "olivia")


# ------------------------------------------------------------------ who confirms


def test_a_quorum_proposes_and_a_maintainer_confirms(village: Village):
    village.settings = Learning()
    village.says("mary", 10, EARLY)
    for login, number in (("mary", 11), ("bo", 15), ("cy", 20)):
        village.says(login, number, NO_ANY)
    assert {row.state for row in village.store.rules.of(ID)} == {RuleState.pending}
    first, second = list_candidates(village.store, ID)
    assert (first["num_pulls"], first["num_reviewers"], second["num_pulls"]) == (3, 3, 1)
    decide(village.store, (ID, first["rule_id"]), Decision.accept, after(), by="olivia")
    assert [one["rule_id"] for one in list_candidates(village.store, ID)] == [second["rule_id"]]


# ------------------------------------------------------------------ expiry


def test_a_rule_nobody_confirms_expires_and_one_that_holds_lives_a_year(village: Village):
    village.says("mary", 10, NO_ANY)
    expire = village.store.rules.expire_due
    assert expire(after(hours=9, days=30)) == ()
    assert expire(after(hours=10, days=30)) == ((ID, village.rule().rule_id),)
    assert village.rule().state is RuleState.expired
    village.says("bo", 15, NO_ANY_AGAIN, after(days=40))
    assert village.rule().state is RuleState.pending, "what expired is proof, and no vote"
    assert village.repeats() == [15]
    village.says("cy", 20, NO_ANY, after(days=41))
    assert village.rule().state is RuleState.confirmed
    assert expire(after(days=41 + 364)) == ()
    assert len(expire(after(days=41 + 365))) == 1


def test_a_rule_that_goes_on_being_said_lives_on(village: Village):
    for login, number, day in (("mary", 10, 0), ("bo", 15, 1), ("cy", 20, 300)):
        village.says(login, number, NO_ANY, after(days=day))
    assert village.rule().expires_at == after(days=300 + 365)


# ------------------------------------------------------------------ what a maintainer decides


def test_a_rejected_rule_teaches_nothing_again(village: Village):
    done = village.says("mary", 10, NO_ANY)
    assert done.rule_id is not None
    place = (ID, done.rule_id)
    assert decide(village.store, place, Decision.reject, after(), by="olivia", why="we like any").is_news
    again = village.says("bo", 15, NO_ANY_AGAIN)
    assert (again.rule_id, again.is_repeat, again.why) == (done.rule_id, False, REJECTED)
    assert (village.rule().state, village.repeats()) == (RuleState.rejected, [])


def test_a_purged_rule_leaves_no_word_and_does_not_come_back_by_the_same_comment(everywhere: Village):
    done = everywhere.says("mary", 10, SECRETIVE, comment_id=1)
    assert done.rule_id is not None
    decide(everywhere.store, (ID, done.rule_id), Decision.purge, after(), by="olivia")
    assert everywhere.rules() == {}
    log = everywhere.store.rules.audit(ID, done.rule_id)
    assert (log[-1].what, log[-1].by, log[-1].comment) == (RuleChange.purged, "olivia", "line:1")
    assert "hunter2zz" not in repr(log)
    again = everywhere.says("mary", 10, SECRETIVE, after(hours=30), comment_id=1)
    assert (again.rule_id, again.why) == (None, PURGED)


def test_deciding_twice_is_deciding_once_and_a_rule_that_is_not_there_is_said_so(village: Village):
    done = village.says("mary", 10, NO_ANY)
    assert done.rule_id is not None
    place = (ID, done.rule_id)
    told = [decide(village.store, place, Decision.accept, after(), by="olivia", key="k").is_news for _ in range(2)]
    assert told == [True, False]
    with pytest.raises(CannotDecide, match=r"rule\.unknown"):
        decide(village.store, (ID, "0" * 12), Decision.accept, after(), by="olivia")


def test_what_a_reviewer_said_on_number_ten_comes_back_on_number_fifteen_in_other_words(village: Village):
    village.says("mary", 10, "don\N{RIGHT SINGLE QUOTATION MARK}t use any types")
    done = village.says("mary", 15, "please use proper TypeScript types instead of any")
    assert done.is_repeat
    assert village.rule().state is RuleState.pending, "one person is no quorum, and it is a repeat all the same"
