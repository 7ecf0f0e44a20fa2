"""The command `assay feedback`: an agent's answer to what it lacked in a task."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import click

from assay.cli.app.interface import URL, interface_at
from assay.cli.app.store import DATA_DIR, known, opened_store
from assay.github_app.outcomes import take_feedback
from assay.github_app.provenance.declarations import FEEDBACK_QUESTION, TASK_ID

MOST_TEXT = 64 * 1024
"""Characters of an answer; the API's limit."""


@click.command("feedback")
@DATA_DIR
@URL
@click.option("--task", "task_id", required=True, metavar="ID", help="Task that has ended, successfully or not.")
@click.option("--repo", metavar="OWNER/NAME", help="Repository of the task. Required for a local database.")
@click.option("--answer", metavar="TEXT", help="The agent's answer; - reads it from standard input.")
@click.option("--agent", metavar="NAME", help="Agent that answered.")
def feedback_command(
    data_dir: Path | None, url: str | None, task_id: str, repo: str | None, answer: str | None, agent: str | None
) -> int:
    """Print the feedback question for a task, or submit an answer.

    A harness asks the question as a last turn of every session, successful or not, and submits the answer here. It is
    sent to the App at ASSAY_URL with the token in ASSAY_TOKEN, or stored in the local database.
    """
    if not re.fullmatch(TASK_ID, task_id):
        raise click.UsageError("--task: letters, digits and _.:/@+=~- , at most 100, beginning with a letter or digit")
    if answer is None:
        click.echo(FEEDBACK_QUESTION)
        return 0
    text = _read() if answer == "-" else answer
    if not text.strip():
        raise click.UsageError("--answer: empty; if nothing was missing, pass `none`")
    text = text.strip()[:MOST_TEXT]
    app = interface_at(url)
    if app is not None:
        body = {"answer": text, **({"repo": repo} if repo else {}), **({"agent": agent} if agent else {})}
        kept = app.post(f"/api/v1/tasks/{quote(task_id)}/feedback", body=body)
        _say(kept.get("insight"), kept.get("why_not"))
        return 0
    if repo is None:
        raise click.UsageError("--repo: name the task's repository, or set ASSAY_URL to send the answer to an App")
    with opened_store(data_dir) as store:
        row = known(store, repo, "--repo")
        at = datetime.now(UTC)
        found = take_feedback(
            store, row.id, text, at, source="cli", seen_at=at, task_id=task_id, told_by="operator", agent=agent
        )
    _say(found[0].id if found else None, found[0].why_not if found else None)
    return 0


def _read() -> str:
    data = sys.stdin.buffer.read(4 * MOST_TEXT + 1)
    return data.decode("utf-8", "replace")


def _say(insight: object, why_not: object) -> None:
    if not isinstance(insight, str):
        click.echo("recorded: nothing was missing")
    elif isinstance(why_not, str):
        click.echo(f"stored as {insight} for review, not delivered to agents: {why_not}")
    else:
        click.echo(f"stored as {insight}")
