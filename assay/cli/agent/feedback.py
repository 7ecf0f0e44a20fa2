"""The command `assay feedback`: an agent's answer to what it lacked in a task."""

from __future__ import annotations

import re
import sys
from urllib.parse import quote

import click

from assay.cli.agent.app_api import URL, app_at
from assay.cli.agent.stop_hook import ASK, MOST_PAYLOAD_BYTES, STOP, HookFailed, stopping
from assay.coded_error import CodedError
from assay.github_app.provenance.declarations import FEEDBACK_QUESTION, TASK_ID

MOST_TEXT = 64 * 1024
"""Characters of an answer; the API's limit."""


@click.command("feedback")
@URL
@click.option(
    "--task", "task_id", envvar="ASSAY_TASK_ID", metavar="ID", help="Task that has ended, successfully or not."
)
@click.option("--repo", metavar="OWNER/NAME", help="Repository of the task. Default: the only one of the token.")
@click.option("--answer", metavar="TEXT", help="The agent's answer; - reads it from standard input.")
@click.option("--agent", metavar="NAME", help="Agent that answered.")
@click.option(
    "--hook",
    "is_hook",
    is_flag=True,
    help="Run as the stop hook of Claude Code, Codex or Copilot: ask once in a session, then submit the answer. The"
    " task is the session unless --task names one.",
)
def feedback_command(
    url: str | None, task_id: str | None, repo: str | None, answer: str | None, agent: str | None, is_hook: bool
) -> int:
    """Print the feedback question for a task, or submit an answer.

    A harness asks the question as a last turn of every session, successful or not, and submits the answer here. It is
    sent to the App at ASSAY_URL with the token in ASSAY_TOKEN. With --hook the command does both for agents with stop
    hooks; it then exits with 3 on every error, because 2 would keep the agent at work.
    """
    if is_hook:
        return _hook(url, task_id, repo, agent)
    task_id = _checked(task_id)
    if answer is None:
        click.echo(FEEDBACK_QUESTION)
        return 0
    text = sys.stdin.buffer.read(4 * MOST_TEXT + 1).decode("utf-8", "replace") if answer == "-" else answer
    if not text.strip():
        raise click.UsageError("--answer: empty; if nothing was missing, pass `none`")
    click.echo(_submitted(url, task_id, repo, text, agent))
    return 0


def _hook(url: str | None, task_id: str | None, repo: str | None, agent: str | None) -> int:
    """Answer a stop hook on standard output; messages go to standard error."""
    found = stopping(sys.stdin.buffer.read(MOST_PAYLOAD_BYTES))
    if found.step == "take":
        try:
            task_id = _checked(task_id or found.session_id)
            click.echo(f"assay: {_submitted(url, task_id, repo, found.answer, agent)}", err=True)
        except click.ClickException as error:
            raise HookFailed(error.format_message()) from None
        except CodedError as error:
            raise HookFailed(error.text, code=error.code) from None
    click.echo(ASK if found.step == "ask" else STOP)
    return 0


def _checked(task_id: str | None) -> str:
    if task_id is None:
        raise click.UsageError("--task: missing; name the task, or set ASSAY_TASK_ID")
    if not re.fullmatch(TASK_ID, task_id):
        raise click.UsageError("--task: letters, digits and _.:/@+=~- , at most 100, beginning with a letter or digit")
    return task_id


def _submitted(url: str | None, task_id: str, repo: str | None, text: str, agent: str | None) -> str:
    """Send the answer to the App, and return what became of it."""
    app = app_at(url)
    if app is None:
        raise click.UsageError("--url: missing; name the App, or set ASSAY_URL")
    body = {
        "answer": text.strip()[:MOST_TEXT],
        **({"repo": repo} if repo else {}),
        **({"agent": agent} if agent else {}),
    }
    kept = app.post(f"/api/v1/tasks/{quote(task_id)}/feedback", body)
    insight, why_not = kept.get("insight"), kept.get("why_not")
    if not isinstance(insight, str):
        return "recorded: nothing was missing"
    if isinstance(why_not, str):
        return f"stored as {insight} for review, not delivered to agents: {why_not}"
    return f"stored as {insight}"
