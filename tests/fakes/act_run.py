"""One run of a workflow by act: the files it is made of, its process, and the check runs its commit shows meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tests.conftest import ROOT
from tests.fakes.act_report import as_said
from tests.fakes.act_workflows import TOLD, JobNeeds, Workflows, filled_action, read_yaml
from tests.fakes.front.mirror import git

if TYPE_CHECKING:
    from tests.fakes.github import FakeGitHub

ACT = Path(sys.executable).with_name("act")
STAND_INS = Path(__file__).resolve().parent / "actions"
ASSAY_REPOSITORY = "assay-dev/assay"
"""Whose the Action is in these tests: what workflows call and check out by this name is this project's own tree."""
OUR_ACTIONS = ("action.yml", "memory/action.yml")
_NOWHERE = "http://127.0.0.1:9"
_OF_THE_WAY_OUT = re.compile(r"PIP_.*|SSL_CERT_.*|.*_CA_BUNDLE|HTTPS?_PROXY")


class Runner(Protocol):
    """The machine the run is on (`tests.fakes.act.Act`)."""

    github: FakeGitHub
    cache: Path
    installed: bool
    online: bool
    programs: Path | None

    @property
    def action(self) -> Path:
        """A copy of this project."""

    def next_folder(self) -> Path:
        """A folder for one more run."""


class Run:
    """The files of one run, and the process."""

    def __init__(
        self, act: Runner, repo: str, number: int, event: str, payload: dict[str, Any], sha: str, ref: str, about: str,
        read_only: bool, called_at: str, file: str,
    ) -> None:  # fmt: skip
        self.act, self.github, self.repo, self.number, self.event = act, act.github, repo, number, event
        self.payload, self.sha, self.ref, self.about, self.read_only = payload, sha, ref, about, read_only
        self.called_at, self.place = called_at, f"{repo}/.github/workflows/{file}@{ref}"
        self.folder = act.next_folder()
        self.work = self.folder / "work"
        self.record = self.github.state.workflow_runs[(repo, number)]
        self.tokens: list[str] = []
        self.checks: dict[str, int] = {}
        self.workflows = Workflows(self.place, self._read, self._furnish, self._inputs_of, self._literals())

    def _literals(self) -> dict[str, str]:
        """The contexts that act does not know."""
        repository = self.payload["repository"]
        return {
            "github.repository_id": str(repository["id"]),
            "github.repository_owner_id": str(repository["owner"]["id"]),
            "github.triggering_actor": self.record["triggering_actor"]["login"],
            "github.workflow_ref": self.place,
            "github.workflow_sha": self.sha,
            "job.workflow_repository": ASSAY_REPOSITORY,
            "job.workflow_sha": "a" * 40,
            "runner.environment": "github-hosted",
        }

    def _furnish(self, job: str, permissions: Mapping[str, str], place: str) -> JobNeeds:
        levels = {name: "read" if self.read_only and level == "write" else level for name, level in permissions.items()}
        token = self.github.job_token(levels, repo=self.repo)
        self.tokens.append(token)
        may_identify = permissions.get("id-token") == "write" and not self.read_only
        at = f"{place.split('@', maxsplit=1)[0]}@{self.ref if place.endswith(('@', self.ref)) else self.called_at}"
        more = {"sha": self.sha, "ref": self.ref, "job_workflow_sha": "a" * 40}
        env = self.github.job_identity(self.number, at, repo=self.repo, **more) if may_identify else {}
        return JobNeeds({"github.token": token, "secrets.GITHUB_TOKEN": token}, env)

    def _read(self, repo: str, file: str, ref: str) -> str:
        if repo:
            assert repo == ASSAY_REPOSITORY, f"nobody has {repo}"
            return (ROOT / ".github/workflows" / file).read_text()
        return self.file_of(file)

    def file_of(self, file: str) -> str:
        """A workflow file of the repository, at the commit the run is of."""
        return git(self.github.bare(self.repo), "show", f"{self.sha}:.github/workflows/{file}").decode()

    def _inputs_of(self, uses: str) -> set[str] | None:
        return set(read_yaml((self._home_of(uses)[1] / "action.yml").read_text()).get("inputs") or {})

    def _home_of(self, uses: str) -> tuple[str, Path]:
        """`owner/name@ref` of an action, and where its files are."""
        if uses.startswith("./"):  # checked out by the workflow: only ever the Action itself
            return "", self.act.action.joinpath(*uses.split("/")[2:])
        path, _, ref = uses.partition("@")
        owner, name, *inside = path.split("/")
        if f"{owner}/{name}" == ASSAY_REPOSITORY:
            return f"{owner}/{name}@{ref}", self.act.action.joinpath(*inside)
        home = self.folder / "actions" / name
        assert (STAND_INS / name).is_dir(), f"there is no stand-in for {uses}"
        if not home.is_dir():
            shutil.copytree(STAND_INS / name, home)
            settings = {
                "action_repository": ASSAY_REPOSITORY, "action_folder": str(self.act.action),
                "cache": str(self.act.cache),
                "artifacts": f"{self.github.url}/_bed/runs/{self.repo}/{self.number}/artifacts",
            }  # fmt: skip
            (home / "settings.json").write_text(json.dumps(settings))
            (home / "python").write_text(f'PYTHON="{sys.executable}"\n')
        return f"{owner}/{name}@{ref}", home.joinpath(*inside)

    def write(self, workflow: str) -> None:
        """Write everything act reads."""
        self.act.cache.mkdir(parents=True, exist_ok=True)
        actions = {name: filled_action(ROOT / name, self._literals()) for name in OUR_ACTIONS}
        for name, action in actions.items():
            (self.act.action / name).write_text(action)
        self.workflows.prepare(workflow)
        place = self.work / ".github/workflows"
        place.mkdir(parents=True)
        for file, text in self.workflows.files.items():
            (place / file).write_text(text)
        (self.folder / "event.json").write_text(json.dumps(self.payload))
        # Of a repository act wants to know the commit; its objects may lie elsewhere.
        git(self.work, "init", "--quiet", "--initial-branch=main")
        (self.work / ".git/objects/info/alternates").write_text(f"{self.github.bare(self.repo).resolve()}/objects\n")
        git(self.work, "update-ref", "refs/heads/main", self.sha)
        for action in actions.values():
            self.workflows.uses |= {step["uses"] for step in read_yaml(action)["runs"]["steps"] if "uses" in step}

    def play(self, env: Mapping[str, str], secrets: Mapping[str, str], timeout_s: float) -> tuple[int, str]:
        """Start act and read along; gives its exit code and its log."""
        with (
            (self.folder / "errors").open("wb") as errors,
            subprocess.Popen(
                self._command(env, secrets), env=self._environment(), cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
            ) as process,
        ):  # fmt: skip
            late = threading.Event()
            watch = threading.Timer(timeout_s, _end_late, (process, late))
            watch.start()
            try:
                lines = self._read_along(process)
                code = process.wait()
            finally:
                watch.cancel()
                _kill(process)
                for token in self.tokens:
                    self.github.revoke(token)
        log = "".join(lines)
        assert not late.is_set(), f"act was not done in {timeout_s} s:\n{log[-6000:]}"
        assert '"jobID"' in log, f"act ran nothing:\n{log[-2000:]}{(self.folder / 'errors').read_text()[-2000:]}"
        return code, log

    def _read_along(self, process: subprocess.Popen[bytes]) -> list[str]:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.decode(errors="replace"))
            self._show(lines[-1])
        return lines

    def _show(self, line: str) -> None:
        """Let the commit show the job as GitHub does: a check run of GitHub Actions, in progress and then over."""
        said = as_said(line) or {}
        job = said.get("jobID")
        if job is None or job.startswith(TOLD) or (job not in self.checks and "stepid" not in said):
            return
        if job not in self.checks:
            name = self.workflows.job_names.get(job, job)
            address = f"{self.record['html_url']}/job/{len(self.checks) + 1}"
            self.checks[job] = self.github.check(self.about, name, None, repo=self.repo, details_url=address)
        if result := said.get("jobResult"):
            self.github.finish_check(self.checks[job], result, repo=self.repo)

    def _command(self, env: Mapping[str, str], secrets: Mapping[str, str]) -> list[str]:
        shown = {
            "GITHUB_API_URL": self.github.url, "GITHUB_SERVER_URL": self.github.url,
            "GITHUB_GRAPHQL_URL": f"{self.github.url}/graphql",
            "GITHUB_REPOSITORY": self.repo, "GITHUB_REPOSITORY_ID": str(self.payload["repository"]["id"]),
            "GITHUB_RUN_ID": str(self.number), "GITHUB_RUN_ATTEMPT": str(self.record["run_attempt"]),
        }  # fmt: skip
        homes = {home: place for home, place in map(self._top_of, sorted(self.workflows.uses)) if home}
        return [
            str(ACT), self.event, "--json", "-C", str(self.work), "-W", str(self.work / ".github/workflows/main.yml"),
            "-e", str(self.folder / "event.json"), "-a", self.payload["sender"]["login"],
            "-P", "ubuntu-latest=-self-hosted", "--no-skip-checkout", "--no-cache-server", "--action-offline-mode",
            "--action-cache-path", str(self.folder / "act"),
            *(f"--local-repository={home}={place}" for home, place in homes.items()),
            *(f"--env={key}={value}" for key, value in (shown | dict(env)).items()),
            # Every job has a token of its own; this one is for what was forgotten, and may do nothing.
            *(f"-s={key}={value}" for key, value in ({"GITHUB_TOKEN": "ghs_none"} | dict(secrets)).items()),
        ]  # fmt: skip

    def _top_of(self, uses: str) -> tuple[str, Path]:
        home, place = self._home_of(uses)
        if place.is_relative_to(self.act.action):
            return home, self.act.action
        name = uses.partition("@")[0].split("/")[1]
        return home, self.folder / "actions" / name

    def _environment(self) -> dict[str, str]:
        """Of the runner itself, which steps inherit: nothing of ours but programs; no way out but to this machine."""
        programs = [str(Path(sys.executable).parent), os.environ["PATH"]]
        if self.act.programs is not None:
            programs.insert(0, str(self.act.programs))
        home = self.folder / "home"
        for each in ("home", "tmp", "tools"):
            (self.folder / each).mkdir()
        environment = {
            "PATH": os.pathsep.join(programs), "HOME": str(home), "LANG": "C.UTF-8", "TMPDIR": str(self.folder / "tmp"),
            "XDG_CACHE_HOME": str(home / ".cache"), "RUNNER_TOOL_CACHE": str(self.folder / "tools"),
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "NO_PROXY": "127.0.0.1,localhost",
        }  # fmt: skip
        if self.act.online:
            environment |= {name: value for name, value in os.environ.items() if _OF_THE_WAY_OUT.fullmatch(name)}
        else:
            environment |= {"HTTP_PROXY": _NOWHERE, "HTTPS_PROXY": _NOWHERE}
        return environment | ({"ASSAY_HOME": str(Path(sys.prefix))} if self.act.installed else {})


def _end_late(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End act and whatever it started and left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
