"""A run of the bench and the comparison of two, as a user types them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from tests.fakes.model import FakeModel
from tests.review_bench.bench.manifest import Kind
from tests.review_bench.conftest import Known, known
from tests.review_bench.reviewers import Oracle
from tests.review_bench.run import review_command

__all__ = ["known"]


def run(arguments: list[str]) -> int:
    """Run a command of the bench, and return its exit code."""
    return main.run(arguments, review_command)


@pytest.fixture
def command(known: Known, tmp_path: Path) -> list[str]:
    """The command on the small repository, without its options."""
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join(map(json.dumps, known.rows)))
    return ["bench", "--repositories", str(known.folder), "--manifest", str(manifest)]


@pytest.fixture
def oracle(known: Known, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    """The model of the environment, played by an oracle that sees the end of a change by its next first question."""
    entries = known.manifest.sample([Kind.reversed_fix, Kind.clean])
    reviewer = Oracle(entries[:1], known.folder)
    with FakeModel(answers=reviewer) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("ASSAY_REVIEW_MODEL", "claude-haiku-5-5")
        yield server
    reviewer.close()


def test_a_run_without_a_model_and_one_with_it_are_compared(
    command: list[str], oracle: FakeModel, tmp_path: Path, capsys: Any
):
    without, with_model = str(tmp_path / "without.json"), str(tmp_path / "with.json")
    chosen = [*command, "--kinds", "reversed_fix"]
    assert run([*chosen, "--no-model", "--output", without]) == 0
    assert "not measured" in capsys.readouterr().out
    assert oracle.asked == []
    assert run([*chosen, "--max-usd", "2", "-o", with_model]) == 0
    assert "1/1" in capsys.readouterr().out
    figures = json.loads(Path(with_model).read_text())["figures"]["reversed_fix"]
    assert figures["model"]["found"]["hits"] == 1
    assert run(["compare", without, with_model, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["models"], found["num"], found["recall"]["gained"]) == ([None, "claude-haiku-5-5"], 1, ["reversed"])
    assert found["prompts"]["system"][0] is None
    assert run(["compare", without, with_model]) == 0
    assert "Prompt system" in capsys.readouterr().out


def test_without_a_clone_the_command_is_named_and_nothing_is_run(command: list[str], tmp_path: Path, capsys: Any):
    command[command.index("--repositories") + 1] = str(tmp_path)
    assert run([*command, "--kinds", "clean"]) == 2
    said = capsys.readouterr().err
    assert "bench.no-repository" in said
    assert f"git clone --bare https://example.org/shop {tmp_path}/shop" in said


def test_changes_of_a_missing_repository_are_left_out_and_named(command: list[str], tmp_path: Path, capsys: Any):
    manifest = Path(command[-1])
    other = {"id": "other", "kind": "clean", "repository": "other", "commit": "a" * 40}
    rows = [json.dumps({"repository": "other", "url": "https://example.org/other"}), json.dumps(other)]
    manifest.write_text("\n".join([*rows, manifest.read_text()]))
    output = tmp_path / "run.json"
    assert run([*command, "--kinds", "clean", "--sample", "1", "-o", str(output)]) == 0
    assert "other is missing: git clone --bare https://example.org/other" in capsys.readouterr().err
    found = json.loads(output.read_text())["run"]
    assert (found["missing"], [one["id"] for one in found["changes"]]) == (["other"], ["clean"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kinds", "odd"], "the kinds are reversed_fix"),
        (["--max-usd", "0.2"], "--max-usd"),
        (["--sample", "0"], "--sample"),
    ],
)
def test_a_wrong_option_is_an_error(command: list[str], capsys: Any, options: list[str], message: str):
    assert run([*command, *options]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_no_run_is_an_error(tmp_path: Path, capsys: Any):
    file = tmp_path / "a.json"
    file.write_text('{"run": {"version": 2}}')
    assert run(["compare", str(file), str(file)]) == 2
    assert "bench.run" in capsys.readouterr().err
