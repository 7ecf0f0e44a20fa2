"""Everything the front remembers of one test; the next test begins with a new one."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from assay.github_app.ops import permissions as declared
from tests.fakes.front.budgets import Budget
from tests.fakes.front.deliveries import Delivery
from tests.fakes.front.exchange import Exchange
from tests.fakes.front.faults import Fault
from tests.fakes.front.tokens import Token

APP_ID = 4001
APP_SLUG = "assay-test"
APP_NAME = "Assay Test"
ORGANIZATION = "acme"
OWNER = "olivia"
INSTALLATION_ID = 4242
CLIENT_ID = f"Iv23li{APP_ID}"
CLIENT_SECRET = "what the App says who it is by"
# What the App is granted where it is installed: what it asks for, the upload of SARIF, and proposals of its own.
PERMISSIONS = {**declared.PERMISSIONS, **declared.FOR_SARIF, **declared.FOR_PROPOSING}
EVENTS = list(declared.EVENTS)


@dataclass(slots=True)
class State:
    """The front's memory: the log, the tokens, and what the emulator does not keep."""

    round: int
    webhook_secret: str
    webhook_url: str | None = None
    suspended: bool = False
    events: list[str] = field(default_factory=EVENTS.copy)
    log: list[Exchange] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    tokens: dict[str, Token] = field(default_factory=dict)
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    repositories: dict[str, Path] = field(default_factory=dict)
    public: set[str] = field(default_factory=set)
    forks: dict[str, str] = field(default_factory=dict)
    permissions: dict[tuple[str, str], str] = field(default_factory=dict)
    deliveries: list[Delivery] = field(default_factory=list)
    num_undelivered: int = 0
    pushes: list[dict[str, str]] = field(default_factory=list)
    clock: datetime | None = None
    budgets: dict[str, Budget] = field(default_factory=dict)
    pulls: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    check_runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    annotations: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    check_run_updates: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    statuses: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    reactions: dict[tuple[str, str, int], list[dict[str, Any]]] = field(default_factory=dict)
    comment_lines: dict[int, dict[str, Any]] = field(default_factory=dict)
    minimized: dict[str, str] = field(default_factory=dict)
    sarifs: dict[str, dict[str, Any]] = field(default_factory=dict)
    workflow_runs: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    artifacts: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    required_checks: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    sign_ins: dict[str, str] = field(default_factory=dict)
    sign_in_logins: dict[str, str] = field(default_factory=dict)
    manifests: dict[str, dict[str, Any]] = field(default_factory=dict)
    ids: count[int] = field(default_factory=lambda: count(1_000_001))
    changed: threading.Condition = field(default_factory=threading.Condition)

    def now(self) -> str:
        """The time as GitHub writes it: that of the test's clock, where it has one."""
        return (self.clock or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def happened(self) -> None:
        """Wake whoever waits for something to happen."""
        with self.changed:
            self.changed.notify_all()
