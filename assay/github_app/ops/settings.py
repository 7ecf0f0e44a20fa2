"""Settings of the App's operator, from environment variables `ASSAY_…` or a TOML file.

The environment takes precedence over the file. Secrets can be read from separate files (`…_FILE`), as container
platforms provide them, and are never shown. Repositories configure Assay in `.github/assay.yml`.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from assay.github.errors import SettingsError

SETTINGS_FILE = "ASSAY_SETTINGS_FILE"
"""Environment variable with the path of the TOML file; default: `assay.toml` in the data directory, if it exists."""

# A bare name would match a branch and a tag, and a user who may push tags could create the other one.
_WORKFLOW = re.compile(
    r"[\w.-]+/[\w.-]+/\.github/workflows/[\w.-]+\.ya?ml@(refs/(heads|tags)/\S+|[0-9a-f]{40}|[0-9a-f]{64})"
)
MOST_SECRET_BYTES = 64 * 1024


class RepositoryWeight(NamedTuple):
    """Share of repositories whose full name matches a pattern (`*`, `?`), in any case of letters."""

    pattern: str
    weight: float


class LocalRuns(StrEnum):
    """Whether a worker runs a repository's commands: never, or in a sandbox without network and credentials."""

    off = "off"
    sandboxed = "sandboxed"


class Settings(BaseSettings):
    """All settings; create them by `read_settings`."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_", extra="forbid", frozen=True, hide_input_in_errors=True)

    app_id: int | None = Field(None, description="The App's id, shown on its page on GitHub.")
    private_key: SecretStr | None = Field(None, description="The App's private key (PEM).")
    private_key_file: Path | None = Field(None, description="File with the private key.")
    webhook_secret: SecretStr | None = Field(None, description="Secret that webhooks are signed with.")
    webhook_secret_file: Path | None = Field(None, description="File with the webhook secret.")
    client_id: str | None = Field(None, description="The App's client id, for the login of users.")
    client_secret: SecretStr | None = Field(None, description="The App's client secret, for the login of users.")
    client_secret_file: Path | None = Field(None, description="File with the client secret.")
    github_api_url: str = Field("https://api.github.com", description="API of GitHub, Enterprise Server, or *.ghe.com.")
    github_url: str = Field("https://github.com", description="Web address of the same GitHub.")

    data_dir: Path = Field(Path("assay-data"), description="Default directory of database, cached clones and secrets.")
    database_url: SecretStr | None = Field(
        None, description="SQLAlchemy URL, `sqlite:///…` or `postgresql://…`; default: SQLite in data_dir."
    )
    jobs_database_url: SecretStr | None = Field(
        None, description="Database of the durable jobs; default: a second SQLite file, or the same PostgreSQL."
    )

    host: str = Field("127.0.0.1", description="Address that the web server, and a worker's port, bind.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8080, description="Port the web server binds.")
    worker_port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        None, description="Port on which a separate worker answers `/healthz`, `/readyz` and `/metrics`; default: none."
    )
    public_url: str | None = Field(None, description="Public address of the web server; used in links.")
    worker_name: str | None = Field(
        None, description="Stable, unique name of this worker; default: made from host and data_dir."
    )
    parallel_runs: Annotated[int, Field(ge=1, le=256)] = Field(
        2, description="Slots of each worker: validations it runs at once."
    )
    repository_weights: Annotated[tuple[RepositoryWeight, ...], NoDecode] = Field(
        (),
        description="Shares of the slots while repositories wait, as `owner/name=3` or `owner/*=0.5`, separated by "
        "spaces; the first match counts, and 1 is the default.",
    )
    lease_s: Annotated[int, Field(ge=3, le=3600)] = Field(
        15, description="Seconds without a heartbeat before a worker's lease expires."
    )
    max_attempts: Annotated[int, Field(ge=1, le=50)] = Field(
        6, description="Attempts of a job before it moves to the dead-letter queue."
    )

    max_body_bytes: Annotated[int, Field(ge=1024)] = Field(
        25 * 1024 * 1024, description="Maximum webhook body in bytes; GitHub sends at most 25 MB."
    )
    mirror_limit_bytes: Annotated[int, Field(ge=10 * 1024 * 1024)] = Field(
        10 * 1024**3, description="Maximum disk space of all cached clones, in bytes."
    )
    repository_limit_bytes: Annotated[int, Field(ge=1024 * 1024)] = Field(
        2 * 1024**3, description="Maximum disk space of one cached clone, in bytes; larger repositories fail the check."
    )
    validation_memory_bytes: Annotated[int, Field(ge=256 * 1024 * 1024)] = Field(
        4 * 1024**3, description="Maximum memory of one validation, in bytes."
    )
    check_wait_s: Annotated[int, Field(ge=0, le=24 * 3600)] = Field(
        1800, description="Maximum seconds to wait for the repository's own checks."
    )
    local_runs: LocalRuns = Field(
        LocalRuns.off, description="Whether workers run a repository's commands: off or sandboxed (bubblewrap)."
    )
    trusted_workflows: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Workflows whose posted results are accepted, and whose jobs report any task, separated by spaces: "
        "`owner/repo/.github/workflows/file.yml@refs/tags/v1`.",
    )
    trusted_agents: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Agents, by their names in reports and separated by spaces, that get blocking findings without a "
        "person pressing a button (`handBack: trusted`).",
    )
    results_audience: str | None = Field(
        None, description="Audience of the workflow's identity token; default: public_url."
    )
    oidc_issuer: str = Field(
        "https://token.actions.githubusercontent.com", description="Issuer of the workflows' identity tokens."
    )
    sarif_upload: bool = Field(False, description="Upload SARIF to code scanning (needs its write permission).")
    instruction_files: bool = Field(
        True,
        description="Propose confirmed rules for AGENTS.md, or the files a repository names, by pull request, and let "
        "users commit tests of findings (needs contents: write; skipped without it).",
    )
    sweep_s: Annotated[int, Field(ge=5)] = Field(300, description="Seconds between two sweeps for missed events.")
    write_pause_s: Annotated[float, Field(ge=0, le=60)] = Field(
        1.0, description="Seconds between two writes to GitHub, as GitHub requires; an Enterprise Server may need none."
    )
    keep_days: Annotated[int, Field(ge=1)] = Field(
        90, description="Days to keep reports, texts of checks, traces, posted results and dead-lettered deliveries."
    )
    history_days: Annotated[int, Field(ge=90)] = Field(
        400,
        description="Days to keep pull requests and tasks after their last change, with all their rows; the newest 500 "
        "pull requests of a repository stay longer.",
    )
    alert_urls: SecretStr | None = Field(
        None,
        description="Apprise URLs, one per line, for alerts on critical risk, repeated mistakes and memory "
        "regressions (Slack, Teams, mail, webhooks …).",
    )
    evaluation_model: str | None = Field(
        None,
        description="Language model that classifies failed tasks once a day if rules find no category; needs its key.",
    )
    evaluation_budget_usd: Annotated[float, Field(gt=0, le=1000)] = Field(
        1.0, description="Its budget in US dollars per day."
    )
    learning_model: str | None = Field(
        None, description="Language model that words rules from review comments; needs its key. Default: none."
    )
    learning_budget_usd: Annotated[float, Field(gt=0, le=1000)] = Field(
        1.0, description="Its budget in US dollars per day and worker."
    )
    review_model: str | None = Field(
        None,
        description="Language model that reviews changes and checks rules in words; needs its key, and receives the "
        "change and code around it. Default: none.",
    )
    review_budget_usd: Annotated[float, Field(gt=0, le=1000)] = Field(
        5.0, description="Its budget in US dollars per day and worker."
    )
    embedding_provider: Literal["bundled", "voyage", "openai_compatible", "bedrock"] = Field(
        "bundled", description="Provider of embeddings; all but `bundled` send texts to a service."
    )
    embedding_model: str | None = Field(None, description="Embedding model; default: the provider's.")
    embedding_url: str | None = Field(None, description="Address of the embedding service; default: the provider's.")
    embedding_key: SecretStr | None = Field(None, description="Key of the embedding service.")
    embedding_region: str | None = Field(None, description="Region of Amazon Bedrock.")
    embedding_dimensions: Annotated[int, Field(ge=1, le=65_536)] | None = Field(
        None, description="Dimensions of an embedding, for models with a choice."
    )
    api_requests_per_minute: Annotated[int, Field(ge=1)] = Field(
        600, description="Maximum API requests of one token or job in a minute, at each web server."
    )
    metrics_token: SecretStr | None = Field(
        None, description="Bearer token that `/metrics` requires; without it only this machine is answered."
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - one place for settings is enough
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = _settings_file(init_settings().get("data_dir"))
        toml = (TomlConfigSettingsSource(settings_cls, file),) if file else ()
        return (init_settings, env_settings, *toml)

    @field_validator("github_api_url", "github_url", "oidc_issuer")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        return _address(value)

    @field_validator("public_url")
    @classmethod
    def _may_be_an_address(cls, value: str | None) -> str | None:
        return None if value is None else _address(value)

    @field_validator("trusted_agents", mode="before")
    @classmethod
    def _are_names(cls, value: object) -> object:
        return value.split() if isinstance(value, str) else value

    @field_validator("repository_weights", mode="before")
    @classmethod
    def _are_weights(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        found = []
        for word in value.split():
            pattern, _, number = word.rpartition("=")
            if not re.fullmatch(r"[\w.*?-]+/[\w.*?-]+", pattern) or not re.fullmatch(r"\d{1,3}(\.\d{1,3})?", number):
                raise ValueError(f"{word!r} is not of the form owner/name=2")
            if not float(number):
                raise ValueError(f"{word!r}: a repository cannot have no share; the least is 0.001")
            found.append(RepositoryWeight(pattern, float(number)))
        return tuple(found)

    @field_validator("trusted_workflows", mode="before")
    @classmethod
    def _are_workflows(cls, value: object) -> object:
        words = value.split() if isinstance(value, str) else value
        for word in words if isinstance(words, (list, tuple)) else ():
            if not _WORKFLOW.fullmatch(str(word)):
                raise ValueError(
                    f"{word!r} is not of the form owner/repo/.github/workflows/file.yml@REF, "
                    "where REF is refs/tags/…, refs/heads/… or a commit id"
                )
        return words

    @field_validator("log_level")
    @classmethod
    def _is_a_level(cls, value: str) -> str:
        if value.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return value.upper()

    @model_validator(mode="after")
    def _one_place_for_each_secret(self) -> Self:
        for name in ("private_key", "webhook_secret", "client_secret"):
            if getattr(self, name) is not None and getattr(self, f"{name}_file") is not None:
                raise ValueError(f"{name} and {name}_file are both set: set only one")
        return self

    def key(self) -> str:
        """Return the private key from its setting or file, or from `app.private-key.pem` in the data directory."""
        return self._secret("private_key", "app.private-key.pem")

    def secret(self) -> str:
        """Return the webhook secret from its setting or file, or from `app.webhook-secret` in the data directory."""
        return self._secret("webhook_secret", "app.webhook-secret")

    def check_complete(self, *, receives: bool) -> None:
        """Check what registering the App sets: all of it, before a port is opened or a database is made.

        Args:
            receives: webhooks are received. Every process asks GitHub, with the App's key.

        Raises:
            SettingsError: something is missing or cannot be read; the message names each one.
        """
        problems = ["ASSAY_APP_ID is not set; see `assay app create`"] if self.app_id is None else []
        for read in (self.key, self.secret) if receives else (self.key,):
            try:
                read()
            except SettingsError as error:
                problems.append(str(error).removeprefix(f"{error.code}: "))
        if problems:
            raise SettingsError("; ".join(problems), code="settings.missing")

    def client(self) -> tuple[str, str] | None:
        """Return client id and client secret for the login of users, or None if one is missing.

        The secret comes from its setting or file, or from `app.client-secret` in the data directory. Without them
        users cannot sign in through GitHub.
        """
        is_given = self.client_secret is not None or self.client_secret_file is not None
        if self.client_id is None or not (is_given or (self.data_dir / "app.client-secret").is_file()):
            return None
        return self.client_id, self._secret("client_secret", "app.client-secret")

    def store_url(self) -> str:
        """Return the SQLAlchemy URL of the App's tables."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite:///{self.data_dir.absolute() / 'assay.sqlite'}"

    def jobs_url(self) -> str:
        """Return the SQLAlchemy URL of the durable jobs' tables."""
        if self.jobs_database_url is not None:
            return self.jobs_database_url.get_secret_value()
        if self.database_url is not None and not self.store_url().startswith("sqlite"):
            return self.store_url()
        return f"sqlite:///{self.data_dir.absolute() / 'jobs.sqlite'}"

    def _secret(self, name: str, default: str) -> str:
        given: SecretStr | None = getattr(self, name)
        if given is not None:
            return given.get_secret_value()
        file: Path | None = getattr(self, f"{name}_file")
        return _read_secret(file or self.data_dir / default, f"ASSAY_{name.upper()}")


def read_settings(**given: Any) -> Settings:
    """Read the settings of this process; `given` takes precedence over all other sources.

    Raises:
        SettingsError: a value is wrong or unknown, or its file cannot be read; the message names each one.
    """
    _no_misspelt_variables(os.environ)
    try:
        return Settings(**given)
    except ValidationError as error:
        said = "; ".join(
            _unknown_key(str(one["loc"][0])) if one["type"] == "extra_forbidden" else _said(one["loc"], one["msg"])
            for one in error.errors()
        )
        raise SettingsError(f"settings: {said}") from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"settings file {_settings_file(given.get('data_dir'))}: {error}") from None


def _settings_file(data_dir: Path | None) -> Path | None:
    """Return the settings file: the one named by `SETTINGS_FILE`, or the data directory's, or None."""
    named = os.environ.get(SETTINGS_FILE)
    if named:
        if not Path(named).is_file():
            raise SettingsError(f"{SETTINGS_FILE}: no such file: {named}")
        return Path(named)
    usual = Path(data_dir or os.environ.get("ASSAY_DATA_DIR") or "assay-data") / "assay.toml"
    return usual if usual.is_file() else None


def _no_misspelt_variables(environment: Mapping[str, str]) -> None:
    """Raise `SettingsError` for a variable whose name resembles a setting; other `ASSAY_` variables are allowed."""
    known = {SETTINGS_FILE, "ASSAY_DATASETS_URL", *(f"ASSAY_{name.upper()}" for name in Settings.model_fields)}
    for name in sorted(environment):
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.88)
        if name.startswith("ASSAY_") and name not in known and close:
            raise SettingsError(f"settings: unknown variable {name}; did you mean {close[0]}?")


def _unknown_key(key: str) -> str:
    """Return the message for a key that is not a setting; only the settings file can have one."""
    name = key.lower().removeprefix("assay_")
    close = difflib.get_close_matches(name, Settings.model_fields, n=1)
    return f"unknown key {key} in the settings file" + (f"; did you mean {close[0]}?" if close else "")


def _said(place: tuple[int | str, ...], message: str) -> str:
    name = "ASSAY_" + str(place[0]).upper() if place else "settings"
    return f"{name}: {message.removeprefix('Value error, ')}"


def _address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("must be an http(s) address such as https://assay.example.com")
    return value.rstrip("/")


def _read_secret(file: Path, name: str) -> str:
    try:
        mode = file.stat().st_mode
        with file.open(encoding="utf-8") as stream:
            text = stream.read(MOST_SECRET_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise SettingsError(
            f"{name} is not set, and {file} cannot be read: {why}; see `assay app create`", code="settings.missing"
        ) from None
    # Container platforms provide secrets readable by every user of the container, but never writable.
    if mode & (stat.S_IWOTH | stat.S_IWGRP):
        raise SettingsError(f"{file} is writable by other users; run: chmod 600 {file}")
    return text.strip() if "PRIVATE KEY" not in text else text
