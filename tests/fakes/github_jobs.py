"""Runs of GitHub Actions that are going on in the fake GitHub: their tokens and their artifacts."""

from __future__ import annotations

import io
import secrets
import zipfile
from typing import Any

from tests.fakes.front.dressing import ACTIONS, pulls_with
from tests.fakes.front.state import ORGANIZATION, OWNER
from tests.fakes.front.tokens import Token
from tests.fakes.github_work import Work

ACTIONS_LOGIN = f"{ACTIONS[1]}[bot]"


class Jobs(Work):
    """For whoever plays the runner (`tests.fakes.act`); the runs of `workflow_run` are over before they are seen."""

    def job_token(self, permissions: dict[str, str], *, repo: str | None = None) -> str:
        """The `GITHUB_TOKEN` of a job. Permissions are named as workflows name them: `{"pull-requests": "write"}`."""
        name = self._repo(repo)
        value = f"ghs_{secrets.token_hex(18)}"
        granted = {key.replace("-", "_"): level for key, level in permissions.items() if level in ("read", "write")}
        self.person(ACTIONS_LOGIN, kind="Bot")
        self._emulator.bed("people", login=ACTIONS_LOGIN, type="Bot", token=value, organization=ORGANIZATION)
        granted["metadata"] = "read"
        self.state.tokens[value] = Token(
            value, "job", ACTIONS_LOGIN, permissions=granted, repositories=frozenset({name})
        )
        return value

    def revoke(self, token: str) -> None:
        """A job's token ends with its job."""
        self.state.tokens.pop(token, None)

    def begin_run(
        self, sha: str, event: str, *, repo: str | None = None, head_repo: str | None = None,
        head_branch: str = "change", workflow: str = "main", again: int | None = None, by: str = OWNER,
    ) -> int:  # fmt: skip
        """A run begins; `again` is the run of which it is the next attempt. Gives its id."""
        name = self._repo(repo)
        if again is None:
            again = self.workflow_run(
                sha, repo=name, head_repo=head_repo, event=event, name=workflow, by=by, conclusion=None,
                announce=False,
            )  # fmt: skip
        else:
            self.state.workflow_runs[(name, again)]["run_attempt"] += 1
        run = self.state.workflow_runs[(name, again)]
        near = [] if head_repo else pulls_with(self.front, name, sha)
        run |= {"status": "in_progress", "conclusion": None, "head_branch": head_branch, "pull_requests": near}
        return again

    def finish_run(self, run_id: int, conclusion: str, *, repo: str | None = None) -> dict[str, Any]:
        """A run is over, which is announced; gives it as the webhook has it."""
        name = self._repo(repo)
        run = self.state.workflow_runs[(name, run_id)]
        run |= {"status": "completed", "conclusion": conclusion}
        announced = {"action": "completed", "workflow_run": dict(run), "workflow": None}
        return self._announce_in(name, run["actor"]["login"], "workflow_run", announced).payload

    def artifacts(self, run_id: int, *, repo: str | None = None) -> dict[str, dict[str, bytes]]:
        """What a run left behind: artifact -> file -> content; of the same name the newest."""
        found: dict[str, dict[str, bytes]] = {}
        for (owner, _), each in self.state.artifacts.items():
            if owner == self._repo(repo) and each["shown"]["workflow_run"]["id"] == run_id:
                with zipfile.ZipFile(io.BytesIO(each["zip"])) as packed:
                    found[each["shown"]["name"]] = {file: packed.read(file) for file in packed.namelist()}
        return found
