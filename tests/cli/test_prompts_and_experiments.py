"""Versions of prompts from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli.records.metrics import metrics_command
from assay.cli.records.prompts import prompts_command
from assay.github_app.store import DeclaredBy
from tests.github_app.remembering import REPOSITORY, after, pull, store_at

OLD, NEW, BARE = "a" * 64, "b" * 64, "checkout-7"
SHOP = REPOSITORY.full_name


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two versions of its instructions, and one that was only named."""
    monkeypatch.setenv("COLUMNS", "200")
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        store.repositories.put(REPOSITORY, 1, after())
        texts = {"AGENTS.md": "Be kind.\nRun the tests.\n", "old.md": "x\n"}
        store.prompt_versions.put(REPOSITORY.id, OLD, "files", texts, after())
        hostile = {"AGENTS.md": "Be kind.\n\x1b[31mRun the linter.\u202e\n", "new.md": "y\n"}
        store.prompt_versions.put(REPOSITORY.id, NEW, "files", hostile, after(days=1))
        store.prompt_versions.put(REPOSITORY.id, BARE, "declared", {}, after(days=2))
        store.pulls.see(pull(), REPOSITORY, after())
        store.pulls.declare(REPOSITORY.id, 7, DeclaredBy.files, after(), prompt_version=OLD)
        store.tasks.put(REPOSITORY.id, "t", after(), prompt_version=OLD)
    return tmp_path


def run(command: Any, data_dir: Path, *arguments: str) -> Any:
    name, *rest = arguments
    return CliRunner().invoke(command, [name, "--data-dir", str(data_dir), *rest])


def test_versions_are_listed_with_who_ran_under_them(data_dir: Path):
    done = run(prompts_command, data_dir, "list", SHOP)
    assert done.exit_code == 0, done.output
    assert "#7" in done.output
    rows = json.loads(run(prompts_command, data_dir, "list", "--format", "json", SHOP).output)["versions"]
    assert [(row["version"], row["pulls"], row["num_tasks"]) for row in rows] == [
        (OLD, [7], 1), (NEW, [], 0), (BARE, [], 0),
    ]  # fmt: skip


def test_two_versions_are_compared_and_nothing_in_them_acts(data_dir: Path):
    done = CliRunner().invoke(
        prompts_command, ["diff", "--data-dir", str(data_dir), SHOP, "aaaa", "bbbb"], standalone_mode=False
    )
    assert done.return_value == 1
    for line in (
        "changed: AGENTS.md",
        "-Run the tests.",
        "+Run the linter.\\u202e",
        "added: new.md",
        "removed: old.md",
    ):
        assert line in done.output.splitlines()
    assert "\x1b" not in done.output
    same = CliRunner().invoke(
        prompts_command, ["diff", "--data-dir", str(data_dir), SHOP, "aaaa", OLD], standalone_mode=False
    )
    assert (same.return_value, same.output) == (0, "")


def test_a_version_is_shown_and_named_by_its_beginning(data_dir: Path):
    assert "Run the tests." in run(prompts_command, data_dir, "show", SHOP, "aaaaaa").output
    assert "only declared" in run(prompts_command, data_dir, "show", SHOP, BARE).output
    for name in ("aaa", "zzzz"):
        done = run(prompts_command, data_dir, "show", SHOP, name)
        assert done.exit_code == 2
        assert "prompt.unknown-version" in done.output


def test_one_goes_back_to_a_version_by_its_files(data_dir: Path, tmp_path: Path):
    out = tmp_path / "out"
    done = run(prompts_command, data_dir, "export", SHOP, "aaaa", "-o", str(out))
    assert done.exit_code == 0, done.output
    assert (out / "AGENTS.md").read_text() == "Be kind.\nRun the tests.\n"
    assert f"Prompt-Version: {OLD}" in done.output
    assert run(prompts_command, data_dir, "export", SHOP, "aaaa", "-o", str(out)).exit_code == 2
    assert "not known" in run(prompts_command, data_dir, "export", SHOP, BARE, "-o", str(tmp_path / "x")).output


def test_a_folder_that_cannot_be_made_is_one_line(data_dir: Path):
    done = run(prompts_command, data_dir, "export", SHOP, "aaaa", "-o", "/proc/none/out")
    assert done.exit_code == 2
    assert "/proc/none/out" in done.output
    done = run(prompts_command, data_dir, "export", SHOP, "aaaa", "-o", __file__)
    assert done.exit_code == 2
    assert "-o" in done.output


def test_a_path_that_leads_out_of_the_folder_is_left_out(data_dir: Path, tmp_path: Path):
    with store_at(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        texts = {"../evil.md": "x", "/etc/evil": "x", "good/a.md": "y"}
        store.prompt_versions.put(REPOSITORY.id, "evil", "api", texts, after())
    out = tmp_path / "deep" / "out"
    assert run(prompts_command, data_dir, "export", SHOP, "evil", "-o", str(out)).exit_code == 0
    assert [path.name for path in (tmp_path / "deep").rglob("*") if path.is_file()] == ["a.md"]


def test_figures_go_by_the_beginning_of_a_version_too(data_dir: Path):
    words = ["--metric", "merge_rate", "--prompt-version"]
    of = ["--data-dir", str(data_dir)]
    assert "too few" in CliRunner().invoke(metrics_command, [*of, *words, OLD[:6]]).output
    for name in (OLD[:3], "zzzz", BARE):
        done = CliRunner().invoke(metrics_command, [*of, *words, name])
        assert done.exit_code == 2
    assert CliRunner().invoke(metrics_command, [*of, *words, OLD, "--by", "agent"]).exit_code == 2
