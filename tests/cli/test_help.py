"""`assay --help` is quick, and says of each command what the command says of itself."""

from __future__ import annotations

import importlib
import subprocess
import sys

import click
import pytest

from assay.cli.main import VERBS, run


@pytest.mark.parametrize("verb", VERBS)
def test_the_list_says_of_a_command_what_it_says_of_itself(verb: str):
    module, name, line = VERBS[verb]
    command = getattr(importlib.import_module(module), name)
    assert isinstance(command, click.Command)
    assert (command.help or "").strip().splitlines()[0].rstrip(".") == line.rstrip(".")


def test_help_loads_nothing_it_does_not_need():
    script = (
        "import sys\nfrom assay.cli.main import run\nassert run(['--help']) == 0\n"
        "print('loaded', *({'networkx', 'git', 'pydantic', 'rich', 'anthropic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "loaded"


@pytest.mark.parametrize(("given", "meant"), [("valdate", "validate"), ("confg", "config"), ("jbos", "jobs")])
def test_a_misspelled_command_is_answered_with_the_one_it_is_like(
    given: str, meant: str, capsys: pytest.CaptureFixture[str]
):
    assert run([given]) == 2
    assert f"Did you mean '{meant}'?" in capsys.readouterr().err
    assert run(["nothing-alike"]) == 2
    assert "Did you mean" not in capsys.readouterr().err
