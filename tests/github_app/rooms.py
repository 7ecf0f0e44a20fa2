"""A pull request on the fake GitHub, a store that knows it, and people who speak there."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from assay.github.client import Clock, Github
from assay.github.events.model import CheckRunEvent, Event, IssueCommentEvent, PullFacts
from assay.github.events.parse import parse
from assay.github_app.commands.answering import answer
from assay.github_app.commands.pressing import press
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes.record.recording import record
from assay.github_app.runtime.context import Context, validation_job
from assay.github_app.runtime.queues import Job
from assay.github_app.store import RequestRow, RunRow, RunState, Store
from assay.validators import ValidationReport, report_as
from tests.fakes.github import FakeGitHub
from tests.github_app.publish.reports import failing, held, statement
from tests.github_app.remembering import store_at
from tests.repositories import RealRepository


def requested(store: Store) -> list[Job]:
    """The jobs of all requests for validation, oldest first."""
    wanted = select(RequestRow).order_by(RequestRow.asked_at, RequestRow.job_id)
    return [validation_job(row) for row in store._database.rows(wanted)]


@dataclass
class NotedQueues:
    """In place of the durable queues: keeps what was asked for."""

    store: Store
    put_in: list[Job] = field(default_factory=list)

    def put(self, job: Job) -> None:
        self.put_in.append(job)

    @property
    def jobs(self) -> list[Job]:
        """All jobs, with those of validations that wait for their turn."""
        return [*self.put_in, *requested(self.store)]

    def of(self, name: str) -> list[Job]:
        return [job for job in self.jobs if job.name == name]


@dataclass
class Room:
    """The pull request, and everything around it."""

    github: FakeGitHub
    repository: RealRepository
    context: Context
    queues: NotedQueues
    full_name: str
    repository_id: int
    number: int
    head: str

    @property
    def store(self) -> Store:
        return self.context.store

    @property
    def place(self) -> tuple[int, int]:
        return self.repository_id, self.number

    def pull(self) -> PullFacts:
        """As GitHub describes it now."""
        with self.context.repo(self.repository_id) as repo:
            return repo.pull(self.number)

    # ------------------------------------------------------------------ what happens

    def write(self, login: str, body: str, **more: Any) -> IssueCommentEvent:
        """Somebody comments; the event as it reaches us. `more` goes over the comment in the payload."""
        path = f"/repos/{self.full_name}/issues/{self.number}/comments"
        made = self.github.as_person(login, "POST", path, {"body": body})
        event = self.heard("issue_comment", lambda payload: payload["comment"]["id"] == made["id"])
        assert isinstance(event, IssueCommentEvent)
        return dataclasses.replace(event, comment=dataclasses.replace(event.comment, **more)) if more else event

    def say(self, login: str, body: str, **more: Any) -> str:
        """Somebody comments, and is answered; the reply as it stands then ("" where there is none)."""
        answer(self.write(login, body, **more), self.context)
        return self.reply()

    def push_button(self, login: str, identifier: str, head: str | None = None, delivery: str = "press-1") -> str:
        """Somebody presses a button under our check; the reply as it stands then."""
        press(self.pressed(login, identifier, head, delivery), self.context)
        return self.reply()

    def pressed(self, login: str, identifier: str, head: str | None = None, delivery: str = "press-1") -> CheckRunEvent:
        """The event of a press."""
        run = self.store.runs.of_head(*self.place, head or self.head)
        assert run is not None
        check = {
            "id": 77,
            "name": "Assay",
            "head_sha": run.head_sha,
            "external_id": run.external_id,
            "status": "completed",
            "conclusion": "neutral",
            "app": {"id": self.github.app_id, "slug": self.github.app_slug},
            "check_suite": {"id": 1},
        }
        payload = {
            "action": "requested_action",
            "requested_action": {"identifier": identifier},
            "check_run": check,
            "repository": self.github.get(f"/repos/{self.full_name}"),
            "sender": self.github.get(f"/users/{login}"),
        }
        sent = self.github.send("check_run", payload)
        event = parse("check_run", sent.body, delivery)
        assert isinstance(event, CheckRunEvent)
        return event

    def heard(self, name: str, wanted: Callable[[Any], bool] = lambda _: True) -> Event:
        """The last webhook of this kind that is wanted; it may still be on its way."""
        delivery = self.github.wait(
            lambda: next((d for d in reversed(self.github.deliveries) if d.event == name and wanted(d.payload)), None)
        )
        event = parse(name, delivery.body, delivery.headers["X-GitHub-Delivery"])
        assert event is not None
        return event

    def push(self, files: dict[str, str], *, by: str = "ada", message: str = "More") -> str:
        """A new head; the store hears of it."""
        self.head = self.repository.commit(message, files)
        self.github.push(self.repository, "change", by=by)
        moved = self.heard("pull_request", lambda payload: payload["pull_request"]["head"]["sha"] == self.head)
        record(moved, self.store, datetime.now(UTC))
        return self.head

    def validated(
        self,
        report: ValidationReport | None = None,
        head: str | None = None,
        state: RunState = RunState.completed,
    ) -> RunRow:
        """The head has its report; without one, a failing test and a blocking finding."""
        at = datetime.now(UTC)
        report = report or failing(head or self.head)
        run, _ = self.store.runs.begin(*self.place, report.head.sha, "test", at)
        self.store.runs.save_report(
            run.id,
            report_as(report, "json").encode(),
            conclusion=report.conclusion,
            title=report.title,
            risk_level=report.risk.level if report.risk else None,
            is_hold=report.hold,
            findings=(),
            factors=(),
            config_hash=None,
            durations_s={},
            at=at,
        )
        self.store.runs.advance(run.id, state, at)
        done = self.store.runs.get(run.id)
        assert done is not None
        return done

    # ------------------------------------------------------------------ what stands there then

    def ours(self) -> list[dict[str, Any]]:
        """The App's comments."""
        login = f"{self.github.app_slug}[bot]"
        return [one for one in self.github.comments(self.number) if one["user"]["login"] == login]

    def reply(self) -> str:
        """Our one reply."""
        found = [one["body"] for one in self.ours() if one["body"].startswith("<!-- assay:answers -->")]
        assert len(found) <= 1
        return found[0] if found else ""

    def reactions(self) -> list[str]:
        """The reactions we gave, in order."""
        return [one.json["content"] for one in self.github.requests if one.path.endswith("/reactions")]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """What the log says of a kind."""
        return [dict(event.data) for event in self.store.events.of(*self.place) if event.kind == kind]


def critical(head: str) -> ValidationReport:
    """Critical by two signals, and held."""
    report = held(head)
    assert report.risk is not None
    said = (
        statement("schema", "schema_destroyed", "drops the column `users.email`"),
        statement("public_api", "api_broken", "removes `send`"),
        statement("surface", "large", "12 lines"),
    )
    report = report.with_tiers(risk=dataclasses.replace(report.risk, statements=said))
    return dataclasses.replace(report, statements=said)


def later(seconds: float) -> datetime:
    """A time from now."""
    return datetime.now(UTC) + timedelta(seconds=seconds)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with all tables and nothing in them; copying it is quicker than making one."""
    path = tmp_path_factory.mktemp("database") / "empty.sqlite"
    store_at(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def store(empty_database: Path, tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    database = shutil.copy(empty_database, tmp_path / "assay.sqlite")
    with Store.open(f"sqlite:///{database}", migrate=False) as store:
        yield store


@pytest.fixture
def room(github: FakeGitHub, repository: RealRepository, store: Store, tmp_path: Path) -> Iterator[Room]:
    """`ada` (who may write) opened a pull request; `olivia` owns the repository, `mary` may write, `rick` may read."""
    full_name = github.create_repository("shop")
    repository.commit("Start", {"README.md": "# Shop\n"})
    github.push(repository, "main")
    repository.branch("change")
    head = repository.commit("Change", {"app.py": "x = 1\n"})
    github.push(repository, "change")
    github.person(f"{github.app_slug}[bot]", kind="Bot")
    for login, role in (("mary", "write"), ("rick", "read")):
        github.person(login, role=role)
    number = github.open_pull("change", by="ada", title="A change")
    clock = Clock(sleep=lambda _s: None)
    app = Github(github.app_id, github.private_key, github.url, seconds_between_writes=0, clock=clock)
    queues = NotedQueues(store)
    context = Context(store, app, Settings(data_dir=tmp_path), queues)  # type: ignore[arg-type]
    repository_id = github.get(f"/repos/{full_name}")["id"]
    room = Room(github, repository, context, queues, full_name, repository_id, number, head)
    store.installations.put(github.installation_id, "acme", datetime.now(UTC))
    record(room.heard("pull_request"), store, datetime.now(UTC))
    yield room
    app.close()
