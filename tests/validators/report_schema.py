"""The report's JSON Schema: its structure from the report types, its descriptions from the published file.

`python -m tests.validators.report_schema` rewrites the published file after a change of the types; write the
description of a new key into the file and run it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from enum import EnumType
from pathlib import Path
from typing import Any, Union

from assay.validators.report import likelihood, model, review, risk_facts
from assay.validators.report.dependent import Affected, Dependent
from assay.validators.report.document import FileEntry, Shape, Tiers, fields_of
from assay.validators.report.unknown import Question, Unknown
from assay.validators.report.waiver import Waiver

PUBLISHED = Path(model.__file__).parent.parent / "schemas" / "report.schema.json"
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_DEFS: dict[Any, str] = {
    model.Severity: "severity",
    model.RiskLevel: "level",
    model.Outcome: "outcome",
    model.Finding: "finding",
    model.Counts: "counts",
    model.ToolRun: "run",
    model.ToolsResult: "tools",
    model.QualityResult: "quality",
    model.Evidence: "evidence",
    model.RiskFactor: "factor",
    likelihood.ObservedRate: "observed_rate",
    likelihood.LikelihoodFactor: "likelihood_factor",
    model.Likelihood: "likelihood",
    likelihood.RollbackFlag: "rollback_flag",
    likelihood.Rollback: "rollback",
    risk_facts.Surface: "surface",
    Affected: "affected",
    Dependent: "dependent",
    risk_facts.ApiChange: "api_change",
    risk_facts.NewDependency: "dependency",
    model.Coverage: "coverage",
    model.RiskAssessment: "risk",
    review.ModelReview: "review",
    review.DroppedClaims: "dropped_claims",
    review.Demonstration: "demonstration",
    review.ReviewedPlace: "reviewed_place",
    review.QuotedLines: "quoted_lines",
    review.ResolvedFinding: "resolved_finding",
    review.Fate: "fate",
    review.Side: "side",
    FileEntry: "file",
    model.NotChecked: "not_checked",
    model.AgentGuess: "agent",
    Waiver: "waiver",
    Question: "question",
    Unknown: "unknown",
}


def generated(published: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the report types, with the descriptions of the published schema."""
    report = _object(model.ValidationReport)
    fixed = {"schema_version": {"const": model.SCHEMA_VERSION}, "assay_version": {"type": "string"}}
    report["properties"] = {**fixed, **report["properties"]}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:assay:schema:report:{model.SCHEMA_VERSION}",
        "title": published["title"],
        **report,
        "required": list(report["properties"]),
        "$defs": {"path": {"type": "string"}, **{name: _definition(kind) for kind, name in _DEFS.items()}},
    }
    _describe(schema, published)
    return schema


def _describe(node: Any, published: Any) -> None:
    if isinstance(node, dict) and isinstance(published, dict):
        for key in node.keys() & published.keys():
            _describe(node[key], published[key])
        if isinstance(published.get("description"), str):
            node["description"] = published["description"]


def _object(kind: Any) -> dict[str, Any]:
    properties = {key: _schema(shape) for key, (_, shape) in fields_of(kind).items()}
    return {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties}


def _definition(kind: Any) -> dict[str, Any]:
    return {"enum": list(kind.__members__.values())} if isinstance(kind, EnumType) else _object(kind)


def _schema(shape: Shape) -> dict[str, Any]:
    if shape.mark.enum is not None:
        return {"enum": list(shape.mark.enum)}
    name = "path" if shape.mark.is_path else _DEFS.get(shape.kind)
    if name is not None:
        reference = {"$ref": f"#/$defs/{name}"}
        return {"anyOf": [reference, {"type": "null"}]} if shape.nullable else reference
    if shape.kind is Tiers or is_dataclass(shape.kind) or isinstance(shape.kind, EnumType):
        return _definition(shape.kind)
    if shape.kind in (tuple, list):
        size = {} if shape.mark.size is None else {"minItems": shape.mark.size, "maxItems": shape.mark.size}
        return {"type": "array", **size, "items": _schema(shape.args[0])}
    if shape.kind is Mapping:
        value = shape.args[1]
        return {"type": "object", **({} if value.kind is Any else {"additionalProperties": _schema(value)})}
    members = shape.args if shape.kind is Union else (shape,)
    types = [_TYPES[one.kind] for one in members] + (["null"] if shape.nullable else [])
    return {"type": types if len(types) > 1 else types[0], **dict(_limits(shape))}


def _limits(shape: Shape) -> Iterator[tuple[str, Any]]:
    for name in ("minimum", "maximum", "pattern"):
        if (limit := getattr(shape.mark, name)) is not None:
            yield name, limit


def main() -> None:
    """Rewrite the published schema."""
    schema = generated(json.loads(PUBLISHED.read_text("utf-8")))
    PUBLISHED.write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
