"""The job the Action runs in: its repository and run, the folders it may write to, and its token.

All of it comes from environment variables set by the runner or by expressions in action.yml, none from a file.
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

    `work` is the Action's own folder, `workspace` the checkout of the workflow, `output` and `summary` the runner's
    files for this step. `name` is the job's id in its workflow. `identity_url` and `identity_request` are for
    requesting an identity token, with the permission `id-token: write`.
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
        """Open the repository by this job's token; the caller closes it. Raises `ActionMisused` without a token."""
        if self.token is None:
            raise ActionMisused("input token: empty; leave it out to use the job's own, github.token")
        return Repo.from_token(self.token, self.repository, self.api_url, repository_id=self.repository_id)

    @property
    def web_url(self) -> str:
        """Address of the repository's page."""
        return f"{self.server_url}/{self.repository}"

    @property
    def run_url(self) -> str:
        """Address of the run's page."""
        return self.url_of_run(self.run_id)

    def url_of_run(self, run_id: int) -> str:
        """Return the address of the page of any run of the repository."""
        return f"{self.web_url}/actions/runs/{run_id}"

    @property
    def clone_url(self) -> str:
        """Address for git."""
        return f"{self.web_url}.git"


def read_job(env: Mapping[str, str]) -> Job:
    """Read the job from the environment. Raises `ActionMisused` naming the first invalid variable."""
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
    """Return a name that is only shown or looked up: one printable line, may be empty."""
    value = env.get(name, "")
    if len(value) > MOST_CHARS or not value.isprintable():
        raise _wrong(name, value)
    return value


def _secret(env: Mapping[str, str], name: str) -> str | None:
    value = env.get(name, "").strip()
    if not value.isascii() or not value.isprintable() or " " in value:
        # Never quoted: it may be a real token with text pasted after it.
        raise ActionMisused(f"{name}: not a valid token")
    return value or None


def _work(env: Mapping[str, str]) -> Path:
    """Return the Action's own folder. action.yml creates it for this job, so it must exist and not be a link."""
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
    said = "is missing" if not value else f"{value[:80]!a} is not valid"
    return ActionMisused(f"{name}: {said}; action.yml sets it")
