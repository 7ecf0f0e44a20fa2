"""The App's store: one database, with a group of methods per table.

Every method is one idempotent transaction, safe for concurrent threads and processes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from sqlalchemy import literal, select

from assay.github.errors import StoreUnavailable
from assay.github_app.store.app.alerts import Alerts
from assay.github_app.store.app.api_tokens import ApiTokens
from assay.github_app.store.app.deliveries import Deliveries
from assay.github_app.store.app.installations import Installations, Repositories
from assay.github_app.store.app.leases import Leases
from assay.github_app.store.app.memory_runs import MemoryRuns
from assay.github_app.store.app.sessions import Sessions
from assay.github_app.store.database.database import Database
from assay.github_app.store.database.migrating import migrate as bring_up_to_date
from assay.github_app.store.pulls.changed_lines import Changes
from assay.github_app.store.pulls.checks import Checks
from assay.github_app.store.pulls.outcomes import Outcomes
from assay.github_app.store.pulls.published import Published
from assay.github_app.store.pulls.pulls import Pulls
from assay.github_app.store.pulls.reverts import Reverts
from assay.github_app.store.pulls.reviews import Reviews
from assay.github_app.store.queries.attention import Attention
from assay.github_app.store.queries.histories import Histories
from assay.github_app.store.queries.listings import Listings
from assay.github_app.store.queries.recorded_pulls import RecordedPulls
from assay.github_app.store.queries.retention import Retention
from assay.github_app.store.queries.syncs import Syncs
from assay.github_app.store.rules.rules import Rules
from assay.github_app.store.runs.cycles import Cycles
from assay.github_app.store.runs.holds import Holds
from assay.github_app.store.runs.requests import Requests
from assay.github_app.store.runs.review_findings import ReviewFindings
from assay.github_app.store.runs.runs import Runs
from assay.github_app.store.runs.waivers import Waivers
from assay.github_app.store.tasks.evaluations import Evaluations
from assay.github_app.store.tasks.experiments import Experiments
from assay.github_app.store.tasks.insights import Insights
from assay.github_app.store.tasks.prompt_versions import PromptVersions
from assay.github_app.store.tasks.task_events import TaskEvents
from assay.github_app.store.tasks.tasks import Tasks
from assay.github_app.store.tasks.traces import Traces


class Store:
    """The App's store. Open it with `Store.open`; share one between the threads of a process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.deliveries = Deliveries(database)
        self.installations = Installations(database)
        self.repositories = Repositories(database)
        self.pulls = Pulls(database)
        self.runs = Runs(database)
        self.requests = Requests(database)
        self.checks = Checks(database)
        self.reviews = Reviews(database)
        self.outcomes = Outcomes(database)
        self.holds = Holds(database)
        self.waivers = Waivers(database)
        self.review_findings = ReviewFindings(database)
        self.cycles = Cycles(database)
        self.events = TaskEvents(database)
        self.tasks = Tasks(database)
        self.prompt_versions = PromptVersions(database)
        self.published = Published(database)
        self.alerts = Alerts(database)
        self.leases = Leases(database)
        self.changes = Changes(database)
        self.reverts = Reverts(database)
        self.tokens = ApiTokens(database)
        self.insights = Insights(database)
        self.traces = Traces(database)
        self.evaluations = Evaluations(database)
        self.syncs = Syncs(database)
        self.histories = Histories(database)
        self.recorded_pulls = RecordedPulls(database)
        self.experiments = Experiments(database)
        self.rules = Rules(database)
        self.sessions = Sessions(database)
        self.listings = Listings(database)
        self.attention = Attention(database)
        self.memory_runs = MemoryRuns(database)
        self.retention = Retention(database)

    @classmethod
    def open(cls, url: str, *, migrate: bool = True) -> Self:
        """Open the database at a SQLAlchemy URL (`sqlite:///file` or `postgresql://…`).

        With `migrate`, its tables are migrated first; one process does it while others wait.

        Raises:
            SettingsError: the URL is invalid, or the tables are those of a newer Assay.
            StoreUnavailable: the database cannot be reached or written.
        """
        database = Database(url)
        try:
            if migrate:
                bring_up_to_date(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def close(self) -> None:
        """Close all connections; later use opens new ones."""
        self._database.close()

    def healthy(self) -> bool:
        """Return whether the database answers."""
        try:
            with self._database.read() as connection:
                return connection.execute(select(literal(1))).scalar_one() == 1
        except StoreUnavailable:
            return False

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Open a transaction: the writes of this thread in the block are committed together. Keep it short."""
        with self._database.write():
            yield

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self._database!r})"

    @property
    def address(self) -> str:
        """The database URL without the password."""
        return self._database.address
