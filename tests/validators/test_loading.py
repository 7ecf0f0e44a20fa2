"""What is dear to load is loaded for the changes that need it, and for no other."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.repositories import RealRepository

HEAVY = (
    "sqlglot griffe networkx rich tree_sitter tree_sitter_toml tree_sitter_javascript "
    "tree_sitter_typescript lizard radon packaging assay.validators.tools.run "
    "assay.validators.tools.discovery"
).split()
SCRIPT = """
import sys
from assay.validators import Options, Repository, Tier, ValidationConfig, change_between, known_names, validate
from assay.validators import load_configuration
with Repository(sys.argv[1]) as repository:
    change = change_between(repository, sys.argv[2], sys.argv[3])
    config = load_configuration(change.base, known_names()).config
    report = validate(change, config, Options(tiers=(Tier.quality, Tier.risk)))
assert not [note for note in report.not_checked if "failed" in note.why], report.not_checked
print(report.risk.level, *sorted(set(sys.argv[4:]) & set(sys.modules)))
"""


def loaded(repository: RealRepository, base: str, head: str) -> list[str]:
    """The level, and which of the heavy modules a process had loaded after judging this change."""
    command = [sys.executable, "-P", "-c", SCRIPT, str(repository.path), base, head, *HEAVY]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.system
def test_a_change_of_text_files_loads_nothing_heavy(repository: RealRepository):
    base = repository.commit("One", {"README.md": "# One\n", "docs/a.rst": "a\n", "src/a.py": "x = 1\n"})
    head = repository.commit("Two", {"README.md": "# Two\n", "docs/a.rst": "b\n", "notes.txt": "c\n"})
    assert loaded(repository, base, head) == ["low"]


@pytest.mark.system
def test_a_change_of_code_loads_what_it_takes(repository: RealRepository):
    base = repository.commit(
        "One",
        {
            "pyproject.toml": "[project]\nname = 'a'\nversion = '1.0'\n[build-system]\nrequires = ['hatchling']\n",
            "src/a/__init__.py": "def f(x): ...\n",
        },
    )
    head = repository.commit(
        "Two", {"src/a/__init__.py": "def f(x, y): ...\n", "migrations/1.sql": "CREATE TABLE t (a int);\n"}
    )
    assert loaded(repository, base, head) == ["critical", "griffe", "networkx", "sqlglot", "tree_sitter"]
