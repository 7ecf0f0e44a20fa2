"""`assay rules add`: proposals with their effect, the choice, and the file it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli.rules.command import rules_command
from assay.validators import CheckKind, Severity, read_learned_file
from tests.repositories import RealRepository

FILE = ".assay/learned-rules.yml"


@pytest.fixture
def here(repository: RealRepository, monkeypatch: pytest.MonkeyPatch) -> Path:
    repository.write_all({"app/a.py": "import os\nprint(1)\n", "app/b.py": "print(2)\n"})
    repository.commit("begin")
    monkeypatch.chdir(repository.path)
    return repository.path


def add(*arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(rules_command, ["add", *arguments], input=answer, standalone_mode=False)


def test_the_first_proposal_is_taken_with_yes(here: Path):
    done = add("Use the logger, not `print`", "--example", "app/a.py:2", "--yes")
    assert done.return_value == 0, done.output
    assert "a) T201,T203 of ruff: would have matched 2 places of the base, 1 of the commented code" in done.output
    (rule,) = read_learned_file((here / FILE).read_bytes())
    assert rule.check is not None
    assert (rule.check.kind, rule.check.pattern, rule.severity) == (CheckKind.ruff, "T201,T203", Severity.warning)


def test_a_letter_chooses_and_others_stay(here: Path):
    add("Use the logger, not `print`", "--example", "app/a.py:2", "--yes")
    done = add("Never use shell=True", "--path", "app/*.py", "--block", answer="a\n")
    assert done.return_value == 0, done.output
    rules = {rule.text: rule for rule in read_learned_file((here / FILE).read_bytes())}
    assert len(rules) == 2
    shell = rules["Never use shell=True"]
    assert (shell.paths, shell.severity) == (("app/*.py",), Severity.error)
    done = add("be kind", answer="b\n")
    assert [rule.is_advice for rule in read_learned_file((here / FILE).read_bytes()) if rule.text == "be kind"] == [
        True
    ]


def test_none_is_written_without_a_choice(here: Path):
    assert add("Use the logger, not `print`", answer="n\n").return_value == 1
    assert not (here / FILE).exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("no `print`", "--example", "app/a.py"),
        ("no `print`", "--example", "app/a.py:99"),
        ("no `print`", "--example", "../a.py:1"),
        ("no `print`", "--path", "../x"),
        ("\u202e no",),
        ("<!-- x -->",),
    ],
)
def test_what_is_no_rule_is_refused(here: Path, arguments: tuple[str, ...]):
    done = add(*arguments, "--yes")
    assert done.exception is not None
    assert not (here / FILE).exists()
