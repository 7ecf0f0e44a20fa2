"""Reviews on GitHub teach rules, and what was said before is answered in its thread: once, with proof."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from assay.github.authority import MAINTAINERS, WRITERS
from assay.github_app.learning.job import reader_for
from assay.github_app.learning.match.alerting import take_back_replies
from assay.github_app.learning.rules.deciding import Decision, decide
from assay.github_app.ops.settings import Settings
from assay.github_app.store import QUORUM, EventKind, RuleState, Store
from assay.llm import KeptAnswers
from tests.examples import sampled
from tests.fakes.model import FakeModel, Says
from tests.github_app.learning.street import Street
from tests.github_app.learning.village import EARLY, NO_ANY, NO_ANY_AGAIN
from tests.github_app.receiver import Receiver
from tests.github_app.rooms import Room


@pytest.fixture
def store(small_store: Store) -> Store:
    """One kind of database is enough for what is said on GitHub."""
    return small_store


@pytest.fixture
def street(room: Room) -> Street:
    """Nobody has said anything yet; a quorum confirms."""
    street = Street(room)
    street.configure("learning: {confirmedBy: quorum}\n")
    return street


def test_nothing_is_said_in_public_before_a_maintainer_confirms(room: Room):
    street = Street(room)
    first, second, third = street.room.number, street.open("two"), street.open("three")
    street.review(first, NO_ANY, by="mary")
    street.review(second, NO_ANY_AGAIN, by="bo")
    rule = street.rule()
    assert (rule.state, street.replies(second)) == (RuleState.pending, [])
    assert [one.number for one in street.store.rules.matches(street.room.repository_id)] == [second]
    decide(street.store, (street.room.repository_id, rule.rule_id), Decision.accept, datetime.now(UTC), by="olivia")
    street.review(third, NO_ANY, by="cy")
    assert (street.replies(second), len(street.replies(third))) == ([], 1)


def test_a_comment_waits_a_second_reviewer_confirms_and_whoever_repeats_it_is_shown_where_it_was_said(street: Street):
    first, second, third = (
        street.room.number,
        street.open("claude/two", body="Prompt-Version: v7"),
        street.open("three"),
    )
    street.review(first, NO_ANY, by="mary")
    assert (street.rule().state, street.replies(first)) == (RuleState.pending, [])

    root = street.review(second, NO_ANY_AGAIN, by="bo")
    rule = street.rule()
    assert (rule.state, rule.confirmed_by) == (RuleState.confirmed, QUORUM)
    (reply,) = street.replies(second)
    assert reply["in_reply_to_id"] == root
    for told in (
        f"[#{first}]",
        f"/pull/{first}#discussion_r",
        "`mary`",
        "1 earlier pull request",
        "`v7`",
        rule.rule_id,
    ):
        assert told in reply["body"]

    street.review(third, NO_ANY, by="cy")
    (last,) = street.replies(third)
    assert "2 earlier pull requests" in last["body"]
    assert "`mary`" in last["body"]
    assert "`bo`" in last["body"]
    matches = street.store.rules.matches(street.room.repository_id)
    assert [(one.number, one.num_pulls_before, one.reply_id) for one in matches] == [
        (second, 1, reply["id"]),
        (third, 2, last["id"]),
    ]
    logged = [
        one
        for one in street.store.events.of(street.room.repository_id, third)
        if one.kind == EventKind.mistake_repeated
    ]
    assert [one.data["rule_id"] for one in logged] == [rule.rule_id]
    assert rule.text not in json.dumps([dict(one.data) for one in logged])


@pytest.mark.soak
def test_a_dismissed_review_is_not_shown_to_the_model_again(street: Street, monkeypatch: pytest.MonkeyPatch):
    none = {"kind": "none", "number": 0, "quotation": "", "rule": ""}
    github = street.room.github
    with FakeModel(answers=lambda _: Says(none)) as model:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        settings = street.room.context.settings.model_dump()
        street.reader = reader_for(Settings(**{**settings, "learning_model": "claude-haiku-5-5"}))
        github.review(street.room.number, "REQUEST_CHANGES", "Please rename the counter, I would say.", [], by="mary")
        street.work()
        assert len(model.asked) == 1
        sent = next(one.payload for one in github.deliveries if one.event == "pull_request_review")
        github.send("pull_request_review", {**sent, "action": "dismissed"})
        street.work()
        assert len(street.room.queues.of("learn_comment")) == 2
        assert len(model.asked) == 1
        assert isinstance(street.reader.model, KeptAnswers)
        street.reader.model.close()


@pytest.mark.soak
def test_hearing_it_all_again_adds_nothing(street: Street):
    first, second = street.room.number, street.open("two")
    street.review(first, NO_ANY, by="mary")
    street.review(second, NO_ANY_AGAIN, by="bo")
    log = street.store.rules.audit(street.room.repository_id)
    street.hear_everything_again()
    assert len(street.replies(second)) == 1
    assert street.store.rules.audit(street.room.repository_id) == log
    assert len(street.store.rules.matches(street.room.repository_id)) == 1


@pytest.mark.soak
def test_a_reply_whose_answer_was_lost_is_found_again_and_not_repeated(street: Street):
    first, second = street.room.number, street.open("two")
    street.review(first, NO_ANY, by="mary")
    street.review(second, NO_ANY_AGAIN, by="bo")
    (match,) = street.store.rules.matches(street.room.repository_id)
    street.store.rules.replied(match.repository_id, match.thread, match.rule_id, 0)
    street.work_again()
    assert len(street.replies(second)) == 1
    (match,) = street.store.rules.matches(street.room.repository_id)
    assert match.reply_id == street.replies(second)[0]["id"]


@pytest.mark.soak
def test_somebody_elses_comment_with_our_marker_is_not_ours(street: Street):
    first, second = street.room.number, street.open("two")
    street.review(first, NO_ANY, by="mary")
    street.review(second, "<!-- assay:repeat line:1 -->", by="ada")
    street.review(second, NO_ANY_AGAIN, by="bo", line=2)
    assert len(street.replies(second)) == 1


@pytest.mark.soak
def test_the_same_thread_is_answered_once_however_often_it_is_said_there(street: Street):
    first, second = street.room.number, street.open("two")
    street.review(first, NO_ANY, by="mary")
    root = street.review(second, NO_ANY_AGAIN, by="bo")
    path = f"/repos/{street.room.full_name}/pulls/{second}/comments/{root}/replies"
    street.room.github.as_person("cy", "POST", path, {"body": NO_ANY})
    street.work()
    assert len(street.replies(second)) == 1


def test_a_second_thread_of_the_same_pull_request_is_not_told_the_same(street: Street):
    first, second, third = street.room.number, street.open("two"), street.open("three")
    street.review(first, NO_ANY, by="mary")
    street.review(second, NO_ANY_AGAIN, by="bo")
    root = street.review(third, NO_ANY, by="bo", line=1)
    street.review(third, NO_ANY, by="bo", line=2)
    street.review(third, NO_ANY, by="cy", line=2)
    street.work_again()
    (reply,) = street.replies(third)
    assert reply["in_reply_to_id"] == root
    matches = street.store.rules.matches(street.room.repository_id, number=third)
    assert [one.reply_id for one in matches] == [reply["id"], None, None]


@pytest.mark.soak
def test_a_comment_in_the_conversation_teaches_and_is_answered_there(street: Street):
    first, second = street.room.number, street.open("two")
    street.say(first, NO_ANY, by="mary")
    street.say(second, NO_ANY_AGAIN, by="bo")
    street.room.number = second
    (reply,) = [one for one in street.room.ours() if "assay:repeat" in one["body"]]
    assert f"/pull/{first}#issuecomment-" in reply["body"]


@pytest.mark.soak
def test_a_deleted_comment_takes_back_the_repeat_and_what_was_said_of_it(street: Street):
    first, second = street.room.number, street.open("two")
    said = street.review(first, NO_ANY, by="mary")
    street.review(second, NO_ANY_AGAIN, by="bo")
    street.change(said, "deleted")
    (reply,) = street.replies(second)
    assert "Withdrawn" in reply["body"]
    assert "explicit" not in reply["body"]
    assert street.store.rules.matches(street.room.repository_id) == ()
    assert street.rule().state is RuleState.pending


@pytest.mark.soak
def test_an_edited_comment_repeats_what_it_says_now(street: Street):
    first, second = street.room.number, street.open("two")
    street.review(first, EARLY, by="mary")
    said = street.review(second, NO_ANY, by="bo")
    assert street.replies(second) == []
    street.change(said, "edited", EARLY, by="bo")
    assert len(street.replies(second)) == 1
    assert len(street.store.rules.of(street.room.repository_id)) == 1


def test_who_may_not_write_teaches_nothing_and_a_forks_author_neither(street: Street):
    fork = street.room.github.fork("zoe")
    second = street.open("forked", by="zoe", from_fork=fork)
    for who in ("rick", "ada"):
        street.review(street.room.number, NO_ANY, by=who)
    street.review(second, NO_ANY, by="zoe")
    street.say(second, NO_ANY, by="rick")
    assert street.store.rules.of(street.room.repository_id) == ()
    street.review(street.room.number, NO_ANY, by="mary")
    street.review(second, NO_ANY, by="rick")
    street.review(second, NO_ANY, by="zoe")
    assert (street.rule().state, street.replies(second)) == (RuleState.pending, [])


def test_the_words_of_a_rule_reach_github_only_escaped(street: Street):
    first, second = street.room.number, street.open("two")
    body = "Never use `@octocat` or #1 or [x](y) in @octocat <b>names</b> | here."
    street.review(first, body, by="mary")
    street.review(second, body, by="bo")
    (reply,) = street.replies(second)
    assert "<b>" not in reply["body"]
    assert "[x](" not in reply["body"]
    assert " @octocat" not in reply["body"].replace("`@octocat`", "")


@pytest.mark.soak
def test_a_repository_that_wants_no_replies_gets_none_and_one_that_wants_no_learning_none_at_all(street: Street):
    first, second = street.room.number, street.open("two")
    street.room.repository.switch("main")
    for settings, num_rules in (("{repeatAlerts: none}", 1), ("{enabled: false}", 1)):
        street.room.repository.commit("Settings", {".github/assay.yml": f"learning: {settings}\n"})
        street.room.github.push(street.room.repository, "main")
        street.review(first, NO_ANY, by="mary")
        street.review(second, NO_ANY_AGAIN, by="bo")
        assert street.replies(second) == []
        assert len(street.store.rules.of(street.room.repository_id)) == num_rules
    street.review(first, EARLY, by="mary")
    assert len(street.store.rules.of(street.room.repository_id)) == 1


@pytest.mark.soak
def test_a_deleted_comment_takes_its_words_with_it_where_nothing_is_learned_any_more(street: Street):
    said = street.review(street.room.number, NO_ANY, by="mary")
    street.room.repository.switch("main")
    street.room.repository.commit("Settings", {".github/assay.yml": "learning: {enabled: false}\n"})
    street.room.github.push(street.room.repository, "main")
    street.change(said, "deleted")
    assert street.store.rules.of(street.room.repository_id) == ()


@pytest.mark.soak
def test_a_closed_pull_request_is_not_replied_to(street: Street):
    first, second = street.room.number, street.open("two")
    street.review(first, NO_ANY, by="mary")
    street.room.github.close_pull(second)
    street.work()
    street.review(second, NO_ANY_AGAIN, by="bo")
    assert street.replies(second) == []
    assert len(street.store.rules.matches(street.room.repository_id)) == 1


@pytest.mark.soak
def test_a_purged_rule_is_emptied_out_of_our_replies(street: Street):
    first, second = street.room.number, street.open("two")
    street.review(first, NO_ANY, by="mary")
    street.review(second, NO_ANY_AGAIN, by="bo")
    rule = street.rule()
    street.room.number = first
    assert MAINTAINERS in street.room.say("mary", f"/assay rule purge {rule.rule_id}")
    assert "purged" in street.room.say("mona", f"/assay rule purge {rule.rule_id}")
    assert take_back_replies(street.room.context, 1) == 1
    assert take_back_replies(street.room.context, 2) == 0
    (reply,) = street.replies(second)
    assert "explicit" not in reply["body"]


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
def test_the_operator_hears_of_a_mistake_that_keeps_coming_back_once(street: Street, receiver: Receiver):
    street.use(alert_urls=receiver.address)
    numbers = [street.room.number, *(street.open(name) for name in ("two", "three", "four", "five"))]
    for number, who in zip(numbers, ("mary", "bo", "cy", "mary", "bo"), strict=True):
        street.review(number, NO_ANY, by=who)
    assert len(street.store.rules.matches(street.room.repository_id)) == 4
    assert len(receiver.got) == 1
    assert "came back 3 times" in json.dumps(receiver.got[0])


def test_a_rule_handed_to_the_agent_and_broken_again_is_ineffective(street: Street):
    first, second, third = street.room.number, street.open("two"), street.open("three")
    street.review(first, NO_ANY, by="mary")
    street.review(second, NO_ANY_AGAIN, by="bo")
    rule, store = street.rule(), street.store
    assert not rule.is_ineffective
    store.rules.handed_out(street.room.repository_id, [rule.rule_id], "mcp", rule.created_at, number=third)
    street.review(third, NO_ANY, by="cy")
    assert street.rule().is_ineffective
    assert "ineffective" in street.replies(third)[0]["body"]
    assert [one.is_after_handout for one in store.rules.matches(street.room.repository_id)] == [False, True]


# ------------------------------------------------------------------ the command


@pytest.mark.soak
def test_the_command_lists_shows_accepts_and_rejects(street: Street):
    street.review(street.room.number, NO_ANY, by="mary")
    rule = street.rule()
    assert rule.rule_id in street.room.say("mary", "/assay rule list")
    shown = street.room.say("mary", f"/assay rule show {rule.rule_id}")
    assert "`mary`" in shown
    assert "pending" in shown
    assert MAINTAINERS in street.room.say("mary", f"/assay rule accept {rule.rule_id}")
    assert WRITERS in street.room.say("rick", "/assay rule list")
    assert street.rule().state is RuleState.pending
    assert "now" in street.room.say("mona", f"/assay rule accept {rule.rule_id}")
    assert (street.rule().state, street.rule().confirmed_by) == (RuleState.confirmed, "mona")
    assert "rejected" in street.room.say("olivia", f"/assay rule reject {rule.rule_id} we like `any`")
    assert (street.rule().state, street.rule().why) == (RuleState.rejected, "we like `any`")


@pytest.mark.parametrize(
    ("said", "answer"),
    sampled(
        [
            ("/assay rule dance", "Subcommands of `/assay rule`: `list`"),
            ("/assay rule show", "The rule's id is missing"),
            ("/assay rule show me", "is not a rule's id"),
            ("/assay rule accept 0123456789ab", "no such rule"),
            ("/assay rule show 0123456789ab", "no rule"),
        ],
        2,
    ),
)
def test_a_command_that_makes_no_sense_is_told_what_would(street: Street, said: str, answer: str):
    assert answer in street.room.say("mona", said)


@pytest.mark.soak
def test_the_text_above_a_review_teaches_and_is_answered_in_the_conversation(street: Street):
    first, second = street.room.number, street.open("two")
    street.room.github.review(first, "REQUEST_CHANGES", NO_ANY, by="mary")
    street.work()
    street.room.github.review(second, "COMMENT", NO_ANY_AGAIN, by="bo")
    street.work()
    assert street.rule().state is RuleState.confirmed
    street.room.number = second
    (reply,) = [one for one in street.room.ours() if "assay:repeat" in one["body"]]
    assert f"/pull/{first}#pullrequestreview-" in reply["body"]
    street.hear_everything_again()
    assert len(street.room.ours()) == 1
