"""Options, database access and tables of the commands on the App's records."""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from assay.github_app.ops.settings import Settings, read_settings
from assay.github_app.store import RepositoryRow, Store

DATA_DIR = click.option("--data-dir", type=click.Path(path_type=Path), help="Default: ASSAY_DATA_DIR, or ./assay-data.")
REPOSITORY = click.argument("repository", metavar="OWNER/NAME")
FORMAT = click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
BY = click.option("--by", metavar="NAME", help="Operator for the log. Default: your local account.")


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


def known(store: Store, name: str, option: str = "") -> RepositoryRow:
    """Return the repository of this name; raise a usage error, of `option` if it names it, if it is unknown."""
    row = store.repositories.named(name)
    if row is None:
        raise click.UsageError(f"{option and f'{option}: '}unknown repository {name!r}")
    return row


def operator(by: str | None) -> str:
    """Return the operator's name for the log; its space distinguishes it from a GitHub login."""
    return f"operator {by or _account()}"[:100]


def table_of(rows: Sequence[Mapping[str, object]]) -> Table:
    """Return a table with a column per key."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in rows[0] if rows else ():
        # A wrapped id cannot be copied.
        table.add_column(name, overflow="fold", no_wrap=name == "id")
    for row in rows:
        # Text() disables rich markup in untrusted text.
        table.add_row(*(Text(_cell(value)) for value in row.values()))
    return table


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
