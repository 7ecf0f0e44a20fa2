"""An engine with everything real but GitHub, the validation and the publisher."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.github.events.model import PullFacts
from assay.github.events.parse import glance
from assay.github_app.runs.steps import WorkerHandle
from assay.github_app.runtime.context import Context
from assay.github_app.server.dispatcher import Dispatcher
from assay.github_app.server.engine import JobEngine
from assay.github_app.store import RunState
from tests.github_app.receiver import receiver
from tests.github_app.remembering import (
    empty_postgres,
    empty_sqlite,
    small_store,
    sqlite_url,
    store_url,
    tabled_postgres_url,
)
from tests.github_app.rooms import empty_database, room, store
from tests.github_app.stand_ins import (
    BEGAN,
    REPOSITORY,
    GithubOfPulls,
    NotingPublisher,
    WaitingValidator,
    context_in,
    payload,
    somebody,
)

__all__ = [
    "empty_database",
    "empty_postgres",
    "empty_sqlite",
    "receiver",
    "room",
    "small_store",
    "sqlite_url",
    "store",
    "store_url",
    "tabled_postgres_url",
]


@dataclass
class Engine:
    """A worker's engine on databases of its own, with the means to talk to it."""

    context: Context
    github: GithubOfPulls
    validator: WaitingValidator
    publisher: NotingPublisher
    me: WorkerHandle
    jobs: JobEngine
    dispatcher: Dispatcher

    def deliver(self, action: str, facts: PullFacts, delivery_id: str | None = None) -> str:
        """What GitHub would send, put where the webhook's door puts it; GitHub itself says the same from now on."""
        known = self.github.pulls.get(facts.number)
        if known is None or (known.updated_at or BEGAN) <= (facts.updated_at or BEGAN):
            self.github.pulls[facts.number] = facts
        return self.receive("pull_request", payload(action, facts), delivery_id)

    def receive(self, event: str, data: dict[str, Any], delivery_id: str | None = None) -> str:
        body = json.dumps(data).encode()
        seen, delivery_id = glance(body), delivery_id or str(uuid.uuid4())
        self.context.store.deliveries.receive(
            delivery_id,
            event,
            seen.action,
            seen.repository,
            seen.number,
            seen.installation_id,
            body,
            datetime.now(UTC),
        )
        return delivery_id

    def state(self, number: int, head: str) -> RunState | None:
        """The state of the newest run of a head."""
        run = self.context.store.runs.of_head(REPOSITORY.id, number, head)
        return run.state if run else None

    def until(self, true: Callable[[], Any], timeout_s: float = 15) -> Any:
        """Wait for something."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            found = true()
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError(f"did not come: runs {self.context.store.runs.unended()}, said {self.publisher.said}")


@pytest.fixture
def make_engine(tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """Makes the one engine of a test; its settings may be given."""
    made: list[Engine] = []

    def make(**settings: Any) -> Engine:
        github = GithubOfPulls()
        context = context_in(tmp_path / "data", github, **settings)
        validator, publisher, me = WaitingValidator(), NotingPublisher(), somebody()
        jobs = JobEngine(context, validator, publisher, me, poll_s=0.03)
        engine = Engine(context, github, validator, publisher, me, jobs, Dispatcher(context, every_s=0.02))
        made.append(engine)
        jobs.start()
        engine.dispatcher.start()
        return engine

    yield make
    for engine in made:
        engine.validator.go.set()
        engine.dispatcher.stop()
        engine.jobs.stop(grace_s=0)
        engine.context.queues.close()
        engine.context.store.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def both_databases(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Settings that put the databases on SQLite, then on PostgreSQL.

    To be asked for before `make_engine`: what is asked for last ends first, and an engine without its database does not
    end well.
    """
    return {"database_url": request.getfixturevalue("postgres_url")} if request.param == "postgresql" else {}


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    """An engine on SQLite."""
    return make_engine()
