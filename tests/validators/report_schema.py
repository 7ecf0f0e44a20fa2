"""The report's JSON Schema, generated from its types; `python -m tests.validators.report_schema` publishes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from assay.validators.report import model
from assay.validators.report.read import adapter

PUBLISHED = Path(model.__file__).parent.parent / "schemas" / "report.schema.json"


class _Written(GenerateJsonSchema):
    """Schema of what Assay writes: every key is there, and no other."""

    def field_is_required(self, *_: Any, **__: Any) -> bool:
        return True

    def field_title_should_be_set(self, *_: Any) -> bool:
        return False

    def default_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])


def generated() -> str:
    """Return the schema as text."""
    made = adapter(model.ValidationReport).json_schema(mode="serialization", schema_generator=_Written)
    head = {"$schema": GenerateJsonSchema.schema_dialect, "$id": f"urn:assay:schema:report:{model.SCHEMA_VERSION}"}
    for each in (made, *made["$defs"].values()):
        if each["type"] == "object":
            each["additionalProperties"] = False
    return json.dumps({**head, **made, "title": "Assay's validation report"}, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PUBLISHED.write_text(generated(), "utf-8")
