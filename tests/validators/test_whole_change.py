"""The plain kind of a change as a whole: the cases are data, in tests/cases/risk/whole_change.yaml."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.render import markdown
from assay.validators.render.first_screen import first_screen
from assay.validators.report.model import RiskAssessment, RiskLevel, Tier
from assay.validators.run.pipeline import Options, validate
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository
from tests.tables import read_yaml
from tests.validators.risk.changes import CASES, Changes

TABLE = read_yaml(CASES / "whole_change.yaml")


@pytest.fixture(scope="module")
def case_changes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changes]:
    cases = [(case["base"], case["head"]) for case in TABLE.values()]
    with Changes(tmp_path_factory.mktemp("whole") / "repository", cases) as made:
        yield made


def _risk(change: ChangeSet, **settings: object) -> RiskAssessment:
    config = ValidationConfig.model_validate({"tier1": {"enabled": False}, **settings})
    risk = validate(change, config, Options(tiers=(Tier.risk,))).risk
    assert risk is not None
    return risk


@pytest.mark.parametrize("name", TABLE)
def test_a_change_is_what_its_case_says(case_changes: Changes, name: str):
    risk = _risk(case_changes.at([*TABLE].index(name)))
    said = TABLE[name].get("is")
    assert risk.whole_change == said
    if said is not None:
        assert risk.level is RiskLevel.low
        assert risk.likelihood is not None


@pytest.fixture
def shop(repository: RealRepository) -> RealRepository:
    repository.commit(files={"a.py": "def f():\n    return 1\n", "b.py": "y = 1\n"})
    words = "\n".join(f"    if for while f({at}) and x{at}" for at in range(100))
    repository.commit(files={"a.py": f'def f():\n    """F.\n\n{words}\n    """\n    return 1\n'})
    return repository


def test_a_plain_change_is_low_and_the_report_says_so_first(shop: RealRepository):
    with Repository(shop.path) as opened:
        report = validate(read_change(opened, "HEAD~1"), ValidationConfig(), Options(tiers=(Tier.quality, Tier.risk)))
    risk = report.risk
    assert risk is not None
    assert risk.likelihood is not None
    assert (risk.level, risk.set_by, risk.likelihood.note) == (RiskLevel.low, (), "only docstrings")
    assert [one.signal for one in risk.statements] == []
    assert [row.text for row in first_screen(report)[-1].rows][:1] == ["Only docstrings"]
    assert "- Level set by: nothing, since only docstrings\n" in markdown.render(report)


def test_an_excluded_file_is_part_of_the_whole_change(shop: RealRepository):
    shop.commit(files={"b.py": "y = 2\n"})
    with Repository(shop.path) as opened:
        assert _risk(read_change(opened, "HEAD~2"), exclude=["b.py"]).whole_change is None
        assert _risk(read_change(opened, "HEAD~2", "HEAD~1"), exclude=["b.py"]).whole_change == "only docstrings"


def test_of_a_change_too_large_to_be_read_nothing_is_claimed(shop: RealRepository, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.validators.languages.whole_change.MOST_CHARACTERS", 1000)
    with Repository(shop.path) as opened:
        assert _risk(read_change(opened, "HEAD~1")).whole_change is None


def test_a_submodule_is_named_and_sets_no_level(case_changes: Changes):
    risk = _risk(case_changes.at([*TABLE].index("a submodule")))
    assert risk.likelihood is not None
    assert risk.likelihood.note == "changes no source code"
