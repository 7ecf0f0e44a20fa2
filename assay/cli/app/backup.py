"""The command `assay app backup`."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.app.store import DATA_DIR, settings_at
from assay.github_app.ops.backup import back_up


@click.command("backup")
@click.argument("folder", type=click.Path(path_type=Path))
@DATA_DIR
def backup_command(folder: Path, data_dir: Path | None) -> None:
    """Copy the App's SQLite databases into the new FOLDER, also while the App runs.

    To restore, stop the App, copy the files into the data directory, delete its files *-wal and *-shm, and start the
    App. Credentials and settings are not copied.
    """
    for file in back_up(settings_at(data_dir), folder):
        click.echo(f"{file}: {file.stat().st_size} bytes")
