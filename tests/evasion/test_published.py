"""What App and Action publish about a wrapped payload is what validation says of it: no better than the payload alone.

Both take it from a GitHub as they do any other pull request. Their scanners are off: validation alone, in the other
tests of this folder, has them in.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.github_app.ops.permissions import FOR_PUBLISHING
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes.record.recording import record
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.runs.validate_head import HeadValidator
from assay.github_app.store import RunState
from assay.validators.report.model import Conclusion, RiskLevel
from tests.evasion.acting import acts
from tests.evasion.base_repository import BASE
from tests.evasion.changes import commit_all
from tests.evasion.judge_pairs import Judged, judged_pairs
from tests.evasion.pairs import some_singles
from tests.evasion.standing import QUICK
from tests.evasion.test_wrappers import KNOWN, PAYLOADS
from tests.fakes.github import FakeGitHub
from tests.github_app.action.test_steps import all_steps
from tests.github_app.action.workflow import Workflow
from tests.github_app.rooms import Room
from tests.repositories import RealRepository

QUIET = BASE[".github/assay.yml"] + "  scanners: [zizmor, squawk]\n"
SIZES = [1, pytest.param(12, marks=[pytest.mark.soak, pytest.mark.timeout(1200)])]


@dataclass(frozen=True)
class Opened:
    """A pair as a pull request, with what validation says of it."""

    judged: Judged
    number: int
    branch: str
    base: str
    head: str

    def is_told_of(self, check: dict[str, Any], labels: list[str]) -> None:
        """What stands on GitHub is the verdict, which does not let the payload pass."""
        name, standing = self.judged.pair.name, self.judged.standing
        assert self.judged.better == "", name
        assert check["head_sha"] == self.head
        assert check["conclusion"] == standing.conclusion != Conclusion.success, name
        assert labels == [f"risk:{standing.level}"] != [f"risk:{RiskLevel.low}"], name


def opened(github: FakeGitHub, repository: RealRepository, folder: Path, num: int, seed: int) -> Iterator[Opened]:
    """Some pairs whose payload does not need a scanner to be seen, each a pull request against the tests' base."""
    repository.switch("main")
    base = repository.commit("Found the shop", {**BASE, ".github/assay.yml": QUIET})
    github.push(repository, "main")
    sample = [
        pair
        for pair in some_singles(PAYLOADS, 2 * num, seed)
        if pair.name not in KNOWN and not pair.is_large and acts(pair.change)
    ]
    found = judged_pairs(folder / "alone", PAYLOADS, sample, QUICK)
    seen = [one for one in found if one.better or not one.standing.passes][:num]
    assert len(seen) == num
    heads = commit_all(repository, base, [one.pair.change for one in seen])
    for place, (one, head) in enumerate(zip(seen, heads, strict=True)):
        branch = f"pair/{place}"
        github.push(repository, branch)
        yield Opened(one, github.open_pull(branch, by="ada"), branch, base, head)


@pytest.mark.parametrize("num", SIZES)
def test_the_app_publishes_what_validation_says(room: Room, tmp_path: Path, num: int):
    for one in opened(room.github, room.repository, tmp_path, num, seed=1):
        _judged_by_the_app(dataclasses.replace(room, number=one.number, head=one.head), tmp_path)
        (check,) = room.github.check_runs(one.head, name="Assay")
        one.is_told_of(check, room.github.labels(one.number))


def _judged_by_the_app(room: Room, folder: Path) -> None:
    """What the App hears of a pull request, and what a worker does with its head."""
    told = room.heard("pull_request", lambda payload: payload["number"] == room.number)
    record(told, room.store, datetime.now(UTC))
    settings = Settings(data_dir=folder, github_url=room.github.url, github_api_url=room.github.url)
    context = dataclasses.replace(room.context, settings=settings)
    run, _ = room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))
    room.store.runs.advance(run.id, RunState.running, datetime.now(UTC))
    HeadValidator(settings).validate(run, room.pull(), context, threading.Event(), lambda _: None)
    with context.repo(room.repository_id, FOR_PUBLISHING) as repo:
        RunPublisher().publish(run, room.pull(), repo, context)


@pytest.mark.parametrize("num", SIZES)
def test_the_action_publishes_what_validation_says(
    workflow: Workflow, env_of: Callable[..., dict[str, str]], tmp_path: Path, num: int
):
    for one in opened(workflow.github, workflow.repository, tmp_path, num, seed=2):
        place = {"PULL_NUMBER": str(one.number), "BASE_SHA": one.base, "HEAD_SHA": one.head, "HEAD_REF": one.branch}
        code = all_steps(env_of(**place, MODE="publish", FAIL_ON="hold"))
        assert code == one.judged.standing.exit_code
        (check,) = workflow.github.check_runs(one.head, name="Assay")
        one.is_told_of(check, workflow.github.labels(one.number))
