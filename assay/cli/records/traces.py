"""The command `assay traces`: import of agent sessions from files."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from assay.cli.app.interface import URL, Interface, interface_at
from assay.cli.app.store import DATA_DIR, known, opened_store
from assay.github.errors import TraceUnreadable
from assay.github_app.outcomes import evaluate_task, take_traces
from assay.github_app.provenance.declarations import TASK_ID
from assay.github_app.provenance.traces.step import Trace
from assay.github_app.provenance.traces.trace_lines import MOST_BYTES, ReadTraces, read_traces
from assay.github_app.store import RepositoryRow, Store


@click.group("traces")
def traces_command() -> None:
    """Import agent sessions from files."""


@traces_command.command("import")
@DATA_DIR
@URL
@click.option("--repo", metavar="OWNER/NAME", help="Repository of the sessions. Required for a local database.")
@click.option("--task", "task_id", metavar="ID", help="Task of the sessions, if the files do not name it.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def import_command(
    data_dir: Path | None, url: str | None, repo: str | None, task_id: str | None, files: tuple[Path, ...]
) -> int:
    """Import agent sessions as tool calls, errors, times and tokens.

    Formats: OpenTelemetry spans of generative AI (OTLP JSON), sessions of Claude Code, sessions of Codex. Prompts,
    answers and tool output are not stored. Unreadable lines are reported and skipped.

    Exit code: 0 all were read, 1 some lines or files could not be read.
    """
    if task_id is not None and not re.fullmatch(TASK_ID, task_id):
        raise click.UsageError("--task: letters, digits and _.:/@+=~- , at most 100, beginning with a letter or digit")
    app = interface_at(url)
    if app is None and repo is None:
        raise click.UsageError("--repo: name the sessions' repository, or set ASSAY_URL to send them to an App")
    if app is not None:
        return max(_sent(app, file, repo, task_id) for file in files)
    with opened_store(data_dir) as store:
        row = known(store, str(repo), "--repo")
        return max(_kept(store, row, file, task_id) for file in files)


@traces_command.command("show")
@click.argument("file", type=click.Path(path_type=Path))
def show_command(file: Path) -> int:
    """Print what an import would store, as JSON.

    Exit code: 0 all lines were read, 1 some could not be read.
    """
    read = _read(file)
    click.echo(json.dumps([_shown(trace) for trace in read.traces], indent=2))
    return _told_bad(file, [(one.line, one.why) for one in read.bad], read.num_bad)


def _read(file: Path) -> ReadTraces:
    return read_traces(_bytes(file), str(file))


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise TraceUnreadable(f"{file}: {error.strerror}") from None


def _kept(store: Store, row: RepositoryRow, file: Path, task_id: str | None) -> int:
    try:
        read = _read(file)
    except TraceUnreadable as error:
        click.echo(str(error), err=True)
        return 1
    at = datetime.now(UTC)
    rows = take_traces(store, row, read.traces, at, told_by="operator", task_id=task_id)
    for one in sorted({trace.task_id for trace in rows if trace.task_id}):
        evaluate_task(store, row.id, one, at)
    steps = sum(trace.num_steps for trace in rows)
    click.echo(f"{file}: {read.source}, {len(rows)} of {len(read.traces)} sessions are new, {steps} steps")
    return _told_bad(file, [(one.line, one.why) for one in read.bad], read.num_bad)


def _sent(app: Interface, file: Path, repo: str | None, task_id: str | None) -> int:
    query = {**({"repo": repo} if repo else {}), **({"task": task_id} if task_id else {})}
    try:
        data = _bytes(file)
    except TraceUnreadable as error:
        click.echo(str(error), err=True)
        return 1
    told = app.post("/api/v1/traces", query=query, content=data)
    traces = told.get("traces", [])
    click.echo(f"{file}: {told.get('source')}, {len(traces)} sessions are new")
    bad = [re.sub(r"^body:", "", str(one)).partition(": ") for one in told.get("bad", [])]
    return _told_bad(file, [(line, why) for line, _, why in bad], int(told.get("num_bad", 0)))


def _told_bad(file: Path, bad: list[tuple[Any, str]], num_bad: int) -> int:
    for line, why in bad:
        click.echo(f"{file}:{line}: {why}", err=True)
    if num_bad > len(bad):
        click.echo(f"{file}: {num_bad - len(bad)} more lines could not be read", err=True)
    return 1 if num_bad else 0


def _shown(trace: Trace) -> dict[str, Any]:
    return {
        "source": trace.source,
        "session_id": trace.session_id,
        "task_id": trace.task_id,
        "agent": trace.agent,
        "model": trace.model,
        "ending": str(trace.ending),
        "duration_s": trace.duration_s,
        "num_tokens_in": trace.num_tokens_in,
        "num_tokens_out": trace.num_tokens_out,
        "num_tool_calls": trace.num_tool_calls,
        "num_errors": trace.num_errors,
        "steps": [step.as_data() for step in trace.steps],
    }
