"""Repositories in which something of every kind waits for a person, one kind or none in each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from assay.github.events.model import Person, PullFacts, RepositoryFacts
from assay.github_app.store import RequestRow, RunState, Store


def repository(store: Store, number: int, name: str, at: datetime, *, installation: int = 9) -> RepositoryFacts:
    """A repository the App was given."""
    facts = RepositoryFacts(number, name)
    store.installations.put(installation, name.partition("/")[0], at)
    store.repositories.put(facts, installation, at)
    return facts


def pull(store: Store, of: RepositoryFacts, number: int, at: datetime, *, title: str = "", state: str = "open") -> str:
    """A pull request; returns its head."""
    head = f"{of.id:020x}{number:020x}"
    facts = PullFacts(
        id=of.id * 10_000 + number, number=number, title=title or f"Change {number}", body="", author=Person("ada"),
        head_sha=head, head_ref=f"change-{number}", base_sha="b" * 40, base_ref="main", head_repository=of,
        base_repository_id=of.id, created_at=at, updated_at=at, state=state,
    )  # fmt: skip
    store.pulls.see(facts, of, at)
    return head


def validated(
    store: Store,
    of: RepositoryFacts,
    number: int,
    at: datetime,
    conclusion: str,
    *,
    hold: bool,
    reasons: Sequence[str] = ("the schema changes",),
) -> None:
    """A pull request with a verdict; held if it says so."""
    head = pull(store, of, number, at)
    run, _ = store.runs.begin(of.id, number, head, "pull_request.opened", at)
    store.runs.save_report(
        run.id, b"{}", conclusion=conclusion, title="", risk_level="high", is_hold=hold, findings=(), factors=(),
        config_hash=None, durations_s={}, at=at,
    )  # fmt: skip
    store.runs.advance(run.id, RunState.completed, at)
    if hold:
        store.holds.place(of.id, number, head, "high", reasons, at)


def failed(store: Store, of: RepositoryFacts, number: int, at: datetime, error: str = "no memory") -> None:
    """A pull request whose validation failed."""
    head = pull(store, of, number, at)
    run, _ = store.runs.begin(of.id, number, head, "pull_request.opened", at)
    store.runs.advance(run.id, RunState.failed, at, error=error, incident="i-1")


def asked(
    store: Store,
    of: RepositoryFacts,
    number: int,
    at: datetime,
    *,
    attempt: int = 1,
    is_urgent: bool = False,
    due_at: datetime | None = None,
) -> None:
    """A head whose validation was asked for."""
    store.requests.ask(
        RequestRow(
            f"validate:{of.id}:{number}:{attempt}", f"run:{of.id}:{number}", of.id, f"{of.id}#{number}", attempt, at,
            is_urgent, at, due_at or at,
        )
    )  # fmt: skip


def lost(store: Store, delivery: str, name: str | None, at: datetime, error: str = "no answer") -> None:
    """A delivery in the dead-letter queue."""
    store.deliveries.receive(delivery, "pull_request", "opened", name, 3, 1, b"{}", at)
    store.deliveries.park(delivery, error, at)


def fill(store: Store, now: datetime, num: int) -> None:
    """So many repositories with closed pull requests, and something of every kind in the first ones."""
    for place in range(num):
        of = repository(store, 1000 + place, f"acme/{place:04}", now, installation=100 + place % 20)
        with store.together():
            for number in range(1, 6):
                pull(store, of, number, now - timedelta(days=number), state="closed")
            validated(store, of, 6, now - timedelta(hours=place), "action_required", hold=True)
            failed(store, of, 7, now - timedelta(hours=place))
            validated(store, of, 8, now - timedelta(hours=place), "action_required", hold=False)
            lost(store, f"d-{place}", of.full_name, now - timedelta(hours=place))
