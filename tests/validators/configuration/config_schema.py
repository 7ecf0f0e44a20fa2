"""JSON Schema of a configuration file, made from the models, for editors."""

from __future__ import annotations

from typing import Any

from assay.validators.configuration.model import ValidationConfig

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12), with keys in camel case."""
    made = ValidationConfig.model_json_schema(by_alias=True)
    return {
        "$schema": DIALECT,
        "$id": "urn:assay:schema:config",
        **_tidy(made),
        "title": "Assay's configuration",
        "description": "Settings of `assay validate`, in .github/assay.yml.",
    }


def _tidy(node: Any) -> Any:
    """Remove the titles that pydantic makes from field names: editors would show them instead of descriptions."""
    if isinstance(node, dict):
        return {name: _tidy(value) for name, value in node.items() if name != "title" or isinstance(value, dict)}
    return [_tidy(item) for item in node] if isinstance(node, list) else node
