"""Repository client: all requests of Assay to one repository."""

from __future__ import annotations

from contextlib import AbstractContextManager
from urllib.parse import urlsplit

from github.Auth import Token as TokenAuth

from assay.github.client.endpoints.checks import Checks
from assay.github.client.endpoints.conversation import Conversation
from assay.github.client.endpoints.files import Files
from assay.github.client.endpoints.head_state import HeadStates
from assay.github.client.endpoints.pulls import Pulls
from assay.github.client.endpoints.runs import Runs
from assay.github.client.identity import ACTIONS, Us
from assay.github.client.pacing import Pace
from assay.github.client.requester import GithubRequester


class Repo(Checks, Conversation, Files, HeadStates, Pulls, Runs, AbstractContextManager["Repo"]):
    """Repository client. Every method may raise GithubRefused, PermissionMissing, GithubUnavailable and RateLimited."""

    def __init__(self, requester: GithubRequester, full_name: str, repository_id: int | None, us: Us) -> None:
        super().__init__(requester, full_name, us)
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
        return cls(GithubRequester(api_url, TokenAuth(token), pace or Pace()), full_name, repository_id, us)

    def __repr__(self) -> str:
        return f"Repo({self.full_name!r})"

    @property
    def is_hurried(self) -> bool:
        """Whether its installation may use up GitHub's hourly requests, so that needless ones should be saved."""
        return self._requester.pace.is_hurried

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._requester.close()

    def wait(self, seconds: float) -> None:
        """Wait, because new objects appear in GitHub's lists with a delay."""
        self._requester.pace.clock.sleep(seconds)

    @property
    def web_url(self) -> str:
        """Web page of the repository."""
        return f"{web_address(self._requester.base_url)}/{self.full_name}"


def web_address(api_url: str) -> str:
    """Return the web URL of an API's GitHub: github.com, `*.ghe.com`, or an Enterprise Server."""
    address = urlsplit(api_url)
    host = (
        address.netloc.removeprefix("api.")
        if (address.hostname or "").endswith((".ghe.com", "api.github.com"))
        else address.netloc
    )
    return f"{address.scheme}://{host}{address.path.rstrip('/').removesuffix('/api/v3')}"
