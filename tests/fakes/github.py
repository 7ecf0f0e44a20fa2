"""A GitHub for one test: repositories, people and pull requests in it, and what the App did there.

The emulator (`emulate`, written elsewhere) keeps the state, `github_front` adds what it lacks and watches who comes in.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tests.fakes.front import oidc
from tests.fakes.front.budgets import Budget
from tests.fakes.front.deliveries import Delivery
from tests.fakes.front.exchange import Exchange
from tests.fakes.front.state import APP_ID, APP_SLUG, CLIENT_ID, CLIENT_SECRET, INSTALLATION_ID, ORGANIZATION, OWNER
from tests.fakes.front.tokens import Token
from tests.fakes.github_jobs import Jobs
from tests.fakes.github_server import WEBHOOK_SECRET


class FakeGitHub(Jobs):
    """The handle a test holds. Methods take `repo="owner/name"`; without it they mean the repository made first."""

    app_id = APP_ID
    app_slug = APP_SLUG
    installation_id = INSTALLATION_ID
    client_id = CLIENT_ID
    client_secret = CLIENT_SECRET
    organization = ORGANIZATION
    owner = OWNER
    webhook_secret = WEBHOOK_SECRET

    # ------------------------------------------------------------------ what stands there now

    def check_runs(self, sha: str, *, repo: str | None = None, name: str | None = None) -> list[dict[str, Any]]:
        """The check runs of a commit, oldest first, each with its `annotations`, `actions` and all its `updates`."""
        found = self.get(f"/repos/{self._repo(repo)}/commits/{sha}/check-runs?filter=all&per_page=100")["check_runs"]
        runs = sorted((each for each in found if name in (None, each["name"])), key=lambda each: each["id"])
        return [
            run
            | {
                "annotations": self.state.annotations.get(run["id"], []),
                "actions": self.state.check_runs.get(run["id"], {}).get("actions", []),
                "updates": self.state.check_run_updates.get(run["id"], []),
            }
            for run in runs
        ]

    def labels(self, number: int, *, repo: str | None = None) -> list[str]:
        """The names of a pull request's labels."""
        return [each["name"] for each in self.get(f"/repos/{self._repo(repo)}/issues/{number}/labels?per_page=100")]

    def comments(self, number: int, *, repo: str | None = None) -> list[dict[str, Any]]:
        """The comments in a pull request's conversation, oldest first; `reactions_given` lists who reacted how."""
        name = self._repo(repo)
        found = self.get(f"/repos/{name}/issues/{number}/comments?per_page=100")
        return [each | {"reactions_given": self.reactions(each["id"], repo=name)} for each in found]

    def reactions(
        self, comment_id: int, *, repo: str | None = None, place: str = "issues/comments"
    ) -> list[tuple[str, str]]:
        """Who reacted how to a comment; places: issues/comments, pulls/comments, issues."""
        kept = self.state.reactions.get((self._repo(repo), place, comment_id), [])
        return [(each["user"]["login"], each["content"]) for each in kept]

    def reviews(self, number: int, *, repo: str | None = None) -> list[dict[str, Any]]:
        """The reviews of a pull request, each with its `comments`."""
        path = f"/repos/{self._repo(repo)}/pulls/{number}/reviews"
        reviews = self.get(f"{path}?per_page=100")
        return [each | {"comments": self.get(f"{path}/{each['id']}/comments?per_page=100")} for each in reviews]

    def pull(self, number: int, *, repo: str | None = None) -> dict[str, Any]:
        """A pull request as the API shows it."""
        return dict(self.get(f"/repos/{self._repo(repo)}/pulls/{number}"))

    @property
    def sarifs(self) -> list[dict[str, Any]]:
        """What was uploaded to code scanning: `commit_sha`, `ref`, and `sarif` unpacked."""
        return list(self.state.sarifs.values())

    @property
    def requests(self) -> list[Exchange]:
        """Everything that was asked by others than the test itself, oldest first."""
        return list(self.state.log)

    @property
    def deliveries(self) -> list[Delivery]:
        """Every webhook so far, delivered or not, oldest first."""
        return list(self.state.deliveries)

    @property
    def violations(self) -> list[str]:
        """What was asked that GitHub does not document. The test fails unless it clears this list."""
        return self.state.violations

    # ------------------------------------------------------------------ webhooks

    def deliver_to(self, url: str | None) -> None:
        """From now on send webhooks to this address. Before that they are only kept in `deliveries`."""
        self.state.webhook_url = url

    def send(self, event: str, payload: dict[str, Any]) -> Delivery:
        """Send any webhook, signed, with the installation filled in."""
        return self.front.announce(event, payload)

    def redeliver(self, delivery: Delivery) -> None:
        """Press "Redeliver": the same GUID again."""
        self.front.deliver(delivery)

    def wait(self, until: Callable[[], Any], *, timeout_s: float = 10) -> Any:
        """Wait until something is so; gives what `until` gave. Fails by AssertionError with the last requests."""
        end = time.monotonic() + timeout_s
        while not (found := until()):
            left = end - time.monotonic()
            if left <= 0:
                last = "\n".join(str(each) for each in self.state.log[-15:])
                raise AssertionError(f"waited {timeout_s} s in vain; the last requests:\n{last}")
            with self.state.changed:
                self.state.changed.wait(min(left, 0.2))
        return found

    def settled(self, *, timeout_s: float = 10) -> None:
        """Wait until every webhook so far was delivered, or refused."""
        self.wait(lambda: self.state.num_undelivered == 0, timeout_s=timeout_s)

    def delivery(self, event: str, action: str | None = None, *, timeout_s: float = 5) -> Delivery:
        """The newest webhook of a kind, waited for: the emulator's own come a moment after what caused them."""

        def newest() -> Delivery | None:
            found = [each for each in self.state.deliveries if (each.event, each.action) == (event, action)]
            return found[-1] if found else None

        found: Delivery = self.wait(newest, timeout_s=timeout_s)
        return found

    # ------------------------------------------------------------------ trouble

    def limit(self, window_s: float, *, core: int = 5000, graphql: int = 5000) -> None:
        """From now on count the installation's requests in windows of so many seconds, where GitHub's are hours."""
        for resource, most in (("core", core), ("graphql", graphql)):
            self.state.budgets[resource] = Budget(resource, most, window_s)

    def grant(self, **permissions: str | None) -> None:
        """Change what the installation grants; `None` takes a permission away."""
        granted = self._emulator.bed("grant", permissions=permissions)["permissions"]
        assert {name: granted.get(name) for name in permissions} == permissions

    def subscribe(self, *events: str) -> None:
        """Change which events the App hears of."""
        self.state.events = list(events)

    def suspend(self, *, undo: bool = False) -> None:
        """Suspend the installation: its tokens are refused."""
        self.state.suspended = not undo
        self._announce_installation("unsuspend" if undo else "suspend")

    def uninstall(self) -> None:
        """Take the App out of the organization."""
        self.state.suspended = True
        self.revoke_tokens()
        self._announce_installation("deleted")

    def revoke_tokens(self) -> None:
        """Let every token of the installation expire now."""
        for value, token in list(self.state.tokens.items()):
            if token.kind == "installation":
                del self.state.tokens[value]

    def _announce_installation(self, action: str) -> None:
        home = next(each for each in self.state.repositories if each not in self.state.forks)
        installation = self.get(f"/repos/{home}/installation")
        repositories = [
            {name: self.get(f"/repos/{repo}")[name] for name in ("id", "node_id", "name", "full_name", "private")}
            for repo in self.state.repositories
            if repo not in self.state.forks
        ]
        sender = self.get(f"/users/{OWNER}")
        payload = {"action": action, "installation": installation, "repositories": repositories, "sender": sender}
        self.front.announce("installation", payload)

    def oidc_token(self, *, forge: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token as a job of GitHub Actions gets it; `forge` holds keyword arguments of `oidc.token`."""
        return oidc.token(self.front, claims, **(forge or {}))

    def job_identity(self, run_id: int, workflow: str, *, repo: str | None = None, **claims: Any) -> dict[str, str]:
        """What a job of a run with `id-token: write` has in its environment; `claims` replace those of its token.

        `workflow` is the file the job runs: `owner/name/.github/workflows/file.yml@ref`.
        """
        name = self._repo(repo)
        run, value = self.state.workflow_runs[(name, run_id)], f"runner-{next(self.state.ids)}"
        self.state.tokens[value] = Token(value, "runner")
        self.state.jobs[value] = {
            "sub": f"repo:{name}:{run['event']}", "repository": name, "repository_id": str(self.repository_id(name)),
            "event_name": run["event"], "run_id": str(run_id), "run_attempt": str(run["run_attempt"]),
            "ref": "refs/heads/main", "job_workflow_ref": workflow,
        } | claims  # fmt: skip
        address = f"{self.url}{oidc.REQUEST}?api-version=2.0"
        return {"ACTIONS_ID_TOKEN_REQUEST_URL": address, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": value}

    @property
    def oidc_issuer(self) -> str:
        """The issuer of those tokens."""
        return f"{self.url}{oidc.ISSUER}"
