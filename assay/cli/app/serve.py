"""The commands `assay serve` and `assay worker`: the GitHub App's two processes, or both in one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from assay.cli.app.store import DATA_DIR
from assay.github_app.ops.settings import Settings, read_settings
from assay.github_app.web.dashboard import LoginLinks


@click.command("serve")
@click.option("--host", help="Address to bind. Default: ASSAY_HOST, or 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to bind. Default: ASSAY_PORT, or 8080.")
@DATA_DIR
@click.option("--no-worker", is_flag=True, help="Only receive webhooks; run `assay worker` separately.")
def serve_command(host: str | None, port: int | None, data_dir: Path | None, no_worker: bool) -> int:
    """Run the GitHub App: web server and worker.

    Settings are environment variables ASSAY_… or a TOML file; see docs/app/settings.md. SIGTERM stops it; unfinished
    jobs resume at the next start.
    """
    from assay.github_app.server.worker import serve

    settings = _settings(host=host, port=port, data_dir=data_dir)
    settings.check_complete(receives=True)
    if sys.stderr.isatty():
        # A terminal means an interactive start; the log itself is for programs.
        click.echo(greeting(settings), err=True)
    serve(settings, worker=not no_worker)
    return 0


@click.command("worker")
@DATA_DIR
def worker_command(data_dir: Path | None) -> int:
    """Run a worker of the GitHub App without the web server.

    Several workers on several machines can share one PostgreSQL database.
    """
    from assay.github_app.server.worker import work

    settings = _settings(data_dir=data_dir)
    settings.check_complete(receives=False)
    work(settings)
    return 0


def greeting(settings: Settings) -> str:
    """Return the webhook URL and a sign-in link to the pages."""
    here = settings.public_url or f"http://{settings.host}:{settings.port}"
    return f"Webhook URL: {here}/webhooks/github. Pages: {LoginLinks(settings.secret()).link(here)}"


def _settings(**given: Any) -> Settings:
    return read_settings(**{name: value for name, value in given.items() if value is not None})
