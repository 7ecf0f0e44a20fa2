"""`assay risk`: levels of past changes, and what became of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli.main import run
from tests.validators.risk.likelihood.histories import Commit, steady, write_history


@pytest.fixture
def history(tmp_path: Path) -> tuple[Path, list[str]]:
    """A history of 150 changes, one of which was fixed, and a later change."""
    commits = steady(150)
    text = commits[149].files["shop/part9.py"] or ""
    fix = Commit({"shop/part9.py": text.replace("def f149", "def f149b")}, "Fix f149", day=160)
    path = tmp_path / "r.git"
    return path, write_history(path, [*commits, fix, Commit({"shop/late.py": "x = 1\n"}, "Add late", day=560)])


def test_replay_writes_a_row_for_each_change(
    history: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    path, ids = history
    assert run(["risk", "replay", str(path), "--format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    # The first commit of a history has nothing it is compared with.
    assert [row["sha"] for row in rows] == ids[1:]
    assert set(rows[-1]) == {"sha", "level", "score", "percentile", "factors", "flags"}
    assert rows[0]["level"] is None
    assert rows[-1]["level"] == "low"
    assert rows[-1]["flags"] == ["new_author"]
    assert sum(rows[-1]["factors"].values()) == pytest.approx(rows[-1]["score"], abs=0.01)


def test_replay_shows_what_was_asked_for(history: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    path, ids = history
    assert run(["risk", "replay", str(path), "--format", "jsonl", "--limit", "2"]) == 0
    assert [json.loads(line)["sha"] for line in capsys.readouterr().out.splitlines()] == ids[-2:]
    assert run(["risk", "replay", str(path), "--format", "jsonl", "--since", "2022-01-01"]) == 0
    assert [json.loads(line)["sha"] for line in capsys.readouterr().out.splitlines()] == ids[-1:]
    assert run(["risk", "replay", str(path), "--ref", ids[120], "--limit", "1"]) == 0
    assert ids[120][:10] in capsys.readouterr().out


def test_evaluate_compares_levels_with_fixes(
    history: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = history
    assert run(["risk", "evaluate", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["num"], found["num_unknown"]) == (50, 1)
    assert sum(level["fixed"] for level in found["levels"].values()) == 1
    assert found["auc"]["score"] > 0.5
    assert run(["risk", "evaluate", str(path)]) == 0
    assert "50 changes" in capsys.readouterr().out


def test_explain_lists_the_contributions(history: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    path, ids = history
    assert run(["risk", "explain", ids[149], str(path)]) == 0
    shown = capsys.readouterr().out
    assert ids[149][:12] in shown
    assert "4 columns" in shown


def test_a_young_history_has_nothing_to_evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_history(tmp_path / "r.git", steady(5))
    assert run(["risk", "evaluate", str(tmp_path / "r.git")]) == 0
    assert "100 changes" in capsys.readouterr().out


def test_a_change_without_source_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = write_history(tmp_path / "r.git", [Commit({"a.md": "a\n"}), Commit({"a.md": "b\n"})])
    assert run(["risk", "explain", ids[1], str(tmp_path / "r.git")]) == 2
    assert run(["risk", "replay", str(tmp_path / "r.git"), "--ref", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
