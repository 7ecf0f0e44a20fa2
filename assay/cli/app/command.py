"""The command `assay app`: registration of the App with GitHub."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path

import click
import uvicorn
from rich.console import Console

from assay.cli.app.backup import backup_command
from assay.cli.app.reports import import_memory_report_command
from assay.cli.app.store import DATA_DIR, settings_at
from assay.github.client import credentials_of
from assay.github.errors import SettingsError
from assay.github_app.ops.registration import Credentials, Registration, api_of, check, make_page
from assay.github_app.web.dashboard import LoginLinks

LOOPBACK = "127.0.0.1"


@click.group("app")
def app_command() -> None:
    """Register the GitHub App and open its pages."""


@app_command.command("create")
@click.option("--name", default="Assay", show_default=True, help="The App's name, unique on GitHub.")
@click.option("--public-url", metavar="URL", help="URL at which GitHub reaches `assay serve`.")
@click.option("--organization", metavar="NAME", help="Owning organization. Default: your account.")
@click.option("--github-url", metavar="URL", default="https://github.com", show_default=True, help="GitHub server.")
@DATA_DIR
@click.option("--sarif", is_flag=True, help="Also request permission to upload to code scanning.")
@click.option(
    "--instruction-files/--no-instruction-files",
    default=True,
    show_default=True,
    help="Request permission to propose rules for AGENTS.md.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8081, show_default=True, help="Local port of the page.")
@click.option(
    "--timeout", "timeout_s", type=click.IntRange(1), default=3600, show_default=True, help="Seconds to wait."
)
@click.option("--no-browser", is_flag=True, help="Print the page's address only.")
def create_command(
    name: str,
    public_url: str | None,
    organization: str | None,
    github_url: str,
    data_dir: Path | None,
    sarif: bool,
    instruction_files: bool,
    port: int,
    timeout_s: int,
    no_browser: bool,
) -> int:
    """Register the App on GitHub and store its credentials.

    A local page (loopback only) sends the App's manifest to GitHub. The credentials are stored in the data directory,
    readable by you alone. On a server without a browser, forward the port: ssh -L 8081:127.0.0.1:8081 server.
    """
    github_url = github_url.rstrip("/")
    data_dir = settings_at(data_dir).data_dir
    app = Registration(
        name, data_dir, public_url and public_url.rstrip("/"), organization, github_url, sarif, instruction_files
    )
    check(app)
    console = Console(stderr=True)
    made = _wait(app, port, timeout_s, console, open_browser=not no_browser)
    if made is None:
        console.print(f"No App was registered within {timeout_s} s; run the command again.", style="bold red")
        return 3
    console.print(f"{made.slug} is registered; its credentials are in {data_dir}.", markup=False)
    console.print(f"Install it on repositories: {made.html_url}/installations/new", markup=False)
    console.print(f"Then start it: ASSAY_DATA_DIR={data_dir} assay serve", markup=False)
    console.print(f"Check it: assay doctor --data-dir {data_dir}", markup=False)
    return 0


def _wait(app: Registration, port: int, timeout_s: int, console: Console, *, open_browser: bool) -> Credentials | None:
    """Serve the page until GitHub redirects back to it, or the time is over."""
    here = f"http://{LOOPBACK}:{port}"
    made: list[Credentials] = []

    def done(credentials: Credentials) -> None:
        made.append(credentials)
        server.should_exit = True

    page = make_page(app, f"{here}/registered", lambda code: credentials_of(api_of(app.github_url), code), done)
    server = uvicorn.Server(uvicorn.Config(page, host=LOOPBACK, port=port, log_level="critical", lifespan="off"))
    patience = threading.Timer(timeout_s, lambda: setattr(server, "should_exit", True))
    patience.daemon = True
    try:
        listener = server.config.bind_socket()
    except SystemExit:
        raise SettingsError(f"--port: {port} is in use on this machine; choose another") from None
    with listener:
        console.print(f"Open {here} and follow it to GitHub.", markup=False)
        if open_browser:
            threading.Timer(0.5, webbrowser.open, (here,)).start()
        patience.start()
        try:
            server.run([listener])
        finally:
            patience.cancel()
    return made[0] if made else None


app_command.add_command(backup_command)
app_command.add_command(import_memory_report_command)


@app_command.command("login-link")
@DATA_DIR
@click.option("--url", help="URL of the pages. Default: ASSAY_PUBLIC_URL, or the local port.")
def link_command(data_dir: Path | None, url: str | None) -> None:
    """Print a one-time link that signs in the operator.

    The link is valid for 15 minutes and signs in its first visitor.
    """
    settings = settings_at(data_dir)
    base = url or settings.public_url or f"http://{LOOPBACK}:{settings.port}"
    click.echo(LoginLinks(settings.secret()).link(base.rstrip("/")))
