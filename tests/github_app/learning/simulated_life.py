"""A bot's pull requests, one after the other: reviewers ask in their own words, a maintainer confirms, the bot reads.

What the bot knows is what the product delivered: AGENTS.md on the base, as git has it, or the answer of the HTTP
interface. Nothing here looks into the store to tell it.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.github.client import Clock, Github
from assay.github_app.learning.handout.instruction_files import blocks_due, keep_block
from assay.github_app.learning.rules.listing import list_candidates
from assay.github_app.ops.permissions import FOR_CHECKOUT, FOR_PROPOSING, FOR_PUBLISHING
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import Context
from assay.github_app.store import HOSTS, PROPOSAL_BRANCH, RuleState, Scope, Store
from assay.github_app.web.api import make_api
from tests.conftest import ROOT
from tests.fakes.front.mirror import git
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer
from tests.github_app.learning.street import Street
from tests.github_app.remembering import store_at
from tests.github_app.rooms import NotedQueues, Room
from tests.repositories import RealRepository
from tests.tables import read_yaml

CASE: dict[str, Any] = read_yaml(ROOT / "tests/cases/learning/simulated_life.yaml")
FILE = "AGENTS.md"
START = datetime(2026, 3, 1, tzinfo=UTC)
BETWEEN = timedelta(days=2)
"""From one pull request to the next."""
OPENED = timedelta(hours=9)
"""The time of day."""
CHANCE_TWICE = 0.25
"""A broken rule is broken in two places, and the reviewer asks in both threads."""
AGENT, MAINTAINER, REVIEWERS = "copilot-swe-agent[bot]", "olivia", ("mary", "bo")


@dataclass(frozen=True)
class Standing:
    """A rule that reviewers have in mind, whether Assay knows it or not."""

    name: str
    path: str
    broken: str
    kept: str
    wordings: Sequence[str]
    read_as: str

    def is_in(self, text: str) -> bool:
        return re.search(self.read_as, text, re.IGNORECASE) is not None


@dataclass(frozen=True)
class Script:
    """All that chance decides, drawn before the life: the same with the loop on and off."""

    rules: tuple[Standing, ...]
    num_pulls: int
    broken: Mapping[tuple[int, str], bool]
    obeyed: Mapping[tuple[int, str], bool]
    twice: Mapping[tuple[int, str], bool]
    words: Mapping[tuple[int, str], tuple[str, str]]
    reviewers: Mapping[int, str]
    noise: Mapping[int, Sequence[Mapping[str, str]]]


def script(
    seed: int,
    *,
    num_pulls: int,
    num_rules: int,
    chance_to_break: float,
    chance_to_obey: float = 0.85,
    num_wordings: int | None = None,
) -> Script:
    """Draw a life; with `num_wordings` the reviewers have so many phrases for each rule, by default all."""
    rng, numbers = random.Random(seed), range(1, num_pulls + 1)
    rules = tuple(Standing(**one) for one in CASE["rules"][:num_rules])
    places = [(number, rule.name) for number in numbers for rule in rules]
    drawn = {place: (rng.random(), rng.random(), rng.random()) for place in places}
    turns = {rule.name: rng.sample(rule.wordings, num_wordings or len(rule.wordings)) for rule in rules}
    words = {
        (number, name): (turns[name][number % len(turns[name])], turns[name][(number + 3) % len(turns[name])])
        for number, name in places
    }
    noise = [one for one in CASE["noise"] if one["path"] in {rule.path for rule in rules}]
    return Script(
        rules,
        num_pulls,
        {place: one < chance_to_break for place, (one, _, _) in drawn.items()},
        {place: one < chance_to_obey for place, (_, one, _) in drawn.items()},
        {place: one < CHANCE_TWICE for place, (_, _, one) in drawn.items()},
        words,
        {number: rng.choice(REVIEWERS) for number in numbers},
        {number: rng.sample(noise, rng.randint(0, 2)) for number in numbers},
    )


@dataclass(frozen=True)
class Request:
    """A comment of a reviewer; `rule` is None where it asks for nothing that stands."""

    number: int
    rule: str | None
    reviewer: str
    comment_id: int


@dataclass
class Life:
    """The life as it goes, and what is known of it from having played it."""

    github: FakeGitHub
    work: RealRepository
    street: Street
    client: TestClient
    secret: str
    script: Script
    is_on: bool
    said: list[Request] = field(default_factory=list)
    known: dict[int, frozenset[str]] = field(default_factory=dict)
    pulls: dict[int, int] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    now: datetime = START

    @property
    def store(self) -> Store:
        return self.street.store

    @property
    def repository_id(self) -> int:
        return self.street.room.repository_id

    @property
    def name(self) -> str:
        return self.street.room.full_name

    def live(self) -> None:
        """Everything, from the first commit to the last merge."""
        self.github.person(AGENT, kind="Bot")
        with self.at(START - timedelta(days=1)):
            self.work.commit("Start", {FILE: "# Agents\n"})
            self.github.push(self.work, "main")
            self.street.work()
        for turn in range(1, self.script.num_pulls + 1):
            day = START + BETWEEN * turn
            with self.at(day + timedelta(hours=6)):
                self.chores()
            with self.at(day + OPENED):
                number = self.open(turn)
            with self.at(day + timedelta(hours=11)):
                self.review(turn, number)
            with self.at(day + timedelta(hours=15)):
                if self.is_on:
                    self.join(number)
                    self.confirm(number)
                self.github.merge(number, method="squash")
                self.street.work()
            with self.at(day + timedelta(days=1, hours=6)):
                self.chores()
            with self.at(day + timedelta(days=1, hours=9)):
                self.merge_proposal()

    @contextmanager
    def at(self, moment: datetime) -> Iterator[None]:
        """What is done inside is done then, by people, by GitHub and by the App."""
        self.now = moment
        with self.github.at(moment):
            yield

    # ------------------------------------------------------------------ the agent

    def open(self, turn: int) -> int:
        """The agent reads, works, and opens a pull request; its number."""
        self.known[turn] = known = self.read(turn)
        files = {rule.path: self.lines(turn, rule, known) for rule in self.script.rules}
        branch = f"copilot/{turn}"
        self.work.git("fetch", "--quiet", str(self.github.bare()), "main")
        self.work.branch(branch, "FETCH_HEAD")
        self.work.commit(f"Change {turn}", files)
        self.github.push(self.work, branch, by=AGENT)
        number = self.github.open_pull(branch, by=AGENT, title=f"Change {turn}", body=f"Task-Id: task-{turn}\n")
        self.pulls[turn] = number
        self.street.work()
        return number

    def read(self, turn: int) -> frozenset[str]:
        """The rules that the agent finds in what it is given: on odd turns in AGENTS.md, on even ones over HTTP."""
        if turn % 2:
            texts = [git(self.github.bare(), "show", f"refs/heads/main:{FILE}").decode()]
        else:
            paths, headers = [rule.path for rule in self.script.rules], {"authorization": f"Bearer {self.secret}"}
            asked = {"paths": paths, "task_id": f"task-{turn}"}
            # A harness that starts over asks again; that is still one delivery.
            answers = [self.client.get(f"/api/v1/repos/{self.name}/rules", params=asked, headers=headers) for _ in "12"]
            assert [one.status_code for one in answers] == [200, 200]
            ids = [one["rule_id"] for one in answers[1].json()["rules"]]
            assert len(ids) == len(set(ids))
            texts = [one["text"] for one in answers[1].json()["rules"]]
        return frozenset(rule.name for rule in self.script.rules if any(rule.is_in(text) for text in texts))

    def breaks(self, turn: int, rule: Standing, known: frozenset[str]) -> bool:
        """Whether the agent breaks a rule: by chance, unless it knows the rule and obeys."""
        place = (turn, rule.name)
        return self.script.broken[place] and not (rule.name in known and self.script.obeyed[place])

    def lines(self, turn: int, rule: Standing, known: frozenset[str]) -> str:
        """A file of the change: a comment, then one line or two that keep or break its rule."""
        line = rule.broken if self.breaks(turn, rule, known) else rule.kept
        return f"# Change {turn}\n{line}\n" + (f"# again\n{line}\n" if self.script.twice[turn, rule.name] else "")

    # ------------------------------------------------------------------ people

    def review(self, turn: int, number: int) -> None:
        """A reviewer asks for each rule that was broken, and says what else comes to mind."""
        reviewer = self.script.reviewers[turn]
        notes: list[tuple[str | None, tuple[str, int, str]]] = []
        for rule in self.script.rules:
            if self.breaks(turn, rule, self.known[turn]):
                lines = (2, 4) if self.script.twice[turn, rule.name] else (2,)
                words = self.script.words[turn, rule.name]
                notes += [(rule.name, (rule.path, line, body)) for line, body in zip(lines, words, strict=False)]
        notes += [(None, (one["path"], 1, one["body"])) for one in self.script.noise[turn]]
        if not notes:
            return
        sent = [{"path": path, "line": line, "side": "RIGHT", "body": body} for _, (path, line, body) in notes]
        review_id = self.github.review(number, "COMMENT", "", sent, by=reviewer)
        made = self.github.get(f"/repos/{self.name}/pulls/{number}/reviews/{review_id}/comments?per_page=100")
        ids = {(one["path"], one["line"], one["body"]): int(one["id"]) for one in made}
        self.said += [Request(number, name, reviewer, ids[place]) for name, place in notes]
        self.github.wait(lambda: {one.comment_id for one in self.said} <= self.heard())
        self.street.work()

    def heard(self) -> set[int]:
        """The comments on lines that GitHub told the App of."""
        told = (one for one in self.github.deliveries if one.event == "pull_request_review_comment")
        return {int(one.payload["comment"]["id"]) for one in told}

    def join(self, number: int) -> None:
        """The maintainer joins what waits into the rule that Assay names for it, if it says the same."""
        texts = {row.rule_id: row.text for row in self.store.rules.of(self.repository_id, HOSTS)}
        waiting = [one for one in list_candidates(self.store, self.repository_id) if one["state"] == "pending"]
        for one in waiting:
            names = {rule.name for rule in self.script.rules if rule.is_in(one["text"])}
            alike = [like["rule_id"] for like in one["like"] if like["rule_id"] in texts]
            same = [
                rule_id
                for rule_id in alike
                if names & {rule.name for rule in self.script.rules if rule.is_in(texts[rule_id])}
            ]
            if same:
                self.street.say(number, f"/assay rule join {one['rule_id']} {same[0]}", by=MAINTAINER)
                row = self.store.rules.get(self.repository_id, one["rule_id"])
                assert row is not None
                assert row.joined_into == same[0]
                del texts[one["rule_id"]]

    def confirm(self, number: int) -> None:
        """The maintainer looks at Assay's queue, and accepts what came up on two pull requests."""
        confirmed = [one.text for one in self.store.rules.of(self.repository_id, [RuleState.confirmed])]
        waiting = [one for one in list_candidates(self.store, self.repository_id) if one["state"] == "pending"]
        for rule in self.script.rules:
            alike = [one for one in waiting if rule.is_in(one["text"])]
            if sum(one["num_pulls"] for one in alike) >= 2 and not any(rule.is_in(text) for text in confirmed):
                rule_id = alike[0]["rule_id"]
                self.street.say(number, f"/assay rule accept {rule_id}", by=MAINTAINER)
                row = self.store.rules.get(self.repository_id, rule_id)
                assert row is not None
                assert row.state is RuleState.confirmed

    def merge_proposal(self) -> None:
        """The maintainer merges the App's proposal for AGENTS.md, if one is open."""
        found = self.github.get(f"/repos/{self.name}/pulls?state=open&per_page=100")
        for number in [one["number"] for one in found if one["head"]["ref"] == PROPOSAL_BRANCH]:
            there = self.github.get(f"/repos/{self.name}/contents/{FILE}?ref={PROPOSAL_BRANCH}")
            self.work.git("fetch", "--quiet", str(self.github.bare()), "main")
            self.work.git("switch", "--quiet", "--force-create", "main", "FETCH_HEAD")
            # Files that the App commits are the emulator's alone; the merge brings this one into git.
            self.work.commit(f"Merge #{number}", {FILE: base64.b64decode(there["content"])})
            self.github.push(self.work, "main", by=MAINTAINER)
            changes = {"merged": True, "merged_at": self.github.state.now(), "state": "closed"}
            self.github._emulator.bed("pulls", "PATCH", repo=self.name, number=number, changes=changes)
            self.github._announce_pull("closed", self.name, number, MAINTAINER)
            self.street.work()

    # ------------------------------------------------------------------ the App

    def chores(self) -> None:
        """The daily look at AGENTS.md."""
        context = self.street.room.context
        blocks_due(context, f"{self.now:%Y-%m-%d}")
        for job in self.street.room.queues.of("keep_block"):
            if job.id not in self.done:
                self.done.add(job.id)
                self.hear_of_proposal(keep_block(context, self.repository_id))

    def hear_of_proposal(self, status: str) -> None:
        """GitHub tells the App of its own pull request."""
        if found := re.fullmatch(r"proposed #(\d+)", status):
            self.github._announce_pull("opened", self.name, int(found[1]), f"{self.github.app_slug}[bot]")
            self.street.work()

    def replies(self) -> list[dict[str, Any]]:
        """Everything the App said about repeats, in threads of any pull request, with its `number`."""
        return [one | {"number": number} for number in self.pulls.values() for one in self.street.replies(number)]


@contextmanager
def lived(server: GitHubServer, folder: Path, drawn: Script, *, is_on: bool, has_block: bool = True) -> Iterator[Life]:
    """A life on a GitHub of its own; without `is_on` no maintainer ever confirms."""
    github, work = FakeGitHub(server, folder / "github"), RealRepository(folder / "work")
    settings = Settings(
        data_dir=folder, instruction_files=has_block, webhook_secret="a secret of the tests", app_id=4001
    )
    # The limit on writes counts the time of the life, which passes faster than ours.
    clock = Clock(steady=lambda: life.now.timestamp(), sleep=lambda _s: None)  # noqa: PLW0108 - made below
    name = github.create_repository("shop")
    with (
        closing(github),
        store_at(settings.store_url()) as store,
        Github(github.app_id, github.private_key, github.url, seconds_between_writes=0, clock=clock) as app,
    ):
        queues: Any = NotedQueues(store)
        context = Context(store, app, settings, queues, clock=lambda: life.now)
        store.installations.put(github.installation_id, "acme", START)
        room = Room(github, work, context, queues, name, github.repository_id(), 0, "")
        web = FastAPI()
        web.include_router(make_api(settings, store, clock=lambda: life.now))
        token = store.tokens.make("the agent", [room.repository_id], [Scope.rules_read], START, timedelta(days=365))
        life = Life(github, work, Street(room), TestClient(web), token.secret, drawn, is_on)
        # A token that is asked for inside `at` is as old as that time, so the App gets those it needs before.
        app.us()
        for permissions in (FOR_PUBLISHING, FOR_CHECKOUT, FOR_PROPOSING):
            with app.repository(github.installation_id, room.repository_id, name, permissions=permissions) as repo:
                repo.permission_of(MAINTAINER)
        life.live()
        yield life
        assert not github.violations
