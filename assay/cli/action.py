"""The command `assay action`: the steps of the GitHub Action, as action.yml calls them."""

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
    """Run one step of the GitHub Action.

    Inputs and the job are read from ASSAY_ACTION_… variables (docs/action/index.md); they are set by action.yml.
    """


@action_command.command("fetch")
def fetch_command() -> int:
    """Fetch the commits to validate.

    Needs a token. Exit code: 0 success, 2 invalid inputs, 3 could not run.
    """
    return _step(steps.fetch)


@action_command.command("validate")
def validate_command() -> int:
    """Validate the fetched commits.

    This step may run commands of the change, so it must not have a token. Exit code: 0 validated, whatever the verdict;
    2 invalid inputs, 3 could not run.
    """
    return _step(steps.validate)


@action_command.command("publish")
def publish_command() -> int:
    """Publish the verdict.

    It writes the Check Run, label, comment, summary and outputs, and needs a token. Exit code: 0 success, 1 the change
    failed, 2 invalid inputs or configuration, 3 could not run.
    """
    return _step(steps.publish)


@action_command.command("memory-report")
def memory_report_command() -> int:
    """Merge this run's memory reports and publish them.

    The merged report is compared with the previous one. Needs a token. Exit code: 0 success, 1 below `fail-under`,
    2 invalid inputs, 3 no valid report.
    """
    from assay.action.memory.report import memory_report

    return _step(memory_report)


def _step(step: Callable[[Mapping[str, str]], int]) -> int:
    """Run a step and log its errors; the runner is discarded, so the log is the only trace of them."""
    try:
        return step(os.environ)
    except (GithubAppError, ValidatorError) as error:
        say(str(error), sys.stderr)
        return error.exit_code
    except Exception:
        say(traceback.format_exc())
        raise
