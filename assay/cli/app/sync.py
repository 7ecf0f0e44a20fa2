"""The command `assay sync`: import of a repository's history, so that metrics exist on the first day."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console

from assay.cli.app.store import DATA_DIR, settings_at
from assay.cli.memory.progress import drawing
from assay.github.client import Github, Repo
from assay.github.errors import GithubRefused, GithubUnavailable, SettingsError
from assay.github_app.maintenance.sync import Progress, SyncResult, sync
from assay.github_app.ops import observability
from assay.github_app.ops.permissions import FOR_READING
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import now
from assay.github_app.store import Store

TOKEN = "GITHUB_TOKEN"  # noqa: S105 - the variable's name
_NAME = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)


class _Way(NamedTuple):
    """Authenticated access to the repository."""

    repo: Repo
    app_id: int | None = None
    installation_id: int | None = None


@click.command("sync")
@DATA_DIR
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    required=True,
    help="Import pull requests changed on or after this day (UTC).",
)
@click.option("--refresh", is_flag=True, help="Also read pull requests that have not changed.")
@click.option("--no-wait", is_flag=True, help="Stop at GitHub's rate limit instead of waiting.")
@click.option("--learn/--no-learn", default=True, show_default=True, help="Learn rules from the imported comments.")
@click.argument("repository", metavar="OWNER/NAME")
def sync_command(
    data_dir: Path | None, since: datetime, refresh: bool, no_wait: bool, learn: bool, repository: str
) -> int:
    """Import a repository's history from GitHub.

    It authenticates as the App registered in the data directory, else with the token in GITHUB_TOKEN. A stopped import
    resumes when run again. Exit code: 0 all pull requests were read, 1 some could not be read.
    """
    if not _NAME.fullmatch(repository):
        raise click.UsageError(f"{repository!r} is not of the form OWNER/NAME")
    settings = settings_at(data_dir)
    console = Console(stderr=True)
    with _way(settings, repository) as way, _store(settings) as store, drawing() as draw:
        progress = Progress(
            lambda done, number: draw("pull requests", done, number),
            lambda until: console.print(
                f"GitHub's rate limit is reached; waiting until {until.astimezone():%H:%M:%S}", style="dim"
            ),
        )
        synced = sync(
            store,
            way.repo,
            since.replace(tzinfo=UTC),
            app_id=way.app_id,
            installation_id=way.installation_id,
            is_refresh=refresh,
            web_url=settings.github_url,
            wait_until=None if no_wait else _wait_until,
            progress=progress,
        )
        taught = _learn(store, way.repo, synced, settings) if learn else 0
    _tell(synced, taught)
    return 1 if synced.unread else 0


@contextlib.contextmanager
def _way(settings: Settings, name: str) -> Iterator[_Way]:
    """Open the repository as the App, or with GITHUB_TOKEN."""
    token = os.environ.get(TOKEN, "")
    if settings.app_id is not None:
        key = settings.key()
        observability.hide(key)
        with Github(settings.app_id, key, settings.github_api_url) as github:
            installation_id = github.installation_of(name)
            found = (one for one in github.repositories(installation_id) if one.full_name.lower() == name.lower())
            facts = next(found, None)
            if facts is None:
                raise GithubRefused(404, "access", f"the App is not installed on {name}", code="github.not-installed")
            with github.repository(installation_id, facts.id, facts.full_name, permissions=FOR_READING) as repo:
                yield _Way(repo, settings.app_id, installation_id)
    elif token:
        observability.hide(token)
        with Repo.from_token(token, name, settings.github_api_url) as repo:
            yield _Way(repo)
    else:
        raise SettingsError(f"no credentials: set ASSAY_APP_ID, or {TOKEN} to a token that can read the repository")


@contextlib.contextmanager
def _store(settings: Settings) -> Iterator[Store]:
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"ASSAY_DATA_DIR: {settings.data_dir} cannot be created: {error.strerror}") from None
    with Store.open(settings.store_url()) as store:
        yield store


def _wait_until(moment: datetime) -> None:
    time.sleep(max(1.0, (moment - now()).total_seconds()))


def _learn(store: Store, repo: Repo, synced: SyncResult, settings: Settings) -> int:
    """Learn rules from past review comments, without replying to them; return how many comments taught one."""
    from assay.github_app.learning.job import reader_for
    from assay.github_app.learning.repository_settings import kept_settings
    from assay.github_app.learning.rules.learned import learn_past

    repository_id = synced.repository.id
    learning = kept_settings(store, repository_id)
    if not learning.enabled:
        return 0
    try:
        return learn_past(store, repository_id, repo.permission_of, reader_for(settings), settings=learning)
    except (GithubRefused, GithubUnavailable) as error:
        click.echo(f"{synced.repository.full_name}: not all rules were learned: {error}", err=True)
        return 0


def _tell(synced: SyncResult, num_taught: int) -> None:
    name = synced.repository.full_name
    click.echo(f"{name}: read {synced.num_read} pull requests; {synced.num_known} had not changed since the last time.")
    if num_taught:
        click.echo(f"{name}: {num_taught} review comments taught rules; see `assay rules list {name}`.")
    for number, why in synced.unread.items():
        click.echo(f"{name}#{number} could not be read: {why}", err=True)
    if synced.unread:
        click.echo("Run the command again to retry them.", err=True)
