"""The Action's inputs, read strictly.

action.yml passes each as an environment variable `ASSAY_ACTION_…`; an empty value counts as not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TypeVar
from urllib.parse import urlsplit

from assay.connections.addresses import is_loopback
from assay.github.errors import ActionMisused
from assay.validators import FailOn, Tier, shown

PREFIX = "ASSAY_ACTION_"
MOST_CHARS = 1024
"""Maximum characters of one input."""
_ARTIFACT_REFUSES = frozenset('":<>|*?\\/')
"""Characters that GitHub refuses in the name of an artifact."""

Choice = TypeVar("Choice", bound=StrEnum)


class Mode(StrEnum):
    """What the Action does.

    `tools` only runs the repository's own commands and stores their results; `publish` validates and publishes without
    running any code of the change; `validate` does both in one job.
    """

    validate = "validate"
    tools = "tools"
    publish = "publish"


class WhichTests(StrEnum):
    """Which tests run: all, those that the change affects, or these first."""

    all = "all"
    affected = "affected"
    affected_first = "affected-first"


class Sarif(StrEnum):
    """Output of the findings as SARIF: none, a file, or a file uploaded to code scanning."""

    none = "none"
    file = "file"
    upload = "upload"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs; None where the configuration or the event decides. `report_path` is the folder of the report."""

    report_path: Path
    mode: Mode = Mode.validate
    base: str | None = None
    head: str | None = None
    tiers: tuple[Tier, ...] = tuple(Tier)
    tests: WhichTests | None = None
    fail_on: FailOn | None = None
    sarif: Sarif = Sarif.file
    app_url: str | None = None
    review_model: str | None = None

    @property
    def runs_commands(self) -> bool:
        """Whether the change's own commands may run in this job."""
        return self.mode is not Mode.publish


def read_inputs(env: Mapping[str, str]) -> Inputs:
    """Read the inputs from the environment. Raises `ActionMisused` for the first invalid one."""
    inputs = Inputs(
        report_path=_report_path(env),
        mode=_one_of(Mode, env, "mode") or Mode.validate,
        base=_revision(env, "base"),
        head=_revision(env, "head"),
        tiers=_tiers(env),
        tests=_one_of(WhichTests, env, "tests"),
        fail_on=_one_of(FailOn, env, "fail-on"),
        sarif=_one_of(Sarif, env, "sarif") or Sarif.file,
        app_url=app_url(env),
        review_model=given(env, "review-model"),
    )
    if inputs.review_model is not None and inputs.runs_commands:
        raise misused("review-model", "needs mode: publish: the change's commands could read the model's key")
    return inputs


def variable_of(name: str) -> str:
    """Return the environment variable of an input: `fail-on` -> `ASSAY_ACTION_FAIL_ON`."""
    return PREFIX + name.upper().replace("-", "_")


def given(env: Mapping[str, str], name: str) -> str | None:
    """Return the value of an input, or None if it was not given."""
    value = env.get(variable_of(name), "").strip(" ")
    if not value:
        return None
    if len(value) > MOST_CHARS:
        raise misused(name, f"longer than {MOST_CHARS} characters")
    if not value.isprintable():
        raise misused(name, f"{_quoted(value)} contains a line end or another unprintable character")
    return value


def _one_of(kind: type[Choice], env: Mapping[str, str], name: str) -> Choice | None:
    value = given(env, name)
    if value is None:
        return None
    try:
        return kind(value)
    except ValueError:
        raise misused(name, f"{_quoted(value)} is not one of {', '.join(kind)}") from None


def _revision(env: Mapping[str, str], name: str) -> str | None:
    value = given(env, name)
    if value is not None and (value.startswith("-") or " " in value or ".." in value):
        raise misused(name, f"{_quoted(value)} is not a branch, tag or commit id")
    return value


def inside(env: Mapping[str, str], name: str) -> str | None:
    """Return an input that is a path inside the repository."""
    value = given(env, name)
    if value is None:
        return None
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or not path.name or "\\" in value:
        raise misused(name, f"{_quoted(value)} is not a path of a file inside the repository")
    return str(path)


def _tiers(env: Mapping[str, str]) -> tuple[Tier, ...]:
    value = given(env, "tiers")
    if value is None:
        return tuple(Tier)
    names = [name.strip() for name in value.split(",") if name.strip()]
    known = [tier.name for tier in Tier]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise misused("tiers", f"{_quoted(unknown[0] if unknown else value)} is not one of {', '.join(known)}")
    return tuple(tier for tier in Tier if tier.name in names)


def _report_path(env: Mapping[str, str]) -> Path:
    work = env.get(PREFIX + "WORK", "")
    if not Path(work).is_absolute():
        raise ActionMisused(f"{PREFIX}WORK is not an absolute path; action.yml sets it")
    return Path(work, "report")


def artifact_name(env: Mapping[str, str]) -> str | None:
    """Return the input `artifact`, an artifact's name. Raises `ActionMisused`."""
    value = given(env, "artifact")
    if value is not None and (_ARTIFACT_REFUSES.intersection(value) or len(value) > 255):
        raise misused("artifact", f"{_quoted(value)} is not a valid artifact name")
    return value


def app_url(env: Mapping[str, str]) -> str | None:
    """Return the input `app-url`, the App's address. Raises `ActionMisused`.

    An identity token is sent there, so plain HTTP is accepted only if GitHub's own address is plain HTTP.
    """
    value = given(env, "app-url")
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if "://" not in value:
        raise misused("app-url", f"{_quoted(value)} does not begin with https://")
    if not host or parts.username or parts.password or parts.query or parts.fragment or " " in value:
        raise misused("app-url", f"{_quoted(value)} is not a web address")
    may_be_clear = is_loopback(host) or env.get(PREFIX + "API_URL", "").startswith("http://")
    if parts.scheme != "https" and not (parts.scheme == "http" and may_be_clear):
        raise misused("app-url", f"{_quoted(value)} does not begin with https://")
    return value.rstrip("/")


def _quoted(value: object) -> str:
    text = shown(str(value))
    return repr(text if len(text) <= 80 else text[:79] + "…")


def misused(name: str, why: str) -> ActionMisused:
    """Return the error for an invalid input."""
    return ActionMisused(f"input {name}: {why}")
