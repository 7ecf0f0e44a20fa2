"""The job the Action runs in: which repository and run it is, where it may write, and the token it was given.

All of it comes from the environment, set by the runner or by expressions in action.yml; none of it from a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from assay.action.environment.inputs import PREFIX
from assay.github.client import Repo
from assay.github.errors import ActionMisused

_FULL_NAME = re.compile(r"(?!\.\.?/)[A-Za-z0-9_.-]{1,100}/(?!\.\.?$)[A-Za-z0-9_.-]{1,100}")
_EVENT = re.compile(r"[a-z][a-z_]{0,99}")
_NUMBER = re.compile(r"[1-9][0-9]{0,18}")
MOST_CHARS = 255


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a workflow run.

    `work` is our own folder, `workspace` where the workflow has checked something out, `output` and `summary` the
    runner's files for this step. `name` is the job's id in its workflow. With `identity_url` and `identity_request` a
    job that has `id-token: write` asks for a token that says who it is.
    """

    event: str
    api_url: str
    server_url: str
    repository: str
    repository_id: int
    run_id: int
    run_attempt: int
    actor: str
    default_branch: str
    work: Path
    workspace: Path | None = None
    output: Path | None = None
    summary: Path | None = None
    token: str | None = field(default=None, repr=False)
    name: str = ""
    identity_url: str | None = None
    identity_request: str | None = field(default=None, repr=False)

    def repo(self) -> Repo:
        """The repository by this job's token, to be closed; raises `ActionMisused` where there is no token."""
        if self.token is None:
            raise ActionMisused("input token: there is none; the default is the job's own, github.token")
        return Repo.from_token(self.token, self.repository, self.api_url, repository_id=self.repository_id)

    @property
    def web_url(self) -> str:
        """Where people see the repository."""
        return f"{self.server_url}/{self.repository}"

    @property
    def run_url(self) -> str:
        """Where people see the run."""
        return self.url_of_run(self.run_id)

    def url_of_run(self, run_id: int) -> str:
        """Where people see any run of the repository."""
        return f"{self.web_url}/actions/runs/{run_id}"

    @property
    def clone_url(self) -> str:
        """Where git finds the repository."""
        return f"{self.web_url}.git"


def read_job(env: Mapping[str, str]) -> Job:
    """The job as the environment tells it; raises `ActionMisused` naming the first variable that cannot be right."""
    return Job(
        event=_matching(env, PREFIX + "EVENT", _EVENT),
        api_url=_address(env, PREFIX + "API_URL"),
        server_url=_address(env, PREFIX + "SERVER_URL"),
        repository=_matching(env, PREFIX + "REPOSITORY", _FULL_NAME),
        repository_id=_number(env, PREFIX + "REPOSITORY_ID"),
        run_id=_number(env, PREFIX + "RUN_ID"),
        run_attempt=_number(env, PREFIX + "RUN_ATTEMPT"),
        actor=_line(env, PREFIX + "ACTOR"),
        default_branch=_line(env, PREFIX + "DEFAULT_BRANCH"),
        work=_work(env),
        workspace=_folder(env, "GITHUB_WORKSPACE"),
        output=_file(env, "GITHUB_OUTPUT"),
        summary=_file(env, "GITHUB_STEP_SUMMARY"),
        token=_secret(env, PREFIX + "TOKEN"),
        name=_line(env, "GITHUB_JOB"),
        identity_url=_address(env, "ACTIONS_ID_TOKEN_REQUEST_URL") if env.get("ACTIONS_ID_TOKEN_REQUEST_URL") else None,
        identity_request=_secret(env, "ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
    )


def _matching(env: Mapping[str, str], name: str, pattern: re.Pattern[str]) -> str:
    value = env.get(name, "")
    if not pattern.fullmatch(value):
        raise _wrong(name, value)
    return value


def _number(env: Mapping[str, str], name: str) -> int:
    number = int(_matching(env, name, _NUMBER))
    if number >= 2**63:
        raise _wrong(name, str(number))
    return number


def _address(env: Mapping[str, str], name: str) -> str:
    value = env.get(name, "").rstrip("/")
    try:
        parts = urlsplit(value)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one or parts.username or parts.password or not value.isprintable() or " " in value:
        raise _wrong(name, value)
    return value


def _line(env: Mapping[str, str], name: str) -> str:
    """A name that is only shown or looked up: a printable line, or nothing."""
    value = env.get(name, "")
    if len(value) > MOST_CHARS or not value.isprintable():
        raise _wrong(name, value)
    return value


def _secret(env: Mapping[str, str], name: str) -> str | None:
    value = env.get(name, "").strip()
    if not value.isascii() or not value.isprintable() or " " in value:
        # Never quoted: it may be a real one with something pasted behind it.
        raise ActionMisused(f"{name}: this is no token")
    return value or None


def _work(env: Mapping[str, str]) -> Path:
    """Our own folder: made for this job by action.yml, so it is there, and nobody's link."""
    path = Path(env.get(PREFIX + "WORK", ""))
    if not path.is_absolute() or path.is_symlink() or not path.is_dir():
        raise _wrong(PREFIX + "WORK", str(path))
    return path


def _folder(env: Mapping[str, str], name: str) -> Path | None:
    value = env.get(name, "")
    return Path(value) if value and Path(value).is_absolute() and Path(value).is_dir() else None


def _file(env: Mapping[str, str], name: str) -> Path | None:
    value = env.get(name, "")
    return Path(value) if value and Path(value).is_absolute() else None


def _wrong(name: str, value: str) -> ActionMisused:
    said = "is missing" if not value else f"{value[:80]!a} cannot be right"
    return ActionMisused(f"{name}: {said}; action.yml sets it")
