"""Copies of the App's SQLite databases, made while it runs."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from assay.github.errors import SettingsError
from assay.github_app.ops.settings import Settings

_SQLITE = "sqlite:///"


def back_up(settings: Settings, folder: Path) -> tuple[Path, ...]:
    """Copy the databases into a new folder, each as of one moment, and check the copies; return their files.

    The jobs are copied first: what has been done since is known to the other database, and is not done again.

    Raises:
        SettingsError: a database is not SQLite, is missing or damaged, or the folder exists or cannot be written.
    """
    urls = dict.fromkeys((settings.jobs_url(), settings.store_url()))
    if not all(url.startswith(_SQLITE) for url in urls):
        raise SettingsError("the database is not SQLite: back up PostgreSQL by pg_dump", code="backup.not-sqlite")
    files = [Path(url.removeprefix(_SQLITE)) for url in urls]
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise SettingsError(f"no database: {', '.join(missing)}; see --data-dir", code="backup.no-database")
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise SettingsError(f"{folder} exists; name a new folder", code="backup.exists") from None
    except OSError as error:
        raise SettingsError(f"{folder}: {error.strerror}", code="backup.failed") from None
    try:
        return tuple(_copied(file, folder / file.name) for file in files)
    except (OSError, sqlite3.Error) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise SettingsError(f"{folder}: {error}", code="backup.failed") from None


def _copied(source: Path, target: Path) -> Path:
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with (
        contextlib.closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as there,
        contextlib.closing(sqlite3.connect(target)) as here,
    ):
        there.backup(here)
        (found,) = here.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(f"the copy of {source.name} is damaged: {found}")
    return target
