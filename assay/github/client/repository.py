"""Repository client: all requests of Assay to one repository."""

from __future__ import annotations

from contextlib import AbstractContextManager
from urllib.parse import urlsplit

from github.Auth import Token as TokenAuth

from assay.github.client.connection import Connection
from assay.github.client.endpoints.artifacts import Artifacts
from assay.github.client.endpoints.branches import Branches
from assay.github.client.endpoints.checks import Checks
from assay.github.client.endpoints.comments import Comments
from assay.github.client.endpoints.head_state import HeadStates
from assay.github.client.endpoints.history import History
from assay.github.client.endpoints.issues import Issues
from assay.github.client.endpoints.labels import Labels
from assay.github.client.endpoints.past_trees import PastTrees
from assay.github.client.endpoints.people import People
from assay.github.client.endpoints.pulls import Pulls
from assay.github.client.endpoints.reviews import Reviews
from assay.github.client.endpoints.sarif import CodeScanning
from assay.github.client.endpoints.workflow_runs import WorkflowRuns
from assay.github.client.identity import ACTIONS, Us
from assay.github.client.pacing import Pace


class Repo(
    Artifacts,
    Branches,
    Checks,
    CodeScanning,
    Comments,
    HeadStates,
    History,
    Issues,
    Labels,
    PastTrees,
    People,
    Pulls,
    Reviews,
    WorkflowRuns,
    AbstractContextManager["Repo"],
):
    """Repository client. Every method may raise GithubRefused, PermissionMissing, GithubUnavailable and RateLimited."""

    def __init__(self, connection: Connection, full_name: str, repository_id: int | None, us: Us) -> None:
        super().__init__(connection, full_name, us)
        self.id = repository_id

    @classmethod
    def from_token(
        cls,
        token: str,
        full_name: str,
        api_url: str,
        *,
        us: Us = ACTIONS,
        repository_id: int | None = None,
        pace: Pace | None = None,
    ) -> Repo:
        """Open a repository with an existing token, as in a workflow."""
        return cls(Connection(api_url, TokenAuth(token), pace or Pace()), full_name, repository_id, us)

    def __repr__(self) -> str:
        return f"Repo({self.full_name!r})"

    @property
    def is_hurried(self) -> bool:
        """Whether its installation may use up GitHub's hourly requests, so that needless ones should be saved."""
        return self._connection.pace.is_hurried

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def wait(self, seconds: float) -> None:
        """Wait, because new objects appear in GitHub's lists with a delay."""
        self._connection.pace.clock.sleep(seconds)

    @property
    def web_url(self) -> str:
        """Web page of the repository."""
        return f"{web_address(self._connection.api_url)}/{self.full_name}"


def web_address(api_url: str) -> str:
    """Return the web URL of an API's GitHub: github.com, `*.ghe.com`, or an Enterprise Server."""
    address = urlsplit(api_url)
    host = (
        address.netloc.removeprefix("api.")
        if (address.hostname or "").endswith((".ghe.com", "api.github.com"))
        else address.netloc
    )
    return f"{address.scheme}://{host}{address.path.rstrip('/').removesuffix('/api/v3')}"
