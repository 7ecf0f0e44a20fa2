"""Database access for commands that run without the App's credentials."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click

from assay.github_app.settings import Settings, read_settings
from assay.github_app.store import Store

DATA_DIR = click.option("--data-dir", type=click.Path(path_type=Path), help="Default: ASSAY_DATA_DIR, or ./assay-data.")


def settings_at(data_dir: Path | None) -> Settings:
    """Return the settings of the App in the data directory."""
    return read_settings(**({"data_dir": data_dir} if data_dir else {}))


@contextlib.contextmanager
def opened_store(data_dir: Path | None) -> Iterator[Store]:
    """Open an existing database; never create one."""
    url = settings_at(data_dir).store_url()
    file = url.removeprefix("sqlite:///")
    if url.startswith("sqlite") and not Path(file).is_file():
        raise click.UsageError(
            f"no database: {file} does not exist; see --data-dir, or import history with `assay sync`"
        )
    with Store.open(url) as store:
        yield store
