"""The command `assay mcp`: a Model Context Protocol server for a coding agent in a repository."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import anyio
import click

from assay.cli.agent.app_api import URL, app_at
from assay.cli.agent.mcp_tools import Memory, make_server
from assay.cli.agent.validating import LocalValidation
from assay.cli.display.inheriting import ORGANIZATION, inherited_files
from assay.validators import NotARepository, Repository

NO_APP = "no App: set ASSAY_URL and ASSAY_TOKEN"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")


@click.command("mcp")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--repo", "full_name", metavar="OWNER/NAME", help="Repository on GitHub. Default: that of origin's URL.")
@click.option("--no-commands", is_flag=True, help="Never run the repository's own tests and linters.")
@ORGANIZATION
@URL
def mcp_command(
    path: Path, full_name: str | None, no_commands: bool, organizations: tuple[Path, ...], url: str | None
) -> None:
    """Serve rules, insights and validation to an agent over MCP.

    The agent works in the repository at PATH, and calls the tools over standard input and output. Rules and
    insights are those of the App at ASSAY_URL, with the token in ASSAY_TOKEN. Without an App changes are validated all
    the same.
    """
    repository = _repository(path)
    app = app_at(url)
    name = full_name or (_name_of(repository) if repository else "")
    if app is not None and not _NAME.fullmatch(name):
        raise click.UsageError("--repo: name the repository as OWNER/NAME; origin's URL does not")
    validating = LocalValidation(repository, not no_commands, lambda: inherited_files(organizations, full_name, path))
    server = make_server(Memory(app, name, None if app else NO_APP), validating)
    logging.getLogger().setLevel(logging.WARNING)  # standard error has the logs
    anyio.run(server.run_stdio_async)


def _repository(path: Path) -> Path | None:
    """Return the path if it is in a repository, else None."""
    try:
        with Repository(path):
            return path
    except NotARepository:
        return None


def _name_of(path: Path) -> str:
    """Return the last two parts of origin's URL; empty without one."""
    with Repository(path) as opened:
        parts = re.split(r"[/:\\]", opened.remote_url().rstrip("/").removesuffix(".git"))
    return "/".join(parts[-2:])
