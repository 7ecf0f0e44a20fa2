"""People, repositories and commits of the fake GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import httpx2

from tests.fakes.front.deliveries import Delivery
from tests.fakes.front.mirror import changed_by_commit, commits_between, git, new_objects, point, said_of_commit, take
from tests.fakes.front.state import APP_SLUG, ORGANIZATION, OWNER
from tests.fakes.front.tokens import PERSON, Token
from tests.fakes.github_server import GitHubServer
from tests.repositories import loose_ref

NOTHING = "0" * 40


class HasPath(Protocol):
    """A working repository, such as `tests.repositories.RealRepository`."""

    path: Path


class Hosting:
    """Methods take `repo="owner/name"`; without it they mean the repository made first."""

    def __init__(self, server: GitHubServer, folder: Path) -> None:
        self.front = server.front
        self.state = server.fresh()
        self.url = server.front.url
        self.private_key = server.private_key
        self._emulator = server.emulator
        self._folder = folder
        self._mirrored: dict[str, list[str]] = {}
        self._client = httpx2.Client(base_url=self.url, timeout=60, trust_env=False, verify=False)
        self.person(OWNER)
        self.person(f"{APP_SLUG}[bot]", kind="Bot")

    def close(self) -> None:
        """Let go of connections, and bring no more webhooks to whoever listened."""
        self.state.webhook_url = None
        self._client.close()

    @contextmanager
    def at(self, moment: datetime) -> Iterator[None]:
        """What is done inside happens at this time, in whole seconds; who asks for a token there gets an old one."""
        self.state.clock = moment
        self._emulator.bed("clock", at=moment.timestamp() * 1000)
        try:
            yield
        finally:
            self.state.clock = None
            self._emulator.bed("clock", at=None)

    # ------------------------------------------------------------------ people

    def person(self, login: str, *, role: str | None = None, repo: str | None = None, kind: str = "User") -> str:
        """Let somebody exist, and give them a role; gives a token that acts as them.

        Roles: none, read, triage, write, maintain, admin. Kinds: User, Bot.
        """
        token = f"{PERSON}{re.sub(r'[^A-Za-z0-9]', '_', login)}"
        made = self._emulator.bed("people", login=login, type=kind, token=token, organization=ORGANIZATION)
        self.state.people[login] = {"id": made["id"], "type": kind, "token": token}
        self.state.tokens[token] = Token(token, "person", login)
        if role is not None:
            self.state.permissions[(self._repo(repo), login)] = role
        return token

    def as_person(self, login: str, method: str, path: str, body: Any = None) -> Any:
        """Do something by the API as somebody; it must succeed. Neither logged nor judged nor hit by faults."""
        if login not in self.state.people:
            self.person(login)
        token = self.state.people[login]["token"]
        answer = self._client.request(method, path, json=body, headers={"authorization": f"Bearer {token}"})
        assert answer.is_success, f"{login}: {method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None

    def get(self, path: str) -> Any:
        """Read something by the API, as the owner."""
        return self.as_person(OWNER, "GET", path)

    # ------------------------------------------------------------------ repositories

    def create_repository(self, name: str = "shop", *, private: bool = True) -> str:
        """An empty repository of the organization, in which the App is installed; gives `owner/name`."""
        made = self.as_person(OWNER, "POST", f"/orgs/{ORGANIZATION}/repos", {"name": name, "private": private})
        full_name: str = made["full_name"]
        self._keep(full_name)
        if not private:
            self.state.public.add(full_name)
        self.state.permissions[(full_name, OWNER)] = "admin"
        return full_name

    def fork(self, by: str, *, repo: str | None = None) -> str:
        """Somebody's own copy of a repository, where the App is not installed; gives `by/name`."""
        name = self._repo(repo)
        made: str = self.as_person(by, "POST", f"/repos/{name}/forks", {})["full_name"]
        self._keep(made)
        self.state.forks[made] = name
        self.as_person(by, "PUT", f"/repos/{made}/collaborators/{OWNER}", {"permission": "pull"})
        git(self.bare(made), "fetch", "--quiet", str(self.bare(name)), "+refs/heads/*:refs/heads/*")
        for line in (
            git(self.bare(made), "for-each-ref", "--format=%(objectname) %(refname:lstrip=2)").decode().splitlines()
        ):
            sha, branch = line.split(" ", 1)
            self._mirror(made, sha)
            self._emulator.bed("branch", repo=made, branch=branch, sha=sha)
        return made

    def clone_url(self, repo: str | None = None) -> str:
        """Where git clones from over HTTP; it asks for a token, as the password of `x-access-token` or as a bearer."""
        return f"{self.url}/{self._repo(repo)}.git"

    def bare(self, repo: str | None = None) -> Path:
        """The folder of the repository as the fake keeps it."""
        return self.state.repositories[self._repo(repo)]

    def repository_id(self, repo: str | None = None) -> int:
        """The number that stays when a repository is renamed."""
        number: int = self.get(f"/repos/{self._repo(repo)}")["id"]
        return number

    def require_checks(self, *names: str, branch: str = "main", repo: str | None = None) -> None:
        """Let a branch require these checks of every change."""
        self.state.required_checks[(self._repo(repo), branch)] = list(names)

    def _keep(self, full_name: str) -> None:
        bare = self._folder / f"{full_name}.git"
        bare.mkdir(parents=True)
        git(bare, "init", "--quiet", "--bare", "--initial-branch=main")
        with (bare / "config").open("a") as settings:  # a process for each would cost as much as all the rest
            settings.write(
                "[uploadpack]\n allowFilter = true\n allowAnySHA1InWant = true\n[http]\n receivepack = true\n"
            )
            settings.write("[core]\n fsync = none\n[gc]\n auto = 0\n")
        self.state.repositories[full_name] = bare
        self._mirrored[full_name] = []

    def _repo(self, repo: str | None) -> str:
        return repo or next(iter(self.state.repositories))

    # ------------------------------------------------------------------ commits

    def push(self, source: HasPath | Path, branch: str = "main", *, repo: str | None = None, by: str = OWNER) -> str:
        """Push a branch of a real repository; webhooks and the heads of open pull requests follow. Gives its commit."""
        name, path = self._repo(repo), source if isinstance(source, Path) else source.path
        before = self._tip(name, branch)
        sha = loose_ref(path / ".git", f"refs/heads/{branch}")
        sha = sha or git(path, "rev-parse", "--verify", f"{branch}^{{commit}}").decode().strip()
        take(path, sha, self.bare(name), self._mirrored[name])
        point(self.bare(name), f"refs/heads/{branch}", sha)
        return self._pushed(name, branch, before, by)

    def delete_branch(self, branch: str, *, repo: str | None = None, by: str = OWNER) -> None:
        """Delete a branch."""
        name = self._repo(repo)
        before = self._tip(name, branch)
        git(self.bare(name), "update-ref", "-d", f"refs/heads/{branch}")
        self._emulator.bed("branch", repo=name, branch=branch, sha=None)
        self.announce_push(name, branch, before, NOTHING, by)

    def _tip(self, repo: str, branch: str) -> str:
        name = f"refs/heads/{branch}"
        if sha := loose_ref(self.bare(repo), name):
            return sha
        found = git(self.bare(repo), "rev-parse", "--quiet", "--verify", name, check=False)
        return found.decode().strip() or NOTHING

    def _pushed(self, repo: str, branch: str, before: str, by: str) -> str:
        sha = self._tip(repo, branch)
        self._mirror(repo, sha)
        self._emulator.bed("branch", repo=repo, branch=branch, sha=sha)
        self.state.pushes.append(
            {"repo": repo, "branch": branch, "before": before, "after": sha, "by": by, "at": self.state.now()}
        )
        if repo not in self.state.forks:  # the App is not installed in forks, and hears nothing of them
            self.announce_push(repo, branch, before, sha, by)
        for (base, number), pull in list(self.state.pulls.items()):
            is_its_head = (pull["head_repo"], pull["head_ref"]) == (repo, branch) and pull["state"] == "open"
            if is_its_head and sha != pull["head_sha"]:
                self._head_moved(base, number, sha, by)
        return sha

    def _head_moved(self, repo: str, number: int, sha: str, by: str) -> None:
        raise NotImplementedError

    def _mirror(self, repo: str, sha: str) -> None:
        rows = new_objects(self.bare(repo), sha, self._mirrored[repo])
        self._emulator.bed("objects", "POST", repo=repo, **rows)
        self._mirrored[repo].append(sha)

    def announce_push(self, repo: str, branch: str, before: str, after: str, by: str) -> Delivery:
        """Send the webhook of a push."""
        is_new, is_gone = before == NOTHING, after == NOTHING
        span = after if is_new else f"{before}..{after}"
        shas = [] if is_gone else commits_between(self.bare(repo), span)
        commits = [self._commit_shown(repo, sha) for sha in shas]
        return self._announce_in(repo, by, "push", {
            "ref": f"refs/heads/{branch}",
            "before": before,
            "after": after,
            "created": is_new,
            "deleted": is_gone,
            "forced": False,
            "base_ref": None,
            "compare": f"{self.url}/{repo}/compare/{before[:12]}...{after[:12]}",
            "commits": commits,
            "head_commit": commits[-1] if commits else None,
            "pusher": {"name": by, "email": f"{by}@example.org"},
        })  # fmt: skip

    def _commit_shown(self, repo: str, sha: str) -> dict[str, Any]:
        tree, at, name, email, message = said_of_commit(self.bare(repo), sha).split("\0", 4)
        person = {"name": name, "email": email}
        fields = changed_by_commit(self.bare(repo), sha).split("\0")
        by_kind = {kind: [p for k, p in zip(fields[::2], fields[1::2], strict=False) if k == kind] for kind in "ADM"}
        return {
            "id": sha, "tree_id": tree, "distinct": True, "message": message.strip(), "timestamp": at,
            "url": f"{self.url}/{repo}/commit/{sha}", "author": person, "committer": person,
            "added": by_kind["A"], "removed": by_kind["D"], "modified": by_kind["M"],
        }  # fmt: skip

    def _announce_in(self, repo: str, by: str, event: str, payload: dict[str, Any]) -> Delivery:
        """Say what happened in a repository where the App is installed."""
        seen = {"repository": self.get(f"/repos/{repo}"), "sender": self.get(f"/users/{quote(by)}")}
        return self.front.announce(event, payload | seen)
