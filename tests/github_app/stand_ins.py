"""Parts the tests of the job engine replace: GitHub, the validator and the publisher.

The engine, its databases and the store are real.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from assay.github.client import DeliveryFacts, Us
from assay.github.events.model import Person, PullFacts, RepositoryFacts
from assay.github_app.ops.settings import Settings, read_settings
from assay.github_app.runs.steps import WorkerHandle
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Queues
from assay.github_app.store import RunRow, RunState
from tests.github_app.remembering import store_at

REPOSITORY = RepositoryFacts(77, "acme/shop")
AUTHOR = Person("ada", 5)
BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


def sha(number: int) -> str:
    """A commit id."""
    return f"{number:040x}"


def pull_facts(number: int, head: str, *, minute: int = 0, **more: Any) -> PullFacts:
    """A pull request of `acme/shop` as GitHub would describe it that many minutes later."""
    facts = PullFacts(
        id=9000 + number,
        number=number,
        title=f"Change {number}",
        body="",
        author=AUTHOR,
        head_sha=head,
        head_ref=f"change-{number}",
        base_sha=sha(1),
        base_ref="main",
        head_repository=REPOSITORY,
        base_repository_id=REPOSITORY.id,
        created_at=BEGAN,
        updated_at=BEGAN + timedelta(minutes=minute),
    )
    return replace(facts, **more)


def payload(action: str, facts: PullFacts) -> dict[str, Any]:
    """The webhook that tells of it."""
    repository = {"id": REPOSITORY.id, "full_name": REPOSITORY.full_name, "default_branch": "main"}

    def moment(given: datetime | None) -> str | None:
        return given.isoformat().replace("+00:00", "Z") if given else None

    return {
        "action": action,
        "repository": repository,
        "installation": {"id": 42},
        "sender": {"login": AUTHOR.login, "id": AUTHOR.id, "type": "User"},
        "pull_request": {
            "id": facts.id,
            "number": facts.number,
            "title": facts.title,
            "body": facts.body,
            "state": facts.state,
            "merged": facts.is_merged,
            "user": {"login": AUTHOR.login, "id": AUTHOR.id},
            "head": {"sha": facts.head_sha, "ref": facts.head_ref, "repo": repository},
            "base": {"sha": facts.base_sha, "ref": facts.base_ref, "repo": repository},
            "created_at": moment(facts.created_at),
            "updated_at": moment(facts.updated_at),
        },
    }


class GithubOfPulls:
    """Answers what pull requests look like; `faults` are raised first, one a request."""

    app_id = 4001

    def __init__(self) -> None:
        self.pulls: dict[int, PullFacts] = {}
        self.faults: list[Exception] = []
        self.missed: list[DeliveryFacts] = []
        self.sent_again: list[int] = []
        self.page_size = 100
        self.num_lists = 0

    def us(self) -> Us:
        return Us.app(self.app_id, "assay-test")

    def installation_of(self, full_name: str) -> int:
        return 42

    def repository(
        self, installation_id: int, repository_id: int, full_name: str, *, permissions: Mapping[str, str]
    ) -> RepoOfPulls:
        return RepoOfPulls(self)

    def low_until(self) -> dict[int, datetime]:
        return {}

    def delivery_page(self, cursor: str | None) -> tuple[tuple[DeliveryFacts, ...], str | None]:
        first = int(cursor or 0)
        following = first + self.page_size
        return tuple(self.missed[first:following]), str(following) if following < len(self.missed) else None

    def redeliver(self, delivery_id: int) -> None:
        self.sent_again.append(delivery_id)


class RepoOfPulls:
    """One repository of it."""

    full_name = REPOSITORY.full_name
    id = REPOSITORY.id

    def __init__(self, github: GithubOfPulls) -> None:
        self._github = github

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def head_state(self, number: int, head_sha: str, *, with_checks: bool = True) -> None:
        return None

    def pull(self, number: int) -> PullFacts:
        if self._github.faults:
            raise self._github.faults.pop(0)
        return self._github.pulls[number]

    def open_pulls(self) -> list[PullFacts]:
        return [pull for pull in self._github.pulls.values() if pull.state == "open"]

    def pulls_since(self, since: datetime) -> Iterator[PullFacts]:
        self._github.num_lists += 1
        changed = [one for one in self._github.pulls.values() if one.updated_at and one.updated_at >= since]
        return iter(sorted(changed, key=lambda one: one.updated_at or since, reverse=True))


@dataclass
class WaitingValidator:
    """Validates as soon as `go` is set; keeps who was validated when, and who was stopped."""

    go: threading.Event = field(default_factory=threading.Event)
    faults: list[Exception] = field(default_factory=list)
    spans: list[tuple[str, float, float]] = field(default_factory=list)
    at_work: set[str] = field(default_factory=set)
    stopped: list[str] = field(default_factory=list)

    def validate(
        self, run: RunRow, pull: PullFacts, context: Context, stop: threading.Event, on_started: Callable[[int], None]
    ) -> None:
        began = time.monotonic()
        self.at_work.add(run.head_sha)
        on_started(1)
        if self.faults:
            raise self.faults.pop(0)
        while not self.go.is_set():
            if stop.wait(0.02):
                self.stopped.append(run.head_sha)
                self.spans.append((run.head_sha, began, time.monotonic()))
                raise RuntimeError("stopped")
        context.store.runs.save_report(
            run.id,
            b"{}",
            conclusion="success",
            title="Low risk",
            risk_level="low",
            is_hold=False,
            findings=(),
            factors=(),
            config_hash=None,
            durations_s={},
            at=context.clock(),
        )
        self.spans.append((run.head_sha, began, time.monotonic()))


@dataclass
class NotingPublisher:
    """Check Runs by their external id: what each said, one after the other."""

    said: dict[str, list[str]] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    faults: list[Exception] = field(default_factory=list)
    waits_until: datetime | None = None

    def begin(self, run: RunRow, pull: PullFacts, repo: Any, context: Context) -> int:
        check_run_id = self.ids.get(run.external_id) or len(self.ids) + 100
        self.ids[run.external_id] = check_run_id
        self._say(run, "in_progress")
        return check_run_id

    def conclude(self, run: RunRow, repo: Any) -> None:
        if run.state is not RunState.failed and run.external_id not in self.ids:
            return
        if run.state is RunState.failed:
            self._say(run, f"could not run: {run.error} · incident {run.incident}")
        else:
            self._say(run, f"{run.state}: {run.superseded_by or run.error}")

    def publish(self, run: RunRow, pull: PullFacts, repo: Any, context: Context, state: Any = None) -> bool:
        if self.faults:
            raise self.faults.pop(0)
        is_final = self.waits_until is None
        if not is_final:
            context.store.runs.advance(run.id, RunState.waiting, context.clock(), wait_until=self.waits_until)
        self._say(run, "final" if is_final else "waiting")
        return is_final

    def of(self, head: str) -> list[str]:
        """All that was said of a head, whichever run it was."""
        return [one for key, said in self.said.items() if f":{head}:" in key for one in said]

    def _say(self, run: RunRow, what: str) -> None:
        self.said.setdefault(run.external_id, []).append(what)


def settings_in(folder: Path, **more: Any) -> Settings:
    """Settings of an App whose data lies in `folder`."""
    given = {"data_dir": folder, "app_id": 4001, "webhook_secret": "a secret of the tests", "lease_s": 3, **more}
    return read_settings(**given)


def context_in(folder: Path, github: GithubOfPulls, **more: Any) -> Context:
    """A context over new databases in `folder`; close its store and queues."""
    settings = settings_in(folder, **more)
    folder.mkdir(parents=True, exist_ok=True)
    store = store_at(settings.store_url())
    return Context(store, github, settings, Queues(settings.jobs_url()))  # type: ignore[arg-type]


def somebody(name: str = "worker") -> WorkerHandle:
    """A worker that lives."""
    return WorkerHandle(name, lambda: True, threading.Event())
