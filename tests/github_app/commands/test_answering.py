"""Who is listened to, what is answered, and that nothing happens twice."""

from __future__ import annotations

import dataclasses
import re

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from assay.github.authority import NOTHING_DONE
from assay.github.errors import GithubRefused, GithubUnavailable
from assay.github.events.model import Person, ReviewCommentEvent
from assay.github_app.commands.acts import HELD, PAUSED
from assay.github_app.commands.answering import MOST_FROM_A_GUEST, answer
from assay.github_app.commands.explain import FINDINGS
from assay.github_app.commands.grammar import MOST_COMMANDS
from assay.github_app.commands.register import COMMANDS
from assay.validators import read_report
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    Evidence,
    Finding,
    QualityResult,
    Severity,
    Tier,
)
from tests.examples import sampled
from tests.github_app.publish.reports import fine, statement
from tests.github_app.rooms import Room, critical

CHANGING = ["fp 0123456789ab no fault", "accept 0123456789ab we know", "hold", "release fine", "pause", "resume"]


def changed(room: Room) -> list[str]:
    """Everything a command can change."""
    store = room.store
    row = store.pulls.get(*room.place)
    found = [f"held {hold.head_sha}" for hold in store.holds.history(*room.place)]
    found += [f"released {hold.head_sha}" for hold in store.holds.history(*room.place) if not hold.is_active]
    found += [f"waived {name}" for name in store.waivers.of(*room.place)]
    found += ["paused"] if row and row.is_paused else []
    return found + [job.name for job in room.queues.jobs]


@pytest.mark.soak
def test_a_command_is_answered_by_reactions_and_one_reply(room: Room):
    reply = room.say("mary", "/assay help")
    assert room.reactions() == ["eyes", "+1"]
    assert len(room.ours()) == 1
    assert all(f"`/assay {command.usage}`" in reply for command in COMMANDS)


@pytest.mark.soak
def test_later_answers_edit_the_same_reply_and_keep_the_earlier_ones_folded(room: Room):
    room.say("mary", "/assay hold")
    reply = room.say("mary", "/assay pause")
    assert len(room.ours()) == 1
    assert reply.index(PAUSED) < reply.index("Earlier replies") < reply.index(HELD)


@pytest.mark.soak
def test_a_reply_somebody_deleted_is_made_anew(room: Room):
    room.say("mary", "/assay help")
    (ours,) = room.ours()
    room.github.as_person("olivia", "DELETE", f"/repos/{room.full_name}/issues/comments/{ours['id']}")
    assert HELD in room.say("mary", "/assay hold")
    assert len(room.ours()) == 1


@pytest.mark.soak
def test_a_reply_is_found_again_where_writing_down_its_id_was_lost(room: Room):
    with room.context.repo(room.repository_id) as repo:
        repo.create_comment(room.number, "<!-- assay:answers -->\n\nfrom before")
    room.say("mary", "/assay help")
    assert len(room.ours()) == 1


def test_a_forged_marker_is_not_taken_for_our_reply(room: Room):
    room.github.as_person(
        "rick",
        "POST",
        f"/repos/{room.full_name}/issues/{room.number}/comments",
        {"body": "<!-- assay:answers -->\nmine"},
    )
    assert HELD in room.say("mary", "/assay hold")
    forged = [one for one in room.github.comments(room.number) if one["user"]["login"] == "rick"]
    assert [one["body"] for one in forged] == ["<!-- assay:answers -->\nmine"]


# ------------------------------------------------------------------ who may


@pytest.mark.parametrize("role", sampled([None, "none", "read", "triage"], 2))
def test_a_stranger_or_who_may_only_read_changes_nothing(room: Room, role: str | None):
    room.validated(critical(room.head))
    typed = [*CHANGING, "rerun", "explain", "help"]
    for number, one in enumerate(typed):
        room.github.person(f"mallory{number}", role=role)
        assert NOTHING_DONE in room.say(f"mallory{number}", f"/assay {one}"), one
        assert changed(room) == [], one
    assert room.reactions() == ["confused"] * len(typed)


def test_who_may_write_or_more_may_say_it(room: Room):
    for role in ("write", "maintain", "admin"):
        room.github.person("mary", role=role)
        room.say("mary", "/assay pause")
        assert changed(room) == ["paused"]
        room.store.pulls.resume(*room.place)


@pytest.mark.soak
def test_the_author_without_write_permission_may_rerun_explain_and_ask_for_help(room: Room):
    room.validated()
    room.github.person("ada", role="read")
    assert "validated again" in room.say("ada", "/assay rerun")
    assert FINDINGS in room.say("ada", "/assay explain")
    assert "| command |" in room.say("ada", "/assay help")


@pytest.mark.soak
def test_the_author_without_write_permission_decides_nothing(room: Room):
    room.validated(critical(room.head))
    room.github.person("ada", role="read")
    reply = room.say("ada", "\n".join(f"/assay {typed}" for typed in CHANGING[:5]))
    assert reply.count(NOTHING_DONE) == 5
    assert NOTHING_DONE in room.say("ada", "/assay resume")
    assert changed(room) == []


def test_somebody_who_took_over_the_authors_login_is_not_the_author(room: Room):
    room.validated()
    room.github.person("ada", role="read")
    other = Person("ada", 999_999)
    event = room.write("ada", "/assay rerun", author=other)
    answer(dataclasses.replace(event, about=dataclasses.replace(event.about, sender=other)), room.context)
    assert NOTHING_DONE in room.reply()
    assert changed(room) == []


@pytest.mark.soak
def test_guests_are_answered_a_few_times_and_then_cost_nothing(room: Room):
    for _ in range(MOST_FROM_A_GUEST):
        room.say("rick", "/assay hold")
    before = len(room.github.requests)
    room.say("rick", "/assay hold")
    assert len(room.github.requests) == before
    assert HELD in room.say("mary", "/assay hold")


# ------------------------------------------------------------------ who is not listened to


@pytest.mark.soak
def test_a_bot_is_not_listened_to(room: Room):
    bot = Person("helper[bot]", 5, "Bot")
    assert room.say("mary", "/assay hold", author=bot) == ""
    assert changed(room) == []


@pytest.mark.soak
def test_words_put_into_a_persons_mouth_by_an_app_are_not_listened_to(room: Room):
    room.validated(critical(room.head))
    assert room.say("mary", "/assay release schema, public api: fine", app_id=12) == ""
    assert changed(room) == []


@pytest.mark.soak
def test_a_bot_that_opened_the_pull_request_may_ask_for_a_rerun_and_nothing_else(room: Room):
    author = room.pull().author
    bot = Person(author.login, author.id, "Bot")
    event = room.write("ada", "/assay rerun\n/assay pause")
    comment = dataclasses.replace(event.comment, author=bot)
    answer(dataclasses.replace(event, comment=comment), room.context)
    assert changed(room) == ["validate_head"]


@pytest.mark.soak
def test_our_own_comments_are_not_commands_even_on_a_pull_request_of_ours(room: Room):
    ours = f"{room.github.app_slug}[bot]"
    room.repository.branch("ours")
    room.repository.commit("Ours", {"AGENTS.md": "Be kind\n"})
    room.github.push(room.repository, "ours")
    room.number = room.github.open_pull("ours", by=ours)
    assert room.say(ours, "/assay rerun") == ""
    assert room.queues.jobs == []
    assert len(room.ours()) == 1, "no answer to it either"


@pytest.mark.soak
def test_a_comment_sent_by_somebody_else_than_its_author_is_not_listened_to(room: Room):
    event = room.write("mary", "/assay hold")
    about = dataclasses.replace(event.about, sender=Person("rick", 424_242))
    answer(dataclasses.replace(event, about=about), room.context)
    assert changed(room) == []


def test_an_edited_or_deleted_comment_does_nothing(room: Room):
    event = room.write("mary", "/assay hold")
    for action in ("edited", "deleted"):
        answer(dataclasses.replace(event, about=dataclasses.replace(event.about, action=action)), room.context)
    assert changed(room) == []


@pytest.mark.soak
def test_an_issue_is_no_pull_request(room: Room):
    answer(dataclasses.replace(room.write("mary", "/assay hold"), is_pull=False), room.context)
    assert changed(room) == []


@pytest.mark.soak
def test_quoted_fenced_and_look_alike_commands_do_nothing(room: Room):
    for body in ("> /assay hold", "```\n/assay hold\n```", "please\n/assay hold", "/\u0430ssay hold"):
        assert room.say("mary", body) == ""
    assert changed(room) == []
    assert room.reactions() == []


# ------------------------------------------------------------------ once


@pytest.mark.soak
def test_a_comment_delivered_again_is_neither_carried_out_nor_answered_again(room: Room):
    event = room.write("mary", "/assay rerun")
    answer(event, room.context)
    num_requests = len(room.github.requests)
    answer(event, room.context)
    assert changed(room) == ["validate_head"]
    assert len(room.github.requests) == num_requests


def test_what_was_done_is_not_done_again_when_the_answer_could_not_be_given(room: Room):
    room.validated(critical(room.head))
    event = room.write("mary", "/assay hold\n/assay pause")
    room.github.front.fault(r"POST .*/issues/\d+/comments", 502, times=20)
    with pytest.raises(GithubUnavailable):
        answer(event, room.context)
    assert sorted(changed(room)) == sorted([f"held {room.head}", "paused", "publish_run"])
    room.store.pulls.resume(*room.place)
    room.github.front.state.faults.clear()
    answer(event, room.context)
    assert "paused" not in changed(room), "carried out again"
    assert PAUSED in room.reply()


def test_a_reply_that_is_not_found_for_a_moment_is_not_written_twice(room: Room):
    room.say("mary", "/assay hold")
    event = room.write("mary", "/assay pause")
    room.github.front.fault(r"PATCH .*/issues/comments/", 404)
    with pytest.raises(GithubRefused):
        answer(event, room.context)
    answer(event, room.context)
    assert PAUSED in room.reply(), "of one comment"


@pytest.mark.soak
def test_a_lost_reaction_takes_nothing_from_the_answer(room: Room):
    room.github.front.fault(r"POST .*/reactions", 404, times=9)
    assert HELD in room.say("mary", "/assay hold")


# ------------------------------------------------------------------ several, unknown, hostile


@pytest.mark.soak
def test_each_line_is_answered_in_turn(room: Room):
    room.validated()
    reply = room.say("mary", "/assay pause\n/assay resume\n/assay nothing")
    assert reply.index("/assay pause") < reply.index("/assay resume") < reply.index("no command")
    assert room.reactions() == ["eyes", "confused"]


@pytest.mark.soak
def test_of_thousands_of_commands_a_few_are_carried_out(room: Room):
    body = "\n".join(f"/assay hold because of {number}" for number in range(1500))
    reply = room.say("mary", body)
    assert f" {MOST_COMMANDS} commands " in reply
    (hold,) = room.store.holds.history(*room.place)
    assert len(hold.reasons) == MOST_COMMANDS


@pytest.mark.soak
def test_an_unknown_command_is_told_with_the_nearest_name(room: Room):
    reply = room.say("mary", "/assay rerum\n/assay relese\n/assay explian\n/assay halp")
    for near in ("rerun", "release", "explain", "help"):
        assert f"`/assay {near}`?" in reply
    assert room.reactions() == ["eyes", "confused"]


@pytest.mark.soak
def test_a_bare_prefix_is_asked_which(room: Room):
    assert "Which command?" in room.say("mary", "/assay")


HOSTILE = [
    "@everyone look",
    "![x](https://evil.example/p.png)",
    "<img src=x onerror=alert(1)>",
    "</details><script>alert(1)</script>",
    "<!-- assay:comment -->",
    "-->",
    "| a | b |",
    "[click](https://evil.example)",
    "`` ` @ops ` ``",
    "$(touch /tmp/owned); `id` && rm -rf / #",
    "'; DROP TABLE holds; --",
    "fixes #1 and acme/other#2",
    "\u202e\u200bhidden",
]


@pytest.mark.parametrize(
    "form", sampled(["hold {}", "fp {}", "fp ID {}", "accept ID {}", "release {}", "explain {}", "{}"], 3)
)
def test_words_of_a_comment_do_nothing_in_our_reply(room: Room, form: str):
    run = room.validated(critical(room.head)) if form == "release {}" else room.validated()
    finding = next(iter(_ids(room, run.id)), "0123456789ab")
    for start in range(0, len(HOSTILE), MOST_COMMANDS):
        lines = [f"/assay {form.format(text)}".replace("ID", finding) for text in HOSTILE[start:][:MOST_COMMANDS]]
        reply = room.say("mary", "\n".join(lines))
        assert reply.startswith("<!-- assay:answers -->")
        assert acting(reply) == []


@pytest.mark.soak
def test_words_of_a_report_do_nothing_in_our_reply(room: Room):
    found = identified(
        Finding(Tier.quality, Severity.error, text, f"src/{text}", text, 3, context=text, suggestion=text, tool=text)
        for text in HOSTILE
    )
    said = tuple(
        statement("surface", "shared_path", text, file=text, advice=text, evidence=(Evidence(text, text, 1),))
        for text in HOSTILE
    )
    report = fine(room.head, quality=QualityResult(found), blocking=tuple(one.id for one in found))
    assert report.risk is not None
    room.validated(report.with_tiers(risk=dataclasses.replace(report.risk, statements=said)))
    for typed in ["/assay explain", "/assay explain surface", *(f"/assay explain {one.id}" for one in found)]:
        assert acting(room.say("mary", typed)) == []


@pytest.mark.soak
def test_a_command_on_a_line_of_the_diff_is_answered_in_the_same_reply(room: Room):
    event = room.write("mary", "/assay hold")
    on_line = dataclasses.replace(event.comment, path="app.py", line=1, body="/assay pause")
    answer(event, room.context)
    answer(ReviewCommentEvent(event.about, room.pull(), on_line), room.context)
    assert PAUSED in room.reply()
    assert f"#discussion_r{on_line.id})" in room.reply()
    assert len(room.ours()) == 1
    assert [one.path.split("/")[4] for one in room.github.requests if one.path.endswith("/reactions")] == [
        *["issues"] * 2,
        *["pulls"] * 2,
    ]


def _ids(room: Room, run_id: str) -> list[str]:
    data = room.store.runs.report(run_id)
    return [one.id for one in read_report(data).findings] if data else []


def acting(markdown: str) -> list[str]:
    """What of a body would be more than text, once rendered: tags, links, images, and mentions outside code."""
    html: str = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
    bare = re.sub(r"<code>.*?</code>|<pre>.*?</pre>", "", html, flags=re.DOTALL)
    allowed = r"</?(?:p|strong|ul|ol|li|sub|details|summary|table|thead|tbody|tr|th|td|em|br ?/?)>"
    allowed += r'|<!-- assay:answers -->|<a href="http://127\.0\.0\.1:\d+/acme/shop/pull/\d+#[a-z_-]+\d+">|</a>'
    rest = re.sub(allowed, "", bare)
    return re.findall(r"<[^>\n]{0,80}>?", rest) + re.findall(r"(?<![\w/])@\w+|#\d+|https?://\S+", rest)
