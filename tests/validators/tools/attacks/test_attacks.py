"""Whatever bends the results of a failing test, the change does not pass: Tier 1 and Tier 2 as they come."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.validators import Repository, ValidationConfig, validate
from assay.validators.report.model import Conclusion, Tier, ValidationReport
from assay.validators.run.pipeline import Options
from assay.validators.vcs.read_change import read_change
from tests.repositories import RealRepository
from tests.validators.tools.attacks import on_cargo, on_go, on_node, on_pytest, on_unittest
from tests.validators.tools.attacks.attack import Attack, Victim
from tests.validators.tools.attacks.toolchains import TOOLCHAINS

VICTIMS = {
    victim.runner: victim
    for victim in (
        on_pytest.VICTIM,
        on_unittest.VICTIM,
        on_node.JEST,
        on_node.VITEST,
        on_node.MOCHA,
        on_node.NODE_TEST,
        on_go.VICTIM,
        on_cargo.VICTIM,
    )
}
ATTACKS = [attack for victim in VICTIMS.values() for attack in victim.attacks]
SAMPLE = frozenset(("outcome rewritten in the report",))
AT_LEAST = 40


def _marked(attack: Attack) -> object:
    marks = () if attack.runner == "pytest" and attack.name in SAMPLE else (pytest.mark.soak,)
    return pytest.param(attack, id=f"{attack.runner}: {attack.name}", marks=marks)


@pytest.fixture
def toolchain(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner's programs first on PATH; without them the test is skipped with the reason."""
    runner = request.getfixturevalue("runner")
    folder = TOOLCHAINS[runner]()
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder), str(Path(sys.executable).parent), os.environ["PATH"])))


def judged(
    repository: RealRepository, victim: Victim, head: Mapping[str, str | None], command: str
) -> ValidationReport:
    """The report on a change of the victim's files."""
    repository.commit(files=victim.files)
    for path, text in head.items():
        if text is None:
            repository.remove(path)
        else:
            repository.write(path, text)
    repository.commit()
    tier1 = {"commands": [{"run": command, "kind": "test"}], "setup": "none", "sandbox": "off", "scanners": []}
    config = ValidationConfig.model_validate({"tier1": tier1})
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD~1", "HEAD")
        return validate(change, config, Options(tiers=frozenset((Tier.tools, Tier.quality))))


@pytest.mark.system
@pytest.mark.parametrize(
    "runner", [pytest.param(name, marks=() if name == "pytest" else pytest.mark.soak) for name in VICTIMS]
)
@pytest.mark.usefixtures("toolchain")
def test_the_broken_change_alone_fails_by_the_name_of_its_test(runner: str, repository: RealRepository):
    victim = VICTIMS[runner]
    report = judged(repository, victim, victim.broken, victim.command)
    assert report.conclusion is Conclusion.failure
    assert any(victim.failing in finding.message for finding in report.findings)


@pytest.mark.parametrize(
    "runner", [pytest.param(name, marks=() if name == "pytest" else pytest.mark.soak) for name in VICTIMS]
)
@pytest.mark.usefixtures("toolchain")
def test_a_change_that_breaks_nothing_passes(runner: str, repository: RealRepository):
    victim = VICTIMS[runner]
    report = judged(repository, victim, {"README.md": "# Shop\n"}, victim.command)
    assert report.conclusion is Conclusion.success, report.reasons


@pytest.fixture
def runner(request: pytest.FixtureRequest) -> str:
    """The runner of the attack."""
    attack: Attack = request.getfixturevalue("attack")
    return attack.runner


@pytest.mark.parametrize("attack", [_marked(attack) for attack in ATTACKS])
@pytest.mark.usefixtures("toolchain")
def test_an_attack_on_test_results_is_no_success(attack: Attack, repository: RealRepository):
    victim = VICTIMS[attack.runner]
    report = judged(repository, victim, {**victim.broken, **attack.files}, attack.command or victim.command)
    assert report.conclusion is not Conclusion.success


def test_there_are_enough_attacks():
    assert len(ATTACKS) >= AT_LEAST
