"""A pull request whose author chooses another base branch while it is validated, or before an old run is run again.

Each branch has settings of its own. A verdict by those of the one is never said of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.github_app.action.test_steps import all_steps, second_stage
from tests.github_app.action.workflow import Workflow
from tests.github_app.publish.reports import fine


def retargeted(workflow: Workflow, number: int) -> None:
    workflow.repository.git("branch", "-f", "strict", "main")
    workflow.github.push(workflow.repository, "strict")
    workflow.github.edit_pull(number, base="strict")


def test_a_verdict_by_the_base_of_back_then_is_not_published(workflow: Workflow):
    retargeted(workflow, workflow.number)
    outcome = workflow.publish(fine(workflow.head))
    assert workflow.checks() == []
    assert workflow.github.labels(workflow.number) == []
    assert outcome.check_run_id is None
    assert outcome.notes == (
        f"Nothing was published: #{workflow.number} was validated against main, and its base is strict now.",
    )


def test_a_base_that_the_workflow_names_itself_is_nobodys_choice(workflow: Workflow):
    retargeted(workflow, workflow.number)
    assert workflow.publish(fine(workflow.head), base="main").check_run_id is not None


@pytest.mark.system
def test_the_second_stage_publishes_nothing_for_a_base_that_changed_meanwhile(
    workflow: Workflow, env_of: Callable[..., Any]
):
    env, head = second_stage(workflow, env_of)
    assert all_steps(env, lambda: retargeted(workflow, workflow.number + 1)) == 0
    assert workflow.github.check_runs(head, name="Assay") == []
    assert workflow.github.labels(workflow.number + 1) == []
