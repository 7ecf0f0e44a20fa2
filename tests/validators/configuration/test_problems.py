"""Everything wrong with a configuration is said at once, each with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.validators.configuration.checking import KnownNames
from assay.validators.configuration.loading import load_file
from assay.validators.errors import ConfigurationError
from tests.tables import read_yaml

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("problems.yaml"))
KNOWN = KnownNames(
    rules=("complexity", "naming", "repository_rules"), signals=("surface", "dependents"), agents=("claude-code",)
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_problem_is_said_with_its_line_and_nothing_else(case: dict[str, Any], tmp_path: Path):
    file = tmp_path / "assay.yml"
    file.write_bytes(case["text"].encode("utf-8", "surrogatepass"))
    with pytest.raises(ConfigurationError) as caught:
        load_file(file, KNOWN)
    said = [f"{problem.line} {problem.message}" for problem in caught.value.problems]
    unmatched = list(said)
    for wanted in case["problems"]:
        line, _, words = wanted.partition(" ")
        found = [one for one in unmatched if one.startswith(f"{line} ") and words in one]
        assert found, f"{wanted!r} is not in {said}"
        unmatched.remove(found[0])
    assert unmatched == []


def test_a_problem_names_the_file_and_the_line(tmp_path: Path):
    file = tmp_path / "assay.yml"
    file.write_text("\nmode: loud\n")
    with pytest.raises(ConfigurationError) as caught:
        load_file(file)
    assert str(caught.value).startswith(f"config.invalid-value: {file}:2: `mode` ")
    assert caught.value.exit_code == 2


def test_a_flood_of_problems_is_cut_with_a_count(tmp_path: Path):
    file = tmp_path / "assay.yml"
    file.write_text("".join(f"key{i}: 1\n" for i in range(150)))
    with pytest.raises(ConfigurationError) as caught:
        load_file(file)
    assert len(caught.value.problems) == 101
    assert caught.value.problems[-1].code == "config.more"
    assert "50" in caught.value.problems[-1].message
