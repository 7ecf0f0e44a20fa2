"""The published schema of the configuration is the one the models make, and says what they say."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest
import yaml

from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.weakened import leaves
from tests.validators.configuration.config_schema import config_schema

PUBLISHED = resources.files("assay.validators") / "schemas" / "config.schema.json"


def test_the_published_schema_is_current():
    fresh = json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"
    how = "from tests.validators.configuration.config_schema import config_schema as made; import json; "
    how += "print(json.dumps(made(), indent=2, ensure_ascii=False))"
    assert PUBLISHED.read_text("utf-8") == fresh, f'write it anew: .venv/bin/python -c "{how}" > {PUBLISHED}'


def test_the_schema_is_a_schema_and_accepts_the_defaults():
    jsonschema.Draft202012Validator.check_schema(config_schema())
    validate(ValidationConfig().model_dump(mode="json", by_alias=True))


@pytest.mark.parametrize(
    "text",
    [
        "mode: loud",
        "tier4: {}",
        "tier1: {timeoutSeconds: 0}",
        "tier1: {commands: [{name: x}]}",
        "tier2: {blockingSeverity: info}",
        "exclude: docs/",
    ],
)
def test_the_schema_refuses_what_the_models_refuse(text: str):
    with pytest.raises(jsonschema.ValidationError):
        validate(yaml.safe_load(text))


def test_every_key_has_a_description_in_the_schema():
    schema = config_schema()
    sections = [schema, *schema["$defs"].values()]
    fields = [(name, field) for section in sections for name, field in section.get("properties", {}).items()]
    assert [name for name, field in fields if not field.get("description")] == []
    assert len(fields) > len(list(leaves(ValidationConfig())))


def validate(data: Any) -> None:
    jsonschema.Draft202012Validator(config_schema()).validate(data)
