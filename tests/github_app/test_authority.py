"""One authority model: who may do what is a table, and every door goes by it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest
from fastapi.routing import APIRoute

from assay.cli.main import assay as cli
from assay.github.authority import (
    AUTHORITY,
    OPENED_IT,
    OTHERS,
    PUSHED_LAST,
    Act,
    Door,
    act_of,
    makers,
    own_work,
    refusal,
    table,
)
from assay.github.client import CommitFacts, Permission
from assay.github.errors import CommandRefused
from assay.github.events.model import Person
from assay.github.publish import RELEASE_HOLD
from assay.github_app.commands.answering import answer
from assay.github_app.commands.pressing import BUTTONS
from assay.github_app.commands.register import COMMANDS
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide
from assay.github_app.runs.holds import hold_where_due
from assay.github_app.server.app import make_app
from assay.github_app.store import FindingRow, Store
from assay.github_app.web.api import make_api
from assay.github_app.web.dashboard.access.viewer import Viewer
from assay.github_app.web.dashboard.pages.register import PAGES
from assay.github_app.web.uploads.memory_results import MemoryResults
from assay.github_app.web.uploads.routes import router
from assay.github_app.web.uploads.tool_results import Results
from tests.conftest import ROOT
from tests.github_app.publish.reports import HEAD, failing, pull
from tests.github_app.rooms import Room, critical, later
from tests.github_app.stand_ins import settings_in

ADA, MARY, OLIVIA = Person("ada", 11), Person("mary", 12), Person("olivia", 13)
PULL = dataclasses.replace(pull(7, HEAD), author=ADA)


def commit(sha: str, author: Person | None, message: str = "Change", **more: Any) -> CommitFacts:
    name = author.login if author else "somebody"
    values: dict[str, Any] = {"author_name": name, "author_email": f"{name}@example.org", "committer": author}
    return CommitFacts(sha, message, author=author, **(values | more))


# ------------------------------------------------------------------ the table


def test_the_documents_show_the_table_of_the_code():
    assert table() in (ROOT / "docs" / "app" / "commands.md").read_text()
    assert set(AUTHORITY) == set(Act)


def test_each_act_goes_through_exactly_the_doors_of_the_table():
    """Whatever is added (a command, a button, a route, a form) fails here until the table has it."""
    commands = {act for command in COMMANDS for act in Act if act.split()[0] == command.name}
    assert {act_of(command.name) for command in COMMANDS} <= commands
    assert commands == acts_by(Door.comment)
    assert {Act(command.name) for _, command in BUTTONS.values()} == acts_by(Door.button)
    assert {page.name for page in PAGES if page.act is not None} == {"rule", "insight"}
    assert acts_by(Door.page) == {*RULE_ACTS, Act.rule_list, Act.rule_show}
    assert acts_by(Door.api) == acts_by(Door.page) == acts_by(Door.cli)


RULE_ACTS = {Act.rule_accept, Act.rule_join, Act.rule_reject, Act.rule_purge}
ROUTES: dict[str, set[Act] | str] = {
    "POST /rules/{owner}/{name}/{rule_id}": RULE_ACTS,
    "POST /api/v1/repos/{owner}/{repo}/rules/{rule_id}/accept": {Act.rule_accept},
    "POST /api/v1/repos/{owner}/{repo}/rules/{rule_id}/join": {Act.rule_join},
    "POST /api/v1/repos/{owner}/{repo}/rules/{rule_id}/reject": {Act.rule_reject},
    "DELETE /api/v1/repos/{owner}/{repo}/rules/{rule_id}": {Act.rule_purge},
    "POST /webhooks/github": "deliveries that GitHub signed; comments and buttons among them go by the table",
    "POST /insights/{owner}/{name}/{insight_id}": "whether agents get an insight",
    "POST /api/v1/insights/{insight_id}/trust": "whether agents get an insight",
    "DELETE /api/v1/insights/{insight_id}": "whether agents get an insight",
    "POST /sign-out": "ends a session",
    "POST /api/v1/results": "an external result, by a run's identity token",
    "POST /api/v1/memory-results": "an external result, by a run's identity token",
    "POST /api/v1/traces": "a trace",
    "POST /api/v1/feedback": "feedback on a task",
    "POST /api/v1/tasks/{task_id:path}/feedback": "feedback on a task",
    "POST /api/v1/tasks": "a task",
    "POST /api/v1/events": "events of an agent",
    "POST /api/v1/repos/{owner}/{repo}/experiments": "an experiment",
    "POST /api/v1/repos/{owner}/{repo}/experiments/{name}/assignments": "the arm of a task",
    "POST /api/v1/repos/{owner}/{repo}/experiments/{name}/end": "the end of an experiment",
}
"""Every route that changes something, with its acts; or why it passes no finding, hold or rule."""
COMMANDS_ON_THE_STORE: dict[str, set[Act] | str] = {
    "rules accept": {Act.rule_accept},
    "rules import": {Act.rule_accept},
    "rules join": {Act.rule_join},
    "rules reject": {Act.rule_reject},
    "rules purge": {Act.rule_purge},
    "rules list": {Act.rule_list},
    "rules export": {Act.rule_list},
    "rules show": {Act.rule_show},
    **dict.fromkeys(
        ("app backup", "app create", "app login-link", "doctor", "serve", "worker"), "set up and run the App"
    ),
    **dict.fromkeys(("token create", "token list", "token revoke"), "the operator's tokens"),
    **dict.fromkeys(("jobs list", "jobs retry", "jobs recover"), "jobs; a job validates, it waives nothing"),
    **dict.fromkeys(("sync", "app import-memory-report"), "figures and reports"),
}
"""Every command that opens the App's database, with its acts; or why it passes no finding, hold or rule."""


def test_every_route_that_changes_something_is_in_the_table(small_store: Store, tmp_path: Path):
    settings = settings_in(tmp_path)
    uploads: tuple[Any, ...] = (Results, MemoryResults)
    routers: list[Any] = [
        make_app(settings, small_store),
        make_api(settings, small_store),
        *(router(kind) for kind in uploads),
    ]
    routes = [route for one in routers for route in one.routes]
    changing = {
        f"{method} {route.path}"
        for route in routes
        if isinstance(route, APIRoute)
        for method in (route.methods or set()) - {"GET", "HEAD", "OPTIONS"}
    }
    assert changing == set(ROUTES)
    by_page = {act for route in ROUTES if "/api/" not in route for act in _acts(ROUTES[route])}
    by_api = {act for route in ROUTES if "/api/" in route for act in _acts(ROUTES[route])}
    assert by_page == by_api == RULE_ACTS
    assert acts_by(Door.page) & acts_by(Door.api) >= RULE_ACTS


def test_every_command_on_the_database_is_in_the_table():
    found = {name for name, command in _leaves(cli) if any(option.name == "data_dir" for option in command.params)}
    assert found == set(COMMANDS_ON_THE_STORE)
    assert {act for acts in COMMANDS_ON_THE_STORE.values() for act in _acts(acts)} == acts_by(Door.cli)


def _acts(said: set[Act] | str) -> set[Act]:
    return said if isinstance(said, set) else set()


def _leaves(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for inner in command.list_commands(context):
        found = command.get_command(context, inner)
        assert found is not None
        yield from _leaves(found, f"{name} {inner}".strip())


def acts_by(door: Door) -> set[Act]:
    return {act for act, rule in AUTHORITY.items() if door in rule.doors}


@pytest.mark.parametrize("permission", list(Permission))
def test_pages_decide_by_the_table(permission: Permission):
    viewer = Viewer("mary", {1: permission})
    for act in RULE_ACTS:
        assert viewer.may_decide(1) is (refusal(act, permission) is None)


@pytest.mark.parametrize("act", [act for act, rule in AUTHORITY.items() if Door.comment in rule.doors])
@pytest.mark.parametrize("permission", [Permission.none, Permission.read, Permission.triage])
def test_without_write_permission_nothing_is_done(act: Act, permission: Permission):
    assert refusal(act, permission) is not None
    assert (refusal(act, permission, is_author=True) is None) is AUTHORITY[act].author_too


# ------------------------------------------------------------------ ways past a finding and a hold


def waivable(room: Room) -> str:
    """The head is validated, held and blocked by a finding, whose id this is."""
    report = failing(room.head)
    room.validated(report)
    hold_where_due(room.store, critical(room.head), *room.place, later(-1))
    return next(one.id for one in report.findings if one.id in report.blocking)


WAYS = ["fp {} it is generated", "accept {} agreed with the team", "release schema, public_api: agreed"]


def opened(room: Room) -> bool:
    """Whether the gate was opened in any way."""
    hold = room.store.holds.current(*room.place, room.head)
    return bool(room.store.waivers.of(*room.place)) or (hold is not None and not hold.is_active)


def test_the_ways_are_those_the_table_bars_makers_from():
    assert {way.split()[0] for way in WAYS} == {act for act, rule in AUTHORITY.items() if rule.bars_makers}


@pytest.mark.parametrize("way", WAYS)
def test_the_author_does_not_pass_the_gate_and_somebody_else_does(room: Room, way: str):
    line = f"/assay {way.format(waivable(room))}"
    assert OPENED_IT in room.say("ada", line)
    assert not opened(room)
    room.say("mary", line)
    assert opened(room)


@pytest.mark.parametrize("way", WAYS)
def test_who_pushed_or_co_wrote_the_last_commit_does_not_pass_the_gate(room: Room, way: str):
    room.push({"app.py": "x = 2\n"}, by="mary", message="More\n\nCo-authored-by: O <olivia@users.noreply.github.com>")
    line = f"/assay {way.format(waivable(room))}"
    assert PUSHED_LAST in room.say("mary", line)
    assert "co-author" in room.say("olivia", line)
    assert not opened(room)


@pytest.mark.parametrize("way", WAYS)
def test_neither_a_bot_nor_an_app_in_a_persons_name_passes_the_gate(room: Room, way: str):
    line = f"/assay {way.format(waivable(room))}"
    assert room.say("mary", line, author=Person("helper[bot]", 5, "Bot")) == ""
    assert room.say("mary", line, app_id=12) == ""
    assert not opened(room)


@pytest.mark.parametrize("way", WAYS)
def test_an_edited_comment_does_not_pass_the_gate(room: Room, way: str):
    event = room.write("mary", f"/assay {way.format(waivable(room))}")
    answer(dataclasses.replace(event, about=dataclasses.replace(event.about, action="edited")), room.context)
    assert not opened(room)


@pytest.mark.parametrize("way", WAYS)
def test_words_about_an_earlier_head_do_not_pass_a_later_one(room: Room, way: str):
    """The comment is written, a worse head is pushed and validated, and only then the delivery arrives."""
    event = room.write("mary", f"/assay {way.format(waivable(room))}", created_at=datetime(2020, 1, 1, tzinfo=UTC))
    room.push({"app.py": "x = 3\n"})
    waivable(room)
    answer(event, room.context)
    assert "command.newer-head" in room.reply()
    assert not opened(room)


def test_a_waiver_belongs_to_the_head_it_was_given_on(room: Room):
    validated, finding = room.head, waivable(room)
    room.push({"app.py": "x = 3\n"})
    room.say("mary", f"/assay fp {finding} it is generated")
    (waiver,) = room.store.waivers.of(*room.place).values()
    assert waiver.head_sha == validated != room.head


@pytest.mark.soak
def test_no_button_of_somebody_elses_check_helps_the_author(room: Room):
    report = dataclasses.replace(critical(room.head))
    room.validated(report)
    hold_where_due(room.store, report, *room.place, later(0))
    assert OPENED_IT in room.push_button("ada", RELEASE_HOLD.identifier)
    assert not opened(room)


def test_explain_prints_a_command_only_to_who_may_give_it(room: Room):
    finding = waivable(room)
    assert f"ask {OTHERS} to comment `/assay fp {finding} reason`" in room.say("ada", f"/assay explain {finding}")
    assert f"or comment `/assay fp {finding} reason`" in room.say("olivia", f"/assay explain {finding}")


# ------------------------------------------------------------------ rules


def blocked_by_a_rule(room: Room) -> str:
    """A confirmed rule blocks the pull request; its id."""
    rule_id, at, store = "0123456789ab", later(0), room.store
    canonical = {"text": "Use types", "polarity": "do", "objects": [], "over": []}
    store.rules.put_pending(room.repository_id, rule_id, "Use types", canonical, at, key=rule_id, polarity="do")
    store.rules.confirm(room.repository_id, rule_id, at, by="olivia", expires_at=later(86_400))
    run, _ = store.runs.begin(*room.place, room.head, "test", at)
    finding = FindingRow("f" * 12, "quality", "error", f"learned_rules.{rule_id}", "app.py", "no", is_blocking=True)
    store.runs.save_report(
        run.id,
        b"{}",
        conclusion="failure",
        title="",
        risk_level=None,
        is_hold=False,
        findings=(finding,),
        factors=(),
        config_hash=None,
        durations_s={},
        at=at,
    )
    return rule_id


@pytest.mark.soak
def test_nobody_rejects_a_rule_that_blocks_their_own_pull_request(room: Room):
    """Wherever they ask: the page, which knows only a login, and a comment on another pull request."""
    rule_id = blocked_by_a_rule(room)
    place = (room.repository_id, rule_id)
    for person in (Person("Ada"), Person("ada", room.pull().author.id)):
        for decision in (Decision.reject, Decision.purge):
            with pytest.raises(CannotDecide, match=f"#{room.number}"):
                decide(room.store, place, decision, later(0), by="ada", person=person)
    assert decide(room.store, place, Decision.reject, later(0), by="mary", person=Person("mary")).is_news


# ------------------------------------------------------------------ who made the head


@pytest.mark.parametrize(
    ("by", "commits", "why"),
    [
        (ADA, lambda head: [commit(head, MARY)], "you opened this pull request"),
        (Person("Ada-Renamed", 11), lambda head: [commit(head, MARY)], "you opened this pull request"),
        (Person("ADA"), lambda head: [commit(head, MARY)], "you opened this pull request"),
        (OLIVIA, lambda head: [commit(head, OLIVIA)], "the last commit is yours"),
        (OLIVIA, lambda head: [commit(head, MARY, committer=OLIVIA)], "the last commit is yours"),
        (
            OLIVIA,
            lambda head: [commit("1" * 40, OLIVIA), commit(head, MARY, "x\n\nCo-authored-by: O <olivia@example.org>")],
            "co-author",
        ),
        (
            OLIVIA,
            lambda head: [commit(head, MARY, "x\n\nco-authored-by: O <13+olivia-old@users.noreply.github.com>\r\n")],
            "co-author",
        ),
        (
            OLIVIA,
            lambda head: [commit(head, MARY, "x\n\nCo-Authored-By: O <Olivia@users.noreply.ghe.example.com>")],
            "co-author",
        ),
    ],
)
def test_who_made_the_head_is_known_whatever_they_are_called(by: Person, commits: Any, why: str):
    assert why in (own_work(by, makers(PULL, commits(HEAD), ())) or "")


def test_who_pushed_the_head_made_it_whatever_its_commits_say(room: Room):
    room.push({"app.py": "x = 2\n"}, by="mary")
    pusher = Person("mary", room.github.get("/users/mary")["id"])
    made = makers(
        dataclasses.replace(room.pull(), author=ADA), [commit(room.head, ADA)], room.store.events.of(*room.place)
    )
    assert own_work(pusher, made) == PUSHED_LAST


def test_an_earlier_commit_and_githubs_own_committer_bar_nobody():
    flow = Person("web-flow", 19_864_447)
    made = makers(PULL, [commit("1" * 40, OLIVIA), commit(HEAD, ADA, committer=flow)], ())
    assert set(made) == {"ada", "id:11"}


def test_a_head_github_does_not_list_is_anybodys():
    with pytest.raises(CommandRefused, match=r"command\.unknown-author"):
        makers(PULL, [commit("1" * 40, ADA)], ())


def test_a_hostile_trailer_costs_no_time():
    message = "Co-authored-by: " * 40_000 + "<" * 40_000
    assert makers(PULL, [commit(HEAD, MARY, message)], ())
