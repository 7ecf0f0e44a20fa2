"""The command `assay mcp`: a Model Context Protocol server for a coding agent in a repository."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import click

from assay.cli.app.store import DATA_DIR, NoDatabase, known, opened_store, usage_errors
from assay.cli.display.inheriting import ORGANIZATION, inherited_files
from assay.github_app.mcp_server import (
    LOOPBACK,
    Access,
    AppTokens,
    FixedToken,
    Knowledge,
    LocalKnowledge,
    LocalValidation,
    NoKnowledge,
    RemoteKnowledge,
    Unanswerable,
    make_server,
    serve_http,
    serve_stdio,
)
from assay.github_app.store import RepositoryRow, Store
from assay.validators import NotARepository, Repository

TOKEN = "ASSAY_MCP_TOKEN"  # noqa: S105 - the name of a variable


@click.command("mcp")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option(
    "--repo", "full_name", metavar="OWNER/NAME", help="Repository on GitHub. Default: the only one in the database."
)
@click.option("--http", "is_http", is_flag=True, help="Serve over HTTP instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind.")
@click.option("--port", type=click.IntRange(1, 65535), default=8090, show_default=True, help="Port to bind.")
@click.option("--public-url", metavar="URL", help="URL for clients behind a proxy.")
@click.option("--no-commands", is_flag=True, help="Never run the repository's own tests and linters.")
@ORGANIZATION
@DATA_DIR
def mcp_command(
    path: Path,
    full_name: str | None,
    is_http: bool,
    host: str,
    port: int,
    public_url: str | None,
    no_commands: bool,
    organizations: tuple[Path, ...],
    data_dir: Path | None,
) -> int:
    """Serve rules, insights and validation to an agent over MCP.

    The agent works in the repository at PATH. Data comes from the local App database, or from a remote App (ASSAY_URL
    and ASSAY_TOKEN); without either no rules are known. Over HTTP every request needs a token: ASSAY_MCP_TOKEN, or one
    made by `assay token create`.
    """
    hosts = {host, _host_of(public_url)} if public_url is not None else {host}
    if is_http and not hosts <= set(LOOPBACK) and not no_commands:
        raise click.UsageError("a server reachable from other machines must not run commands: add --no-commands")
    with _knowledge(full_name, data_dir) as (knowledge, store, row):
        name = full_name if row is None else row.full_name
        validating = LocalValidation(
            _repository(path), not no_commands, lambda: inherited_files(organizations, name, path)
        )
        if not is_http:
            serve_stdio(make_server(knowledge, validating))
            return 0
        address = (public_url or f"http://{host}:{port}").rstrip("/")
        access = Access.at(f"{address}/mcp", _verifier(store, row))
        serve_http(
            make_server(knowledge, validating, access), host, port, urlsplit(address).netloc if public_url else None
        )
    return 0


@contextlib.contextmanager
def _knowledge(
    full_name: str | None, data_dir: Path | None
) -> Iterator[tuple[Knowledge, Store | None, RepositoryRow | None]]:
    """Open the data source of the tools; with the store and repository if they are local."""
    url = os.environ.get("ASSAY_URL")
    if url:
        with usage_errors(Unanswerable):
            remote = RemoteKnowledge(url, os.environ.get("ASSAY_TOKEN", ""), full_name)
        with contextlib.closing(remote):
            yield remote, None, None
        return
    try:
        with opened_store(data_dir) as store:
            row = _row(store, full_name)
            yield LocalKnowledge(store, row.id), store, row
    except NoDatabase as missing:
        if data_dir is not None:
            raise
        yield NoKnowledge(missing.message), None, None


def _row(store: Store, full_name: str | None) -> RepositoryRow:
    if full_name is not None:
        return known(store, full_name, "--repo")
    rows = store.listings.repositories(None)
    if len(rows) != 1:
        raise click.UsageError(f"{len(rows)} repositories are in the database: choose one with --repo OWNER/NAME")
    return rows[0]


def _verifier(store: Store | None, row: RepositoryRow | None) -> FixedToken | AppTokens:
    token = os.environ.get(TOKEN)
    if token:
        try:
            return FixedToken(token)
        except ValueError as error:
            raise click.UsageError(f"{TOKEN}: {error}") from None
    if store is None or row is None:
        raise click.UsageError(f"set {TOKEN}: every request over HTTP needs a token")
    return AppTokens(store, row.id)


def _host_of(url: str) -> str:
    """Return the host of the public URL."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and parts.port != 0
        host = parts.hostname if is_one else None
    except ValueError:
        host = None
    if not host:
        raise click.UsageError("--public-url: expected a URL such as https://mcp.example.com")
    return host


def _repository(path: Path) -> Path | None:
    """Return the path if it is in a repository, else None."""
    try:
        with Repository(path):
            return path
    except NotARepository:
        return None
