"""A GitHub for one test: repositories, people and pull requests in it, and what the App did there.

The emulator (`emulate`, written elsewhere) keeps the state, `github_front` adds what it lacks and watches who comes in.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import httpx2
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fakes.emulator import Emulator
from tests.fakes.front.deliveries import Delivery
from tests.fakes.front.exchange import Exchange
from tests.fakes.front.mirror import git, new_objects
from tests.fakes.front.state import APP_ID, APP_SLUG, INSTALLATION_ID, PERMISSIONS, State
from tests.fakes.front.tokens import Token
from tests.fakes.github_front import Front, pem

ORGANIZATION = "acme"
OWNER = "olivia"
WEBHOOK_SECRET = "a secret between the tests and the App"


class HasPath(Protocol):
    """A working repository, such as `tests.repositories.RealRepository`."""

    path: Path


class GitHubServer:
    """The running processes behind `FakeGitHub`, made once for a whole test run."""

    def __init__(self, judge: Callable[[Exchange], list[str]] | None = None) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.private_key = pem(key)
        self.front = Front(key.public_key(), judge)
        app = {
            "app_id": APP_ID,
            "slug": APP_SLUG,
            "name": "Assay Test",
            "private_key": self.private_key,
            "permissions": PERMISSIONS,
            "events": ["*"],
            "installations": [{"installation_id": INSTALLATION_ID, "account": ORGANIZATION}],
        }
        seed = {
            "users": [{"login": OWNER, "name": "Olivia Owner"}],
            "orgs": [{"login": ORGANIZATION, "members": [{"login": OWNER, "role": "admin"}]}],
            "apps": [app],
        }
        self.emulator = Emulator(self.front.url, f"{self.front.url}/_bed/events", seed)
        self.front.start(self.emulator.url)
        self._round = 0

    def fresh(self, folder: Path) -> FakeGitHub:
        """An empty GitHub; the one before is gone."""
        self._round += 1
        self.emulator.bed("reset", round=self._round)
        self.front.state = State(self._round, WEBHOOK_SECRET)
        return FakeGitHub(self, folder)

    def close(self) -> None:
        """End both."""
        self.front.close()
        self.emulator.close()


class FakeGitHub:
    """The handle a test holds. Methods take `repo="owner/name"`; without it they mean the repository made first."""

    app_id = APP_ID
    app_slug = APP_SLUG
    installation_id = INSTALLATION_ID
    organization = ORGANIZATION
    webhook_secret = WEBHOOK_SECRET

    def __init__(self, server: GitHubServer, folder: Path) -> None:
        self.server = server
        self.front = server.front
        self.state = server.front.state
        self.url = server.front.url
        self.private_key = server.private_key
        self._emulator = server.emulator
        self._folder = folder
        self._mirrored: dict[str, list[str]] = {}
        self._client = httpx2.Client(base_url=self.url, timeout=60, trust_env=False)
        self.person(OWNER, role="admin")

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    # ------------------------------------------------------------------ people and repositories

    def person(self, login: str, *, role: str | None = None, repo: str | None = None, type: str = "User") -> str:
        """Let somebody exist, with this role in the repository; gives a token that acts as them."""
        token = f"gho_{login}"
        made = self._emulator.bed("people", login=login, type=type, token=token, organization=ORGANIZATION)
        self.state.people[login] = {"id": made["id"], "type": type}
        self.state.tokens[token] = Token(token, "person", login)
        if role is not None and (repo or self.state.repositories):
            self.state.permissions[(self._repo(repo), login)] = role
        return token

    def create_repository(self, name: str = "shop", *, private: bool = True) -> str:
        """An empty repository of the organization, in which the App is installed; gives `owner/name`."""
        made = self.as_person(OWNER, "POST", f"/orgs/{ORGANIZATION}/repos", {"name": name, "private": private})
        full_name: str = made["full_name"]
        self._keep(full_name)
        self.state.permissions[(full_name, OWNER)] = "admin"
        return full_name

    def clone_url(self, repo: str | None = None) -> str:
        """Where git clones from, over HTTP; needs a token as user `x-access-token`'s password."""
        return f"{self.url}/{self._repo(repo)}.git"

    def bare(self, repo: str | None = None) -> Path:
        """The folder of the repository as the fake keeps it."""
        return self.state.repositories[self._repo(repo)]

    def _keep(self, full_name: str) -> None:
        bare = self._folder / f"{full_name}.git"
        bare.mkdir(parents=True)
        git(bare, "init", "--quiet", "--bare", "--initial-branch=main")
        for name in ("allowFilter", "allowAnySHA1InWant", "allowReachableSHA1InWant"):
            git(bare, "config", f"uploadpack.{name}", "true")
        git(bare, "config", "http.receivepack", "true")
        self.state.repositories[full_name] = bare
        self._mirrored[full_name] = []

    def _repo(self, repo: str | None) -> str:
        return repo or next(iter(self.state.repositories))

    # ------------------------------------------------------------------ commits

    def push(self, source: HasPath | Path, branch: str = "main", *, repo: str | None = None, by: str = OWNER) -> str:
        """Push a branch of a real repository; webhooks and the heads of open pull requests follow. Gives its commit."""
        name, path = self._repo(repo), source if isinstance(source, Path) else source.path
        bare = self.bare(name)
        before = git(bare, "rev-parse", "--quiet", "--verify", f"refs/heads/{branch}", check=False).decode().strip()
        git(path, "push", "--quiet", "--force", str(bare), f"{branch}:refs/heads/{branch}")
        sha = git(bare, "rev-parse", f"refs/heads/{branch}").decode().strip()
        self._mirror(name, sha)
        self._emulator.bed("branch", repo=name, branch=branch, sha=sha)
        self._say_pushed(name, branch, before or "0" * 40, sha, by)
        for (base, number), pull in list(self.state.pulls.items()):
            if (pull["head_repo"], pull["head_ref"]) == (name, branch) and pull["state"] == "open" and sha != pull["head_sha"]:
                self._move_head(base, number, sha, by)
        return sha

    def _mirror(self, repo: str, sha: str) -> None:
        rows = new_objects(self.bare(repo), sha, self._mirrored[repo])
        self._emulator.bed("objects", repo=repo, **rows)
        self._mirrored[repo].append(sha)

    def _say_pushed(self, repo: str, branch: str, before: str, after: str, by: str) -> None:
        self.front.announce(
            "push",
            {
                "ref": f"refs/heads/{branch}",
                "before": before,
                "after": after,
                "created": before == "0" * 40,
                "deleted": False,
                "forced": False,
                "base_ref": None,
                "compare": f"{self.url}/{repo}/compare/{before[:12]}...{after[:12]}",
                "commits": [],
                "head_commit": None,
                "pusher": {"name": by, "email": f"{by}@example.org"},
                "repository": self.get(f"/repos/{repo}"),
                "sender": self.get(f"/users/{by}"),
            },
        )

    def _move_head(self, repo: str, number: int, sha: str, by: str) -> None:
        pull = self.state.pulls[(repo, number)]
        before, pull["head_sha"] = pull["head_sha"], sha
        self._take_head(repo, number)
        payload = {"action": "synchronize", "number": number, "before": before, "after": sha}
        self._announce_pull(payload, repo, number, by)

    def _take_head(self, repo: str, number: int) -> None:
        """Point `refs/pull/N/head` and `/merge`, and the emulator's record, at the pull request's present head."""
        pull, bare = self.state.pulls[(repo, number)], self.bare(repo)
        sha = pull["head_sha"]
        if pull["head_repo"] != repo:
            git(bare, "fetch", "--quiet", str(self.bare(pull["head_repo"])), sha)
            self._mirror(repo, sha)
        git(bare, "update-ref", f"refs/pull/{number}/head", sha)
        base = f"refs/heads/{pull['base_ref']}"
        tree = git(bare, "merge-tree", "--write-tree", base, sha, check=False).decode().split("\n")[0]
        counts = git(bare, "diff", "--numstat", f"{base}...{sha}").decode().splitlines()
        added, removed = ([int(line.split("\t")[side]) for line in counts if line[0] != "-"] for side in (0, 1))
        merge = git(bare, "commit-tree", tree, "-p", base, "-p", sha, "-m", "Merge").decode().strip()
        git(bare, "update-ref", f"refs/pull/{number}/merge", merge)
        changes = {
            "head_sha": sha,
            "commits": int(git(bare, "rev-list", "--count", f"{base}..{sha}")),
            "additions": sum(added),
            "deletions": sum(removed),
            "changed_files": len(counts),
        }
        self._emulator.bed("pulls", "PATCH", repo=repo, number=number, changes=changes)

    # ------------------------------------------------------------------ pull requests

    def open_pull(
        self,
        head: str = "change",
        base: str = "main",
        *,
        repo: str | None = None,
        by: str = "ada",
        title: str = "A change",
        body: str = "",
        draft: bool = False,
        from_fork: str | None = None,
    ) -> int:
        """Open a pull request from a branch that was pushed; gives its number. The author may write, unless told else."""
        name = self._repo(repo)
        if by not in self.state.people:
            self.person(by, role="none" if from_fork else "write", repo=name)
        source = from_fork or name
        label = f"{source.split('/')[0]}:{head}" if from_fork else head
        sha = git(self.bare(source), "rev-parse", f"refs/heads/{head}").decode().strip()
        wanted = {"title": title, "body": body, "head": label, "base": base, "draft": draft}
        number: int = self.as_person(by, "POST", f"/repos/{name}/pulls", wanted)["number"]
        pull = {"head_repo": source, "head_ref": head, "base_ref": base, "head_sha": sha, "state": "open"}
        self.state.pulls[(name, number)] = pull
        self._take_head(name, number)
        self._announce_pull({"action": "opened", "number": number}, name, number, by)
        return number

    def _announce_pull(self, payload: dict[str, Any], repo: str, number: int, by: str) -> Delivery:
        seen = {
            "number": number,
            "pull_request": self.get(f"/repos/{repo}/pulls/{number}"),
            "repository": self.get(f"/repos/{repo}"),
            "organization": {"login": ORGANIZATION},
            "sender": self.get(f"/users/{by}"),
        }
        return self.front.announce("pull_request", seen | payload)

    # ------------------------------------------------------------------ what stands there now

    def check_runs(self, sha: str, *, repo: str | None = None, name: str | None = None) -> list[dict[str, Any]]:
        """The check runs of a commit, oldest first; each with the `annotations` it has by now."""
        found = self.get(f"/repos/{self._repo(repo)}/commits/{sha}/check-runs?filter=all&per_page=100")["check_runs"]
        runs = sorted((each for each in found if name in (None, each["name"])), key=lambda each: each["id"])
        return [run | {"annotations": self.state.annotations.get(run["id"], [])} for run in runs]

    def labels(self, number: int, *, repo: str | None = None) -> list[str]:
        """The names of a pull request's labels."""
        return [each["name"] for each in self.get(f"/repos/{self._repo(repo)}/issues/{number}/labels?per_page=100")]

    def comments(self, number: int, *, repo: str | None = None) -> list[dict[str, Any]]:
        """The comments in a pull request's conversation, oldest first."""
        return list(self.get(f"/repos/{self._repo(repo)}/issues/{number}/comments?per_page=100"))

    def reviews(self, number: int, *, repo: str | None = None) -> list[dict[str, Any]]:
        """The reviews of a pull request, each with its `comments`."""
        path = f"/repos/{self._repo(repo)}/pulls/{number}/reviews"
        reviews = self.get(f"{path}?per_page=100")
        return [each | {"comments": self.get(f"{path}/{each['id']}/comments?per_page=100")} for each in reviews]

    def pull(self, number: int, *, repo: str | None = None) -> dict[str, Any]:
        """A pull request as the API shows it."""
        return dict(self.get(f"/repos/{self._repo(repo)}/pulls/{number}"))

    @property
    def requests(self) -> list[Exchange]:
        """Everything that was asked by others than the test itself, oldest first."""
        return list(self.state.log)

    @property
    def deliveries(self) -> list[Delivery]:
        """Every webhook so far, delivered or not, oldest first."""
        return list(self.state.deliveries)

    # ------------------------------------------------------------------ webhooks

    def deliver_to(self, url: str) -> None:
        """From now on send webhooks to this address. Before that they are only kept in `deliveries`."""
        self.state.webhook_url = url

    def send(self, event: str, payload: dict[str, Any]) -> Delivery:
        """Send any webhook, signed, with the installation filled in."""
        return self.front.announce(event, payload)

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

    # ------------------------------------------------------------------ asking

    def get(self, path: str) -> Any:
        """Read something by the API, as the owner; neither logged nor judged."""
        return self.as_person(OWNER, "GET", path)

    def as_person(self, login: str, method: str, path: str, body: Any = None) -> Any:
        """Do something by the API as somebody; it must succeed."""
        answer = self._client.request(method, path, json=body, headers={"authorization": f"Bearer gho_{login}"})
        assert answer.is_success, f"{login}: {method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None
