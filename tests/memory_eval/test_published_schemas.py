"""The published schemas are those the classes make, and `assay schema` prints them."""

from __future__ import annotations

import json

import jsonschema
import pytest

from assay.cli.main import run
from assay.cli.schema import SCHEMAS, schema_text
from tests.memory_eval.published_schemas import made_schemas


@pytest.mark.parametrize("name", made_schemas())
def test_a_published_schema_is_current(name: str):
    fresh = json.dumps(made_schemas()[name], indent=2, ensure_ascii=False) + "\n"
    how = f"json.dumps(made_schemas()[{name!r}], indent=2, ensure_ascii=False) + a line feed"
    assert schema_text(name) == fresh, f"write assay/memory_eval/schemas/{name}.schema.json anew: {how}"


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_one_and_is_printed(name: str, capsys: pytest.CaptureFixture[str]):
    assert run(["schema", name]) == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))
