"""`/assay rule join`: a maintainer says that two rules are one; nobody is told twice, or late."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assay.github.authority import MAINTAINERS
from assay.github_app.learning.rules.deciding import Decision, decide
from assay.github_app.store import RuleChange, RuleState, Store
from tests.github_app.learning.street import Street
from tests.github_app.learning.test_joining import RETRY, SCOPED, TENANT, TENANT_AGAIN
from tests.github_app.rooms import Room, later


@pytest.fixture
def store(small_store: Store) -> Store:
    """One kind of database is enough for what is said on GitHub."""
    return small_store


@pytest.fixture
def street(room: Room) -> Street:
    return Street(room)


def ids(street: Street) -> dict[str, str]:
    """Text of every rule -> its id."""
    return {row.text: row.rule_id for row in street.store.rules.of(street.room.repository_id)}


def taught(street: Street, number: int, body: str, by: str, line: int = 1) -> str:
    """A comment begins a rule; its id."""
    known = set(ids(street).values())
    street.review(number, body, by, line)
    (rule_id,) = set(ids(street).values()) - known
    return rule_id


def accept(street: Street, *rule_ids: str) -> None:
    for rule_id in rule_ids:
        decide(street.store, (street.room.repository_id, rule_id), Decision.accept, later(0), by="olivia")


def test_a_maintainer_joins_two_rules_and_who_may_only_write_does_not(street: Street):
    into, other = (taught(street, street.room.number, body, "mary") for body in (SCOPED, TENANT))
    second = street.open("two")
    line = f"/assay rule join {other} {into} the same"
    assert MAINTAINERS in street.room.say("mary", line)
    assert "rule.unknown" in street.room.say("mona", f"/assay rule join {other} {'0' * 12}")
    assert "id is missing" in street.room.say("mona", f"/assay rule join {other}")
    assert street.store.rules.joined_into(street.room.repository_id, into) == ()
    assert "is joined" in street.room.say("mona", line)
    (row,) = street.store.rules.joined_into(street.room.repository_id, into)
    assert (row.rule_id, row.state) == (other, RuleState.joined)
    entry = street.store.rules.audit(street.room.repository_id, other)[-1]
    assert (entry.what, entry.by, entry.data["why"]) == (RuleChange.joined, "mona", "the same")
    assert "was joined before" in street.room.say("mona", line)
    assert other in street.room.say("mary", f"/assay rule show {into}")
    assert f"joined into `{into}`" in street.room.say("mary", f"/assay rule show {other}")
    assert f"`{other}`" not in street.room.say("mary", "/assay rule list").split("\n<details")[0]
    accept(street, into)
    street.review(second, TENANT_AGAIN, "bo")
    (reply,) = street.replies(second)
    assert f"/assay rule show {into}" in reply["body"]


def test_a_join_answers_no_thread_and_later_comments_are_answered_once(street: Street):
    first, second, third = street.room.number, street.open("two"), street.open("three")
    into, other = taught(street, first, SCOPED, "mary"), taught(street, second, TENANT, "bo")
    accept(street, into)
    street.room.say("mona", f"/assay rule join {other} {into}")
    street.work_again()
    assert [one.number for one in street.store.rules.matches(street.room.repository_id, rule_id=into)] == [second]
    street.review(third, SCOPED, "cy")
    street.review(third, TENANT_AGAIN, "cy", line=2)
    assert len(street.replies(third)) == 1, "one rule, one reply on a pull request"


@pytest.mark.soak
def test_the_reply_of_a_joined_rule_is_not_repeated_and_goes_with_its_comment(street: Street):
    first, second = street.room.number, street.open("two")
    into, other = taught(street, first, SCOPED, "mary"), taught(street, first, TENANT, "bo")
    accept(street, into, other)
    comment_id = street.review(second, TENANT_AGAIN, "cy")
    (reply,) = street.replies(second)
    assert f"/assay rule show {other}" in reply["body"]
    street.room.say("mona", f"/assay rule join {other} {into}")
    street.review(second, SCOPED, "mary", line=2)
    assert [one["id"] for one in street.replies(second)] == [reply["id"]]
    street.change(comment_id, "deleted", by="cy")
    (emptied,) = street.replies(second)
    assert into not in emptied["body"]
    assert other not in emptied["body"]


def test_who_has_a_pull_request_blocked_by_a_rule_does_not_join_it_away(room: Room):
    from assay.github.events.model import Person
    from assay.github_app.learning.rules.deciding import CannotDecide
    from assay.github_app.learning.rules.joining import join
    from tests.github_app.test_authority import blocked_by_a_rule

    rule_id, into, at = blocked_by_a_rule(room), "f" * 12, later(0)
    room.store.rules.put_pending(room.repository_id, into, RETRY, {}, at, key="x", polarity="do")
    room.store.rules.confirm(room.repository_id, into, at, by="olivia", expires_at=at + timedelta(days=9))
    place = (room.repository_id, rule_id)
    with pytest.raises(CannotDecide, match=r"rule\.own-change"):
        join(room.store, place, into, at, by="ada", person=Person("ada"))
    assert join(room.store, place, into, at, by="mary", person=Person("mary")).is_news
