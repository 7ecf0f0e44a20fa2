"""docs/report.md names every field, outcome, verdict and format there is."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import Any

from assay.validators.render import markdown
from assay.validators.render.format import FORMATS
from assay.validators.render.words import LEVEL_ICONS, OUTCOMES
from assay.validators.report.gravity import TABLE
from assay.validators.report.model import SCHEMA_VERSION, Conclusion
from tests.conftest import ROOT
from tests.validators.render import sample

TEXT = (ROOT / "docs" / "report.md").read_text("utf-8")
SCHEMA: dict[str, Any] = json.loads(
    (resources.files("assay.validators") / "schemas" / "report.schema.json").read_text("utf-8")
)


def test_every_field_of_the_json_report_is_named():
    fields = set(SCHEMA["properties"]) - {"tiers"}
    for definition in SCHEMA["$defs"].values():
        fields |= set(definition.get("properties", {}))
    named = set(re.findall(r"`(?:tiers\.\w+\.)?(?:tiers\.)?(\w+)(?:\[\])?`", TEXT))
    assert fields - named == set()


def test_every_outcome_conclusion_level_and_format_is_named():
    for outcome, words in OUTCOMES.items():
        assert f"| `{outcome}` | {words} |" in TEXT
    for conclusion in Conclusion:
        assert f"| `{conclusion}` |" in TEXT
    for level, icon in LEVEL_ICONS.items():
        assert f"`{level}` {icon}" in TEXT
    for name in FORMATS:
        assert f"| `{name}` |" in TEXT
    assert f"`schema_version` is `{SCHEMA_VERSION}`" in TEXT


def test_the_example_is_what_is_written():
    (example,) = re.findall(r"```markdown\n(.*?)```", TEXT, re.DOTALL)
    written = markdown.render(sample.clean())
    assert [line for line in example.splitlines() if line not in written] == []


def test_the_limits_are_those_of_the_code():
    assert f"{markdown.MOST_BYTES:,} bytes" in TEXT
    assert "25,000 results" in TEXT


def test_the_gravity_of_each_kind_is_printed():
    text = (ROOT / "docs" / "risk.md").read_text("utf-8").split("<!-- gravity -->")[1].split("<!-- /gravity -->")[0]
    printed = [tuple(cell.strip() for cell in row.split("|")[1:5]) for row in text.strip().splitlines()[2:]]
    assert printed == [(f"`{one.key}`", one.gravity, one.seed or "", one.label) for one in TABLE]
