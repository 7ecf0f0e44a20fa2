"""`assay action`: the steps of the GitHub Action, as action.yml calls them; the environment tells them everything."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping

import click

from assay.action.output.log import say
from assay.action.steps import steps
from assay.github.errors import GithubAppError
from assay.validators import ValidatorError


@click.group("action")
def action_command() -> None:
    """Judge a change inside a GitHub workflow: the steps that action.yml runs, in this order.

    Inputs and the job are read from ASSAY_ACTION_… variables (docs/action/index.md); they are set by action.yml.
    """


@action_command.command("fetch")
def fetch_command() -> int:
    """Find out what is to be judged, and bring its commits. Needs a token.

    Exit code: 0 fine, 2 inputs, 3 could not run.
    """
    return _step(steps.fetch)


@action_command.command("judge")
def judge_command() -> int:
    """Judge what was fetched. May run the change's commands, and is to have no token.

    Exit code: 0 judged, whatever the verdict; 2 inputs, 3 could not run.
    """
    return _step(steps.judge)


@action_command.command("publish")
def publish_command() -> int:
    """Settle the verdict and say it: Check Run, label, comment, summary, outputs. Needs a token.

    Exit code: 0 fine, 1 the change failed, 2 inputs or configuration, 3 could not run.
    """
    return _step(steps.publish)


@action_command.command("memory-report")
def memory_report_command() -> int:
    """Join what this run's jobs found about a memory, compare it with the last time, and say so. Needs a token.

    Exit code: 0 fine, 1 below `fail-under`, 2 inputs, 3 nothing to go by.
    """
    from assay.action.memory.report import memory_report

    return _step(memory_report)


def _step(step: Callable[[Mapping[str, str]], int]) -> int:
    """One step. Its log is all that is left of the machine, so what went wrong inside is told there."""
    try:
        return step(os.environ)
    except (GithubAppError, ValidatorError) as error:
        say(str(error), sys.stderr)
        return error.exit_code
    except Exception:
        say(traceback.format_exc())
        raise
