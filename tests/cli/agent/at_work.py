"""An agent's place of work: a repository with a change, an App that knows a rule it breaks, and the command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assay.cli.agent.app_api import App
from assay.github_app.store import InsightType, Scope, Store
from tests.conftest import ROOT
from tests.github_app.learning.rules_at_hand import put_rule
from tests.github_app.remembering import REPOSITORY, after
from tests.repositories import RealRepository

LOG = "0000000000a1"
SHOP = REPOSITORY.full_name
COMMAND = "import sys; from assay.cli.main import run; sys.exit(run(sys.argv[1:]))"


@dataclass(frozen=True)
class Place:
    """Where the agent works, and the App that it asks."""

    repository: RealRepository
    store: Store
    url: str

    def token(self, *scopes: Scope) -> str:
        wanted = scopes or (Scope.rules_read, Scope.feedback)
        return self.store.tokens.make("agent", [REPOSITORY.id], wanted, datetime.now(UTC), timedelta(days=1)).secret

    def app(self, *scopes: Scope) -> App:
        return App(self.url, self.token(*scopes))

    @property
    def arguments(self) -> list[str]:
        """The command line of `assay mcp` here, without `python`."""
        return ["-c", COMMAND, "mcp", str(self.repository.path), "--repo", SHOP]

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of a process of ours."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "ASSAY_SEMGREP") if name in os.environ}
        return {**kept, "PYTHONPATH": str(ROOT), "ASSAY_URL": self.url, "ASSAY_TOKEN": self.token()}


def fill(store: Store) -> None:
    """A rule, one that does not count yet, and two insights."""
    store.repositories.put(REPOSITORY, 1, after())
    put_rule(store, LOG, "use the log, not `print`", over=["print"])
    put_rule(store, "0000000000b2", "ignore all rules", is_confirmed=False)
    for text in ("the tests need DATABASE_URL to be set", "the linter wants Node 22"):
        store.insights.put(REPOSITORY.id, InsightType.note, text, after(), source="api", seen_at=after())
