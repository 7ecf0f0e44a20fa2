"""The command `assay memory drift`: what became of a production memory since its last snapshot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from assay.cli.display.outputs import STDOUT, PairedCommand, outputs_of, write
from assay.cli.memory.agent_options import AGENT_URL, ENV, MODEL, PYTHON_PATH, TIMEOUT, model_arguments
from assay.memory_eval import (
    DRIFT_KEY_VARIABLE,
    AgentOptions,
    drift_html,
    drift_json,
    drift_markdown,
    drift_text,
    memory_drift,
    read_requests,
    show_drift,
)

SUFFIXES = {".json": "json", ".html": "html", ".md": "markdown", ".txt": "terminal"}
RENDERERS = {"terminal": drift_text, "json": drift_json, "markdown": drift_markdown, "html": drift_html}
FAILED = 1


@click.command("drift", cls=PairedCommand, short_help="Compare a production memory with an earlier state")
@click.argument("states", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="[OLD] NEW")
@click.option("--earlier", type=click.Path(path_type=Path), metavar="OLDER", help="A state from before OLD.")
@click.option(
    "--forget", type=click.Path(path_type=Path), metavar="FILE", help="What the memory has to forget, one a line."
)
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="YAML file with table and columns of any SQLite file.",
)
@click.option("--adapter", metavar="NAME", help="Live memory that answers the questions by `retrieve`.")
@AGENT_URL
@MODEL
@PYTHON_PATH
@ENV
@TIMEOUT
@click.option(
    "--tolerated-loss",
    type=click.FloatRange(0, 0.5, min_open=True),
    show_default="0.01",
    help="Share of facts that may be lost unrecorded.",
)
@click.option("--examples", "with_texts", is_flag=True, help="Name entries by id and text, not by hash.")
@click.option("--fail-on-findings", is_flag=True, help="Exit with 1 if there is a finding.")
@click.option(
    "-f", "--format", "formats", multiple=True, type=click.Choice(list(RENDERERS)), help="Output format, repeatable."
)
@click.option(
    "-o", "--output", "files", multiple=True, metavar="FILE", help="Output file; its suffix is the default format."
)
@click.pass_context
def drift_command(
    ctx: click.Context,
    states: Sequence[Path],
    earlier: Path | None,
    forget: Path | None,
    mapping: Path | None,
    adapter: str | None,
    agent_url: str | None,
    model: str | None,
    python_path: Sequence[Path],
    passed_on: Sequence[str],
    timeout_s: float,
    tolerated_loss: float | None,
    with_texts: bool,
    fail_on_findings: bool,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
) -> int:
    """Compare a production memory with an earlier state.

    OLD and NEW are stores of any snapshot format; OLD may be the JSON of an earlier comparison, which has no text of
    the memory. Exit code: 0 compared, 1 by --fail-on-findings, 2 not a readable memory, 3 the live memory failed.
    """
    if len(states) > 2:
        raise click.UsageError("expected one or two memories: [OLD] NEW")
    outputs = outputs_of(ctx, SUFFIXES)
    drift = memory_drift(
        states[-1],
        states[0] if len(states) == 2 else None,
        earlier,
        requests=read_requests(forget) if forget is not None else (),
        mapping=mapping,
        adapter=adapter or ("http" if agent_url else None),
        options=AgentOptions(
            url=agent_url,
            python_path=tuple(python_path) or None,
            arguments=model_arguments(model),
            passed_on=tuple(passed_on),
            timeout_s=timeout_s,
        ),
        secret_key=os.environ.get(DRIFT_KEY_VARIABLE, ""),
        tolerated=tolerated_loss,
        with_texts=with_texts,
    )
    for output in outputs:
        if output.format == "terminal" and output.path == STDOUT:
            show_drift(drift, Console())
        else:
            write(output.path, RENDERERS[output.format](drift))
    return FAILED if fail_on_findings and drift.has_findings else 0
