"""docs/configuration.md names every key with its default, and every example in it is a configuration."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_core import PydanticUndefined

from assay.validators import known_names
from assay.validators.configuration.field_types import Section
from assay.validators.configuration.loading import load_file
from assay.validators.configuration.model import Agent, Command, CustomRule, ValidationConfig
from assay.validators.configuration.weakened import leaves
from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "configuration.md").read_text("utf-8")
ROWS = re.findall(r"^\| `([\w.]+)` \| (.+?) \| (.+) \|$", TEXT, re.MULTILINE)
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_every_key_is_in_the_document_with_its_default():
    told = {key: default for key, default, _ in ROWS}
    for key, value in leaves(ValidationConfig()):
        assert key in told, key
        assert written(told[key]) == plain(value), key


@pytest.mark.parametrize("section", [Agent, Command, CustomRule])
def test_every_key_of_a_list_entry_is_in_the_document(section: type[Section]):
    for name, field in section.model_fields.items():
        key = field.alias or name
        defaults = [default for told, default, _ in ROWS if told == key]
        assert defaults, key
        if field.default is PydanticUndefined and field.default_factory is None:
            assert "required" in defaults


def test_the_document_names_no_key_that_does_not_exist():
    known = {key for key, _ in leaves(ValidationConfig())}
    for section in (Agent, Command, CustomRule):
        known |= {field.alias or name for name, field in section.model_fields.items()}
    assert {key for key, _, _ in ROWS} == known


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_is_a_good_configuration(example: str, tmp_path: Path):
    file = tmp_path / "assay.yml"
    file.write_text(example, encoding="utf-8")
    assert load_file(file, known_names()).config != ValidationConfig()


def written(cell: str) -> Any:
    """A default as the document has it."""
    return yaml.safe_load(cell.strip("`"))


def plain(value: Any) -> Any:
    """A default as YAML has it."""
    return json.loads(json.dumps(value, default=dict))
