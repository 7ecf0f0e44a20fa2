"""JSON Schemas of exam files and reports, generated from the classes that read and write them.

The generated schemas are committed in `schemas/`; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from assay.memory_eval.exam.lines import AnswerLine, QuestionLine, TurnLine
from assay.memory_eval.report.compare import Comparison
from assay.memory_eval.report.drift import Drift
from assay.memory_eval.report.model import EvalReport

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string"}


def made_schemas() -> dict[str, dict[str, Any]]:
    """Return the generated schemas by name."""
    return {name: _named(name, title, make()) for name, (title, make) in _SCHEMAS.items()}


def _report() -> dict[str, Any]:
    schema = TypeAdapter(EvalReport).json_schema(mode="serialization")
    entry = {"type": "object", "properties": {"question_id": _TEXT, "why": _TEXT}, "required": ["question_id", "why"]}
    return _with(
        schema,
        schema_version=_TEXT,
        assay_version=_TEXT,
        not_graded={"type": "array", "items": entry, "description": "The questions without a score, and why."},
    )


def _comparison() -> dict[str, Any]:
    schema = TypeAdapter(Comparison).json_schema(mode="serialization")
    return _with(schema, schema_version=_TEXT, level={"type": "number", "description": "Of the intervals."})


def _drift() -> dict[str, Any]:
    schema = TypeAdapter(Drift).json_schema(mode="serialization")
    return _with(schema, schema_version={"type": "integer"}, assay_version=_TEXT)


def _with(schema: dict[str, Any], **properties: Any) -> dict[str, Any]:
    schema["properties"] = {**properties, **schema["properties"]}
    # Written files are complete; files that are read may lack keys with a default.
    schema["required"] = [*properties, *schema["required"]]
    return schema


def _named(name: str, title: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"$schema": DIALECT, "$id": f"urn:assay:schema:{name}", **schema, "title": title}


_SCHEMAS: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "memory-report": ("report.json of an examination", _report),
    "memory-comparison": ("Two examinations side by side", _comparison),
    "memory-drift": ("How a production memory changed", _drift),
    "memory-turn": ("A line of turns.jsonl, or an entry of turns.yaml", TurnLine.model_json_schema),
    "memory-question": ("A line of questions.jsonl, or an entry of questions.yaml", QuestionLine.model_json_schema),
    "memory-answer": ("A line of offline answers", AnswerLine.model_json_schema),
}
