"""Options of the commands that evaluate an agent: how it is reached, called, and where the results go."""

from __future__ import annotations

import os
from pathlib import Path

import click

FALLBACK = "baseline:bm25"
MODEL_VARIABLE = "ASSAY_AGENT_MODEL"
"""Environment variable that passes `--model` to an agent's process."""

AGENT_URL = click.option("--agent-url", metavar="URL", help="URL of an HTTP agent.")
MODEL = click.option(
    "--model",
    metavar="NAME",
    help=f"Model for the agent: argument `model` of a Python class, else {MODEL_VARIABLE}.",
)
PARALLEL_WORKERS = click.option(
    "--parallel-workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Maximum concurrent calls, if the agent allows them.",
)
PYTHON_PATH = click.option(
    "--python-path",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Import path of a Python agent, repeatable. Default: the current folder.",
)
ENV = click.option(
    "--env",
    "passed_on",
    multiple=True,
    metavar="NAME",
    help="Secret-like variable to pass to the agent, repeatable.",
)
TIMEOUT = click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds per call.",
)
OUTPUT_DIR = click.option(
    "--output-dir", type=click.Path(path_type=Path), metavar="DIR", help="Folder for reports and results."
)


def fallback() -> str:
    """Return the agent that is evaluated if none is named, and say so."""
    click.echo(f"assay: no --adapter given; evaluating the built-in {FALLBACK}", err=True)
    return FALLBACK


def model_arguments(model: str | None) -> dict[str, str]:
    """Pass `--model` to an agent's process by the environment; return the arguments of a Python class."""
    if not model:
        return {}
    os.environ[MODEL_VARIABLE] = model
    return {"model": model}
