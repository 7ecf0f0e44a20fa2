"""`assay feedback`: what an agent lacked, asked at the end of its task and kept for the next one."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import click

from assay.cli.app.interface import URL, interface_at
from assay.cli.app.store import DATA_DIR, opened_store
from assay.github_app.outcomes import QUESTION, take_feedback
from assay.github_app.provenance.declarations import TASK_ID

MOST_TEXT = 64 * 1024
"""Characters of an answer that are sent; the interface takes no more."""


@click.command("feedback")
@DATA_DIR
@URL
@click.option("--task", "task_id", required=True, metavar="ID", help="The task that has ended, well or not.")
@click.option("--repo", metavar="OWNER/NAME", help="Its repository. Needed to keep an answer in the database here.")
@click.option("--answer", metavar="TEXT", help="What the agent answered; - reads it from standard input.")
@click.option("--agent", metavar="NAME", help="Which agent answered.")
def feedback_command(
    data_dir: Path | None, url: str | None, task_id: str, repo: str | None, answer: str | None, agent: str | None
) -> int:
    """Print the question for an agent whose task has ended, or keep its ANSWER.

    A harness asks it as one more turn before the session ends, after success and failure alike, and comes back with
    the answer. It goes to the App at ASSAY_URL with the token in ASSAY_TOKEN, or into the database here.
    """
    if not re.fullmatch(TASK_ID, task_id):
        raise click.UsageError("--task: letters, digits and _.:/@+=~- , at most 100, beginning with a letter or digit")
    if answer is None:
        click.echo(QUESTION)
        return 0
    text = _read() if answer == "-" else answer
    if not text.strip():
        raise click.UsageError("--answer: it is empty; an agent that lacked nothing says `none`")
    text = text.strip()[:MOST_TEXT]
    app = interface_at(url)
    if app is not None:
        body = {"answer": text, **({"repo": repo} if repo else {}), **({"agent": agent} if agent else {})}
        kept = app.post(f"/api/v1/tasks/{quote(task_id)}/feedback", body=body)
        _say(kept.get("insight"), kept.get("why_not"))
        return 0
    if repo is None:
        raise click.UsageError("--repo: say which repository the task was in, or which App to tell by ASSAY_URL")
    with opened_store(data_dir) as store:
        row = store.repositories.named(repo)
        if row is None:
            raise click.UsageError(f"--repo: nothing is known here of a repository {repo!r}")
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
        click.echo("nothing was missing; that is noted")
    elif isinstance(why_not, str):
        click.echo(f"kept as {insight} for people to look at, not handed to agents: {why_not}")
    else:
        click.echo(f"kept as {insight}")
