"""`assay config` and `assay schema`: what is wrong, what holds, and what files should look like."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from assay.cli.display.inheriting import inherited_files
from assay.cli.main import run
from assay.cli.schema import SCHEMAS
from assay.validators import ValidationConfig, known_names, load_file
from tests.repositories import RealRepository


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and we are in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".github").mkdir()
    return tmp_path


def test_a_good_file_is_fine(here: Path, capsys: pytest.CaptureFixture[str]):
    (here / ".github/assay.yml").write_text("mode: enforce\n")
    assert run(["config", "check"]) == 0
    assert capsys.readouterr().out == ".github/assay.yml: fine\n"
    assert run(["config", "check", ".github/assay.yml"]) == 0


def test_every_problem_is_a_line_and_the_exit_code_is_2(here: Path, capsys: pytest.CaptureFixture[str]):
    (here / "mine.yml").write_text("mode: loud\ntier2:\n  severities: {nam: off}\n")
    assert run(["config", "check", "mine.yml"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    first, second = said.err.splitlines()
    assert first.startswith("assay: config.invalid-value: mine.yml:1: `mode` ")
    assert second.startswith("assay: config.unknown-name: mine.yml:3: ")
    assert "`naming`" in second


def test_a_file_that_is_not_there_is_a_line(here: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["config", "check", "nothing.yml"]) == 2
    assert capsys.readouterr().err.startswith("assay: config.not-read: nothing.yml: ")


def test_no_configuration_is_no_error(here: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["config", "check"]) == 0
    assert "no configuration found in .github/assay.yml" in capsys.readouterr().out


def test_what_is_not_followed_is_said(here: Path, capsys: pytest.CaptureFixture[str]):
    (here / ".github/assay.yml").write_text("extends: acme/standards\n")
    assert run(["config", "check"]) == 0
    assert "extends: acme/standards: not followed here" in capsys.readouterr().out


def test_it_is_found_from_a_folder_below(repository: RealRepository, monkeypatch: pytest.MonkeyPatch, capsys):
    repository.write(".github/assay.yml", "mode: enforce\n")
    repository.write("src/deep/x.py", "")
    monkeypatch.chdir(repository.path / "src" / "deep")
    assert run(["config", "check"]) == 0
    assert capsys.readouterr().out == ".github/assay.yml: fine\n"


def test_show_prints_a_file_that_gives_the_same_configuration(here: Path, capsys: pytest.CaptureFixture[str]):
    (here / ".github/assay.yml").write_text("mode: enforce\ntier1: {sandbox: off, commands: [pytest, {run: make}]}\n")
    before = load_file(here / ".github/assay.yml").config
    for options in ([], ["--changed"]):
        assert run(["config", "show", *options]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith("# .github/assay.yml\n")
        (here / "again.yml").write_text(shown)
        assert load_file(here / "again.yml").config == before
    assert shown.count("\n") < 10


def test_show_prints_the_defaults_where_there_is_no_file(here: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["config", "show"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("# the defaults: no configuration file here\n")
    assert ValidationConfig.model_validate(yaml.safe_load(shown)) == ValidationConfig()


ORGANIZATION = """\
locked: [mode, tier3.holdOn]
enforceIn: ["sh*"]
tier1:
  gate: strict
tier2:
  severities: {complexity: error}
"""


@pytest.fixture
def organization(tmp_path: Path) -> Path:
    """A checkout of the organization's repository."""
    path = tmp_path / "dot-github" / ".github" / "assay.yml"
    path.parent.mkdir(parents=True)
    path.write_text(ORGANIZATION)
    return path


def test_show_says_where_each_key_is_from(here: Path, organization: Path, capsys: pytest.CaptureFixture[str]):
    (here / ".github/assay.yml").write_text("mode: advisory\ntier1:\n  commands: [pytest]\n  gate: informational\n")
    assert run(["config", "show", "--organization", "dot-github", "--repository", "shop"]) == 0
    shown = capsys.readouterr().out
    (here / "again.yml").write_text(shown)
    again = load_file(here / "again.yml").config
    assert (again.mode, again.tier1.gate, again.tier2.severities) == (
        "enforce",
        "informational",
        {"complexity": "error"},
    )
    lines = [line.strip() for line in shown.splitlines()]
    assert "mode: enforce  # dot-github/.github/assay.yml:2, locked" in lines
    assert "holdOn: policy  # default, locked by dot-github/.github/assay.yml:1" in lines
    assert "commands:  # .github/assay.yml:3" in lines
    assert "gate: informational  # .github/assay.yml:4" in lines
    assert "complexity: error  # dot-github/.github/assay.yml:6" in lines
    assert "network: true" in lines
    assert lines[:2] == ["# .github/assay.yml", "# over dot-github/.github/assay.yml"]
    assert lines[2].startswith("# `mode` in .github/assay.yml:1: locked by dot-github/.github/assay.yml:2")
    assert max(map(len, shown.splitlines())) <= 80


def test_show_without_a_file_has_the_organizations(here: Path, organization: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["config", "show", "--changed", "--organization", str(organization), "--repository", "docs"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("# no configuration file here\n# over ")
    assert yaml.safe_load(shown) == {
        "mode": "advisory",
        "tier1": {"gate": "strict"},
        "tier2": {"severities": {"complexity": "error"}},
        "tier3": {"holdOn": "policy"},
    }


def test_the_second_file_is_the_one_that_is_extended(here: Path, organization: Path, capsys):
    (here / ".github/assay.yml").write_text("extends: acme/standards\n")
    (here / "standards.yml").write_text("comments: none\ntier3: {holdOn: level}\n")
    paths = ["--organization", "dot-github", "--organization", "standards.yml"]
    assert run(["config", "show", "--changed", *paths]) == 0
    shown = capsys.readouterr().out
    assert "comments: none  # standards.yml:1\n" in shown
    assert "  holdOn: policy  # default, locked by dot-github/.github/assay.yml:1\n" in shown


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("git@github.com:acme/shop.git", "shop"),
        ("https://github.com/acme/shop/", "shop"),
        ("ssh://git@github.com/acme/shop.js.git", "shop.js"),
        ("C:\\clones\\shop", "shop"),
        (None, "worktree-3"),
        ("/", "worktree-3"),
    ],
)
def test_the_name_for_enforce_in_is_that_of_origin(
    url: str | None, name: str, repository: RealRepository, organization: Path, tmp_path: Path
):
    repository.commit(files={"a.txt": "a\n"})
    if url is not None:
        repository.git("remote", "add", "origin", url)
    repository.git("worktree", "add", "-q", str(tmp_path / "worktree-3"))
    (tmp_path / "worktree-3" / "below").mkdir()
    assert inherited_files([organization], None, tmp_path / "worktree-3" / "below").repository == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "assay: config.not-inherited: org.yml: "),
        ("\nmode: stern\n", "assay: config.invalid-value: org.yml:2: "),
        ("locked: [tier1.gat]\n", "assay: config.unknown-name: org.yml:1: "),
    ],
)
def test_a_broken_file_of_the_organization_is_a_line(here: Path, text: str | None, said: str, capsys):
    if text is not None:
        (here / "org.yml").write_text(text)
    assert run(["config", "show", "--organization", "org.yml"]) == 2
    assert capsys.readouterr().err.startswith(said)


def test_a_local_validation_is_under_the_organizations_configuration(
    repository: RealRepository, organization: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    repository.commit(files={".github/assay.yml": "mode: advisory\n"})
    repository.branch("change")
    repository.commit(files={"a.txt": "a\n"})
    monkeypatch.chdir(repository.path)
    options = ["--base", "main", "--tiers", "risk", "-f", "json", "--organization", str(organization)]
    run(["validate", *options, "--repository", "shop"])
    report = json.loads(capsys.readouterr().out)
    assert report["mode"] == "enforce"
    assert report["settings"]["sources"] == [
        {"file": ".github/assay.yml", "is_own": True},
        {"file": str(organization), "is_own": False},
    ]
    assert "`mode` in .github/assay.yml:1" in [note["what"] for note in report["not_checked"]]


def test_show_of_a_base_is_that_commits(repository: RealRepository, monkeypatch: pytest.MonkeyPatch, capsys):
    base = repository.commit(files={".github/assay.yml": "mode: enforce\n"})
    repository.commit(files={".github/assay.yml": "mode: advisory\n"})
    monkeypatch.chdir(repository.path)
    assert run(["config", "show", "--changed", "--base", base]) == 0
    assert capsys.readouterr().out == f"# .github/assay.yml of {base}\nmode: enforce  # .github/assay.yml:1\n"
    assert run(["config", "show", "--base", "no-such-branch"]) == 2
    assert "git.unknown-revision" in capsys.readouterr().err
    assert run(["config", "show", "--base", base, "--config", ".github/assay.yml"]) == 2


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_schema_is_printed_and_is_one(name: str, capsys: pytest.CaptureFixture[str]):
    assert run(["schema", name]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["description"]


def test_the_schema_of_the_configuration_has_two_names(capsys: pytest.CaptureFixture[str]):
    assert run(["config", "schema"]) == 0
    first = capsys.readouterr().out
    assert run(["schema", "config"]) == 0
    assert capsys.readouterr().out == first


def test_the_names_a_file_may_use_come_from_the_registers():
    names = known_names()
    assert {"complexity", "duplication", "naming", "suppressions", "test_integrity"} <= set(names.rules)
    assert {"surface", "dependents", "coverage", "new_dependencies"} <= set(names.signals)
