"""Checks of the App's setup: Python, credentials, permissions, events, webhook, databases, disk, programs, clock.

A failed check has a fix. The checks change nothing and show no secrets.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from assay.github.client import Github
from assay.github.errors import GithubAppError, GithubRefused, SettingsError
from assay.github_app.ops.permissions import EVENTS, lacking_permissions, needed_permissions, rank_of
from assay.github_app.ops.settings import LocalRuns, Settings
from assay.github_app.store import Store
from assay.github_app.store.database.sqlite_release import sqlite_problem
from assay.validators import installed

MOST_CLOCK_ERROR_S = 30
"""Seconds; GitHub refuses tokens with an `iat` in its future, and ours are backdated by a minute."""
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 13)
"""Versions that the tests run on, as in `pyproject.toml`."""
LEAST_FREE_BYTES = 2 * 1024**3
LEAST_SECRET_LENGTH = 20
LOOK_BACK = timedelta(days=1)
MOST_DELIVERIES = 2_000
_INSTRUCTION_FILES = "instruction files"
_TRUSTED_EXAMPLE = " ".join(f"OWNER/assay/.github/workflows/{name}.yml@refs/tags/v1" for name in ("validate", "report"))


class State(StrEnum):
    """Result of a check. `doubtful` works but should be changed; `broken` does not work."""

    fine = "fine"
    doubtful = "doubtful"
    broken = "broken"
    not_checked = "not checked"


@dataclass(frozen=True, slots=True)
class Line:
    """Line of the output: one check with its result and, if it is not fine, a fix."""

    about: str
    state: State
    what: str
    fix: str | None = None


def examine(settings: Settings) -> Iterator[Line]:
    """Run all checks; yield each result at once, problems included."""
    yield interpreter(sys.version_info[:3])
    yield from _guarded("secrets", lambda: _secrets(settings))
    yield from _guarded("disk", lambda: _disk(settings))
    yield from _guarded("database", lambda: _database(settings))
    yield from _results(settings)
    yield from _guarded("signing in", lambda: _signing_in(settings))
    yield from _guarded("GitHub", lambda: _github(settings))
    yield from _guarded("programs", lambda: _programs(settings))


def _guarded(about: str, check: Callable[[], Iterator[Line]]) -> Iterator[Line]:
    try:
        yield from check()
    except SettingsError as error:
        yield Line(about, State.broken, str(error), "see docs/app/settings.md")
    except GithubRefused as error:
        fix = "check that app id and private key belong to the same App on this GitHub, or create a key on its page"
        yield Line(about, State.broken, str(error), fix if error.status == 401 else None)
    except (GithubAppError, OSError) as error:
        yield Line(about, State.broken, str(error))


# ------------------------------------------------------------------ this machine


def interpreter(version: tuple[int, ...]) -> Line:
    """Check that the tests run on this version; pip refuses older ones by `requires-python`."""
    shown = ".".join(str(number) for number in version)
    if version[:2] < OLDEST_PYTHON:
        fix = f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer"
        return Line("Python", State.broken, f"{shown} is too old", fix)
    if version[:2] > NEWEST_PYTHON:
        newest = ".".join(map(str, NEWEST_PYTHON))
        return Line("Python", State.doubtful, f"{shown} is not tested", f"use Python {newest}, the newest tested one")
    return Line("Python", State.fine, shown)


def _secrets(settings: Settings) -> Iterator[Line]:
    secret = settings.secret()
    if len(secret) < LEAST_SECRET_LENGTH:
        yield Line(
            "webhook secret",
            State.doubtful,
            f"only {len(secret)} characters",
            "set a random secret of 32 characters on the App's page and here",
        )
    else:
        yield Line("webhook secret", State.fine, "set")
    settings.key()
    open_to_all = [file for file in _secret_files(settings) if file.exists() and file.stat().st_mode & stat.S_IROTH]
    for file in open_to_all:
        yield Line("secrets", State.doubtful, f"{file} is readable by all users of this machine", f"chmod 600 {file}")


def _secret_files(settings: Settings) -> Iterator[Path]:
    for name, usual in (("private_key", "app.private-key.pem"), ("webhook_secret", "app.webhook-secret")):
        yield getattr(settings, f"{name}_file") or settings.data_dir / usual


def _disk(settings: Settings) -> Iterator[Line]:
    place = settings.data_dir.absolute()
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        yield Line("disk", State.broken, f"{place} is not writable", "create it or set ASSAY_DATA_DIR")
        return
    free = shutil.disk_usage(place).free
    what = f"{free / 1024**3:.1f} GiB free at {place}"
    enough = max(LEAST_FREE_BYTES, settings.repository_limit_bytes)
    if free < enough:
        yield Line("disk", State.doubtful, what, "free disk space or lower ASSAY_MIRROR_LIMIT_BYTES")
    else:
        yield Line("disk", State.fine, what)


def _database(settings: Settings) -> Iterator[Line]:
    for about, url in (("database", settings.store_url()), ("jobs database", settings.jobs_url())):
        file = url.removeprefix("sqlite:///")
        if url.startswith("sqlite") and (problem := sqlite_problem()) is not None:
            yield Line(about, State.broken, problem)
            continue
        if url.startswith("sqlite") and not Path(file).exists():
            yield Line(about, State.fine, f"SQLite {sqlite3.sqlite_version}; the first start creates it")
            continue
        kind = f"SQLite {sqlite3.sqlite_version}" if url.startswith("sqlite") else "PostgreSQL"
        with Store.open(url, migrate=False) as store:
            if store.healthy():
                yield Line(about, State.fine, f"{kind} answers")
            else:
                yield Line(
                    about,
                    State.broken,
                    f"{kind} does not answer at {store.address}",
                    "start it, or fix ASSAY_DATABASE_URL",
                )


def _results(settings: Settings) -> Iterator[Line]:
    """Check whether workflows may post results, and which audience their tokens need."""
    about, audience = "posted results", settings.results_audience or settings.public_url
    if not settings.trusted_workflows:
        example = f"ASSAY_TRUSTED_WORKFLOWS='{_TRUSTED_EXAMPLE}'"
        what = "not accepted, no workflow is trusted; the App reads test results from check runs"
        yield Line(about, State.fine, what, f"to accept those of Assay's own workflows: {example}")
    elif audience is None:
        what = "refused, because workflows are trusted but no audience is set"
        yield Line(about, State.broken, what, "set ASSAY_PUBLIC_URL to the `app-url` of the workflows")
    else:
        names = ", ".join(settings.trusted_workflows)
        yield Line(about, State.fine, f"accepted from {names}; their `app-url` must be {audience}")


def _signing_in(settings: Settings) -> Iterator[Line]:
    """Check whether users can sign in, and which callback address GitHub needs."""
    about, callback = "signing in", f"{settings.public_url or 'http://127.0.0.1:PORT'}/sign-in/callback"
    if settings.client() is None:
        what = "only by the operator's link: no client id and secret for signing in through GitHub"
        fix = f"set ASSAY_CLIENT_ID and ASSAY_CLIENT_SECRET, and the callback {callback} on the App's page"
        yield Line(about, State.fine, what, fix)
    elif settings.public_url is None:
        what = "GitHub redirects only to callbacks on the App's page, and no public address is set"
        yield Line(about, State.doubtful, what, f"set ASSAY_PUBLIC_URL, and the callback {callback} on the App's page")
    else:
        yield Line(about, State.fine, f"through GitHub, with the callback {callback}")


def _programs(settings: Settings) -> Iterator[Line]:
    for tool in installed():
        if tool.problem is None:
            yield Line(tool.name, State.fine, f"{tool.version}: {tool.purpose}")
        elif tool.name == "bwrap" and settings.local_runs is LocalRuns.off:
            yield Line(tool.name, State.fine, "not needed: local runs are off")
        elif tool.name in ("git", "bwrap"):
            fix = "see docs/app/operating.md, Local runs" if tool.version else f"install it: it {tool.purpose}"
            yield Line(tool.name, State.broken, tool.problem, fix)
        else:
            yield Line(tool.name, State.doubtful, f"{tool.problem}; without it nothing {tool.purpose}")


# ------------------------------------------------------------------ GitHub


def _github(settings: Settings) -> Iterator[Line]:
    if settings.app_id is None:
        yield Line("GitHub", State.broken, "ASSAY_APP_ID is not set", "run `assay app create` or set it")
        return
    with Github(settings.app_id, settings.key(), settings.github_api_url) as github:
        app = github.app()
        yield Line("credentials", State.fine, f"valid for {app.slug or 'an App'} at {settings.github_api_url}")
        yield _clock(str(app.raw_headers.get("date", "")))
        yield from _permissions(app.permissions, settings, "the App asks for")
        yield from _events(app.events)
        yield from _guarded("webhook", lambda: _webhook(github, settings))
        yield from _guarded("deliveries", lambda: _deliveries(github))
        yield from _guarded("installations", lambda: _installations(github, settings))


def _clock(date: str) -> Line:
    try:
        theirs = parsedate_to_datetime(date)
    except ValueError:
        return Line("clock", State.not_checked, "GitHub's response has no date")
    off = abs((datetime.now(UTC) - theirs).total_seconds())
    if off > MOST_CLOCK_ERROR_S:
        return Line("clock", State.broken, f"differs from GitHub's by {off:.0f} s", "synchronize the clock (NTP)")
    return Line("clock", State.fine, "agrees with GitHub's")


def _permissions(given: Any, settings: Settings, whose: str) -> Iterator[Line]:
    has = given if isinstance(given, dict) else {}
    wanted = needed_permissions(sarif_upload=settings.sarif_upload, instruction_files=settings.instruction_files)
    lacking = lacking_permissions(given, sarif_upload=settings.sarif_upload)
    more = [f"{name}: {level}" for name, level in has.items() if rank_of(level) > rank_of(wanted.get(name))]
    if lacking:
        yield Line(
            "permissions",
            State.broken,
            f"{whose} too little; lacking {', '.join(lacking)}",
            "add them under Permissions & events on the App's page, and have each installation accept them",
        )
    if more:
        yield Line("permissions", State.doubtful, f"{whose} more than it needs: {', '.join(more)}", "remove them")
    if not lacking and rank_of(has.get("contents")) < rank_of(wanted["contents"]):
        yield Line(
            _INSTRUCTION_FILES,
            State.doubtful,
            f"{whose} no contents: write, so no rules are proposed for AGENTS.md",
            "grant it, or set ASSAY_INSTRUCTION_FILES=false",
        )
    if not lacking and not more:
        yield Line("permissions", State.fine, f"{whose} what it needs")


def _events(given: Any) -> Iterator[Line]:
    missing = sorted(set(EVENTS) - set(given if isinstance(given, list) else ()))
    if missing:
        yield Line(
            "events",
            State.broken,
            f"not subscribed to {', '.join(missing)}",
            "select them under Permissions & events on the App's page",
        )
    else:
        yield Line("events", State.fine, "subscribed to all needed events")


def _webhook(github: Github, settings: Settings) -> Iterator[Line]:
    hook = github.webhook()
    url = str(hook.get("url") or "")
    page = "change it under General, Webhook, on the App's page"
    if not url:
        yield Line("webhook", State.broken, "no webhook address is set on GitHub", page)
        return
    expected = f"{settings.public_url}/webhooks/github" if settings.public_url else None
    if not url.endswith("/webhooks/github") or (expected and url != expected):
        yield Line("webhook", State.broken, f"GitHub sends to {url}, not to {expected or '…/webhooks/github'}", page)
    elif hook.get("content_type") != "json":
        yield Line("webhook", State.broken, "its content type is not application/json", page)
    elif str(hook.get("insecure_ssl", "0")) != "0":
        yield Line("webhook", State.doubtful, "GitHub does not verify our certificate", page)
    elif not hook.get("secret"):
        yield Line("webhook", State.broken, "unsigned: no webhook secret is set on GitHub", page)
    else:
        yield Line("webhook", State.fine, f"GitHub sends to {url}")


def _deliveries(github: Github) -> Iterator[Line]:
    attempts = list(islice(github.deliveries(datetime.now(UTC) - LOOK_BACK), MOST_DELIVERIES))
    if not attempts:
        yield Line("deliveries", State.doubtful, "none in the last day", "check that the App is installed")
        return
    every = {attempt.guid for attempt in attempts}
    arrived = {attempt.guid for attempt in attempts if attempt.arrived}
    # Older ones are not read.
    since = f"since {min(attempt.delivered_at for attempt in attempts).astimezone(UTC):%d %b %H:%M} UTC"
    if lost := every - arrived:
        statuses = sorted({str(attempt.status_code or "no answer") for attempt in attempts if attempt.guid in lost})
        what = f"{len(lost)} of {len(every)} {since} did not arrive ({', '.join(statuses)})"
        yield Line("deliveries", State.doubtful, what, "check that `assay serve` runs and is reachable from GitHub")
    else:
        yield Line("deliveries", State.fine, f"all {len(every)} {since} arrived")


def _installations(github: Github, settings: Settings) -> Iterator[Line]:
    found = list(github.installations())
    if not found:
        yield Line("installations", State.doubtful, "none", "install the App from its page")
        return
    yield Line("installations", State.fine, f"installed on {len(found)} account{'s' if len(found) > 1 else ''}")
    for one in found:
        account = (one.get("account") or {}).get("login", "?")
        if one.get("suspended_at"):
            yield Line("installations", State.doubtful, f"{account} suspended the App")
            continue
        for line in _permissions(one.get("permissions"), settings, f"{account} grants"):
            if line.state is State.broken or line.about == _INSTRUCTION_FILES:
                yield line
