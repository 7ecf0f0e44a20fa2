"""An examination of a memory is kept for the pages of those who read its repository."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.cli.main import run
from assay.github.events.model import RepositoryFacts
from assay.memory_eval import EvalReport, EvalRunner, agent_from
from tests.github_app.remembering import after, store_at

IMPORT = ("app", "import-memory-report")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `assay memory run` leaves, of a small exam of a baseline."""
    examined: EvalReport = EvalRunner(num_turns=60, num_questions=6, seed=3).run(agent_from("baseline:bm25"))
    file = tmp_path_factory.mktemp("report") / "report.json"
    file.write_text(json.dumps(examined.to_dict(), default=list))
    return file


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("ASSAY_")]:
        monkeypatch.delenv(name)
    (tmp_path / "app.webhook-secret").write_text("x" * 32)
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        store.repositories.put(RepositoryFacts(11, "octo/shop"), 1, after())
    return tmp_path


def test_its_scores_are_kept_once(report: Path, data: Path, capsys: pytest.CaptureFixture[str]):
    words = [*IMPORT, str(report), "--repository", "octo/shop", "--data-dir", str(data), "--by", "ci"]
    assert run(words) == 0
    assert "imported" in capsys.readouterr().err
    assert run(words) == 0
    assert "already imported" in capsys.readouterr().err
    with store_at(f"sqlite:///{data / 'assay.sqlite'}") as store:
        (kept,) = store.memory_runs.of([11])
    told = json.loads(report.read_text())
    assert kept.overall_score == told["overall_score"]
    assert kept.categories == {one["category"]: one["avg_score"] for one in told["category_breakdown"]}
    assert (kept.num_turns, kept.num_questions, kept.kept_by) == (60, told["num_questions"], "ci")


def test_of_a_repository_nobody_knows_it_is_not_kept(report: Path, data: Path, capsys: pytest.CaptureFixture[str]):
    words = [*IMPORT, str(report), "--repository", "octo/none", "--data-dir", str(data)]
    assert run(words) == 2
    assert "unknown repository 'octo/none'" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{}", "[1", '{"schema_version": "99.0"}'])
def test_what_is_no_report_is_one_line(text: str, tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "other.json").write_text(text)
    words = [*IMPORT, str(tmp_path / "other.json"), "--repository", "octo/shop", "--data-dir", str(data)]
    assert run(words) == 2
    said = capsys.readouterr().err
    assert len(said.strip().splitlines()) == 1
    assert "Traceback" not in said
