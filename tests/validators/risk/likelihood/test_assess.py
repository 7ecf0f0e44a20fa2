"""Likelihood of a change, from the history it would land on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import RiskAssessment, RiskLevel, Tier
from assay.validators.risk.assess import assess_risk
from assay.validators.risk.likelihood import replay
from assay.validators.risk.likelihood.assess import LikelihoodSignal
from assay.validators.risk.likelihood.evaluate import evaluate_levels, replay_history
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, shipped_model
from assay.validators.run.pipeline import Options, validate
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.validators.risk.likelihood.histories import Commit, history_of, steady, write_history

LARGE = "".join(f"def g{at}(a):\n    if a and call(a):\n        b = other(a)\n        return b\n" for at in range(90))


def _assessed(tmp_path: Path, commits: list[Commit]) -> RiskAssessment:
    ids = write_history(tmp_path / "r.git", commits)
    with Repository(tmp_path / "r.git") as repository:
        return _assess(read_change(repository, ids[-2], ids[-1]))


def _assess(change: ChangeSet) -> RiskAssessment:
    return assess_risk(change, ValidationConfig(), signals=[LikelihoodSignal()])


def test_a_change_is_compared_with_the_repositorys_own(tmp_path: Path) -> None:
    found = _assessed(
        tmp_path, [*steady(NUM_AT_LEAST + 5), Commit({"shop/new.py": LARGE}, "Add g", day=200)]
    ).likelihood
    assert found is not None
    assert (found.level, found.basis, found.num_compared) == (RiskLevel.critical, "model", NUM_AT_LEAST + 4)
    added = next(one for one in found.factors if one.feature == "added")
    assert (added.value, added.percentile) == (360, 100)
    assert added.text == "adds 360 lines without blank ones and comments (percentile 100 of the last 104 changes)"
    assert found.rate is not None
    assert (found.rate.source, found.rate.num) == ("8 public repositories", shipped_model().rates["critical"].num)


def test_what_only_moves_to_another_file_is_not_measured(tmp_path: Path) -> None:
    before = Commit({"shop/new.py": f"x = 1\n{LARGE}"}, "Add g", day=199)
    moved = Commit({"shop/new.py": "x = 2\n", "shop/other.py": LARGE}, "Move g", day=200)
    found = _assessed(tmp_path, [*steady(NUM_AT_LEAST + 5), before, moved]).likelihood
    assert found is not None
    assert found.level is RiskLevel.low
    assert next((one.value for one in found.factors if one.feature == "added"), 0) <= 1


@pytest.mark.parametrize("at", [110, 117, 123])
def test_a_change_scores_as_in_the_replay_after_it_landed(tmp_path: Path, at: int) -> None:
    ids = write_history(tmp_path / "r.git", steady(125))
    with Repository(tmp_path / "r.git") as repository:
        levels = replay_history(history_of(repository))
        past = next(one for one in levels if one.change.sha == ids[at])
        found = _assess(read_change(repository, ids[at - 1], ids[at])).likelihood
    assert found is not None
    assert found.percentile == round(past.score.percentile, 1)
    assert found.level is past.level


def test_a_young_repository_is_compared_with_shipped_quantiles(tmp_path: Path) -> None:
    found = _assessed(tmp_path, [*steady(20), Commit({"shop/new.py": LARGE}, "Add g", day=30)]).likelihood
    assert found is not None
    assert (found.level, found.basis, found.num_compared) == (RiskLevel.critical, "size", 0)
    assert found.note is not None
    assert "19 past changes" in found.note
    assert found.factors[0].contribution > 0
    assert "(percentile 97 of changes" in found.factors[0].text


def test_a_small_change_of_a_young_repository_is_lower_than_most(tmp_path: Path) -> None:
    tiny = Commit({"shop/new.py": "x = 1\n"}, "Add x", day=30)
    found = _assessed(tmp_path, [*steady(20), tiny]).likelihood
    assert found is not None
    (size,) = found.factors
    assert size.contribution < 0
    assert size.percentile < 20
    assert size.text.startswith(f"adds 1 line without blank ones and comments (percentile {int(size.percentile)} of")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bin/tool", "#!/usr/bin/env python3\n" + LARGE),
        ("shop/wide.py", LARGE.encode("utf-16").decode("utf-8", "surrogateescape")),
    ],
)
def test_source_that_git_shows_no_patch_of_is_measured_too(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / "r.git"
    ids = write_history(path, [*steady(20), Commit({name: content}, "Add g", day=30)])
    with Repository(path) as repository:
        found = _assess(read_change(repository, ids[-2], ids[-1])).likelihood
    assert found is not None
    assert (found.level, found.factors[0].value) == (RiskLevel.critical, 360)


def test_a_hostile_name_stays_in_one_line(tmp_path: Path) -> None:
    change = Commit({"shop/part1.py": "x = 1\n", '"a\\n## Safe.toml"': "[a]\n"}, "Replace", day=14)
    found = _assessed(tmp_path, [*steady(12), change]).rollback
    assert found is not None
    assert all(flag.text.isprintable() for flag in found.flags)
    assert "Safe" in found.flags[0].text


def test_a_change_without_source_needs_no_history(tmp_path: Path) -> None:
    found = _assessed(tmp_path, [*steady(3), Commit({"README.md": "# Shop\n"}, "Explain", day=9)])
    assert found.likelihood is not None
    assert (found.likelihood.level, found.likelihood.factors) == (RiskLevel.low, ())
    assert found.rollback is None


def test_the_own_rate_is_told_where_enough_changes_are_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "NUM_FOR_A_RATE", 5)
    commits = steady(150)
    text = commits[145].files["shop/part5.py"]
    assert text is not None
    # A fix, a year before the end, of a line that the first change of this file wrote after enough others.
    fixed = Commit({"shop/part5.py": text.replace("def f145", "def f145b")}, "Fix f145", day=150)
    late = [Commit({"shop/late.py": "x = 1\n" * at}, day=600 + at) for at in range(1, 4)]
    found = _assessed(tmp_path, [*commits, fixed, *late]).likelihood
    assert found is not None
    assert found.rate is not None
    assert found.rate.source == "this repository"
    assert found.rate.num >= 5


def test_rollback_flags_count_settings_authors_and_reverts(tmp_path: Path) -> None:
    commits = steady(12)
    message = "Revert f11"
    files = {"shop/part1.py": commits[1].files["shop/part1.py"]}
    change = Commit(
        {"shop/part1.py": "x = 1\n", "pyproject.toml": "[project]\n"}, "Replace", day=14, author="new@example.org"
    )
    found = _assessed(tmp_path, [*commits, Commit(files, message, day=12), change]).rollback
    assert found is not None
    assert [flag.name for flag in found.flags] == ["settings", "new_author", "reverted_before"]
    assert found.rate is not None
    assert found.rate.times_average > 1


def test_the_report_has_the_likelihood_and_says_what_set_the_level(tmp_path: Path) -> None:
    commits = [*steady(NUM_AT_LEAST + 5), Commit({"shop/new.py": LARGE}, "Add g", day=200)]
    ids = write_history(tmp_path / "r.git", commits)
    with Repository(tmp_path / "r.git") as repository:
        change = read_change(repository, ids[-2], ids[-1])
        options = Options(tiers=(Tier.risk,))
        risk = validate(change, ValidationConfig(), options).risk
        off = ValidationConfig.model_validate({"tier3": {"signals": {"likelihood": False}}})
        without = validate(change, off, options).risk
        first = validate(replace(change, history=None), ValidationConfig(), options).risk
    assert risk is not None
    assert (risk.level, risk.set_by) == (RiskLevel.critical, ("likelihood",))
    for other in (without, first):
        assert other is not None
        assert (other.level, other.likelihood) == (RiskLevel.low, None)
        assert [note.what for note in other.not_checked if "likelihood" in note.what]


def test_an_evaluation_counts_fixes_by_level(tmp_path: Path) -> None:
    commits = steady(150)
    text = commits[149].files["shop/part9.py"]
    assert text is not None
    fix = Commit({"shop/part9.py": text.replace("def f149", "def f149b")}, "Fix f149", day=160)
    write_history(tmp_path / "r.git", [*commits, fix, Commit({"shop/late.py": "x = 1\n"}, day=560)])
    with Repository(tmp_path / "r.git") as repository:
        replayed = replay_history(history_of(repository))
    found = evaluate_levels(replayed)
    assert (found.num, found.num_unknown) == (50, 1)
    assert sum(lift.hits for lift in found.by_level.values()) == 1
    fixed = next(one for one in replayed if one.fixed)
    assert fixed.change.title == "Add f149"
    assert found.by_level[fixed.level or RiskLevel.low].hits == 1
    assert set(found.auc) == {"score", "level", "added", "churn"}
