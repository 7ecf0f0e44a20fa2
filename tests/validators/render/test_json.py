"""The JSON report fits its published schema, says at least what was promised, and is valid whatever names hold."""

from __future__ import annotations

import dataclasses
import json
from enum import StrEnum
from importlib import resources
from typing import Any

import jsonschema
import pytest

from assay.validators.changes.change import FileKind, FileStatus
from assay.validators.changes.classify import Nature
from assay.validators.configuration.model import Mode, Policy
from assay.validators.render import json as format_
from assay.validators.report import likelihood, risk_facts
from assay.validators.report import model as domain
from assay.validators.report.dependent import Dependent
from assay.validators.report.model import Coverage, RiskFactor, RiskLevel, ValidationReport
from tests.validators.render import sample
from tests.validators.render.hostile import HOSTILE, all_say, with_words
from tests.validators.report_schema import PUBLISHED, generated

SCHEMA: dict[str, Any] = json.loads(
    (resources.files("assay.validators") / "schemas" / "report.schema.json").read_text("utf-8")
)


def written(report: ValidationReport) -> Any:
    """The report as a program reads it, after the schema has had its say."""
    data = json.loads(format_.render(report).encode("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    return data


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema_version"]["const"] == domain.SCHEMA_VERSION


def test_the_published_schema_is_generated_from_the_report_types():
    text = json.dumps(generated(SCHEMA), indent=2, ensure_ascii=False) + "\n"
    assert PUBLISHED.read_text("utf-8") == text, "run `python -m tests.validators.report_schema`"


def test_what_was_promised_is_there():
    data = written(sample.sample())
    assert {
        *("schema_version", "base", "head", "merge_base", "conclusion", "title", "agent", "tiers", "not_checked"),
        "durations_s",
    } <= data.keys()
    tools, quality, risk = data["tiers"]["tools"], data["tiers"]["quality"], data["tiers"]["risk"]
    assert {"name", "kind", "command", "found_in", "outcome", "counts", "duration_s"} <= tools["runs"][0].keys()
    assert {
        *("id", "tier", "severity", "rule", "file", "line", "end_line", "message", "suggestion", "tool"),
    } <= quality["findings"][0].keys()
    assert {
        *("level", "factors", "surface", "dependents", "api_changes", "new_dependencies", "coverage"),
    } <= risk.keys()
    assert {
        *("signal", "level", "value", "threshold", "reason", "evidence", "would_lower"),
    } <= risk["factors"][0].keys()
    assert {"path", "distance", "uses"} <= risk["dependents"][0].keys()
    assert {"percent", "lines", "covered", "source"} <= risk["coverage"].keys()


def test_values_are_as_they_were_said():
    data = written(sample.sample())
    assert data["base"] == sample.BASE
    assert data["head"] == sample.HEAD
    assert data["conclusion"] == "failure"
    assert data["tiers"]["quality"]["findings"][0]["tier"] == "code-quality"
    assert data["tiers"]["quality"]["findings"][0]["blocks"] is True
    assert data["tiers"]["tools"]["runs"][0]["outcome"] == "failed"
    assert data["tiers"]["tools"]["runs"][0]["counts"] == {
        "passed": 42,
        "failed": 1,
        "skipped": 2,
        "errors": None,
        "warnings": None,
    }
    assert data["tiers"]["risk"]["level"] == "medium"
    assert data["tiers"]["risk"]["coverage"] == {
        "percent": 78.0,
        "lines": 82,
        "covered": 64,
        "source": "coverage.xml",
        "why_unknown": None,
    }
    assert data["not_checked"][0] == {
        "what": "squawk",
        "why": "the change has no SQL migration",
        "could_block": False,
    }
    assert [file["path"] for file in data["files"]] == [
        "src/uploads/client.py",
        "src/uploads/retry.py",
        "tests/test_retry.py",
        "docs/uploads.md",
    ]


def test_a_tier_that_was_not_run_is_null_and_a_line_in_not_checked():
    data = written(sample.nothing_ran())
    assert data["tiers"] == {"tools": None, "quality": None, "risk": None}
    assert [note["what"] for note in data["not_checked"]] == [
        "Tier 1 (tool-validation)",
        "Tier 2 (code-quality)",
        "Tier 3 (risk)",
    ]


def test_unknown_coverage_is_null_with_its_reason():
    report = sample.clean()
    assert report.risk is not None
    risk = dataclasses.replace(report.risk, coverage=Coverage(None, why_unknown="none was given"))
    coverage = written(dataclasses.replace(report, risk=risk))["tiers"]["risk"]["coverage"]
    assert (coverage["percent"], coverage["why_unknown"]) == (None, "none was given")


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_come_through_whole_and_printable(words: str):
    text = format_.render(all_say(words))
    assert all(line.isprintable() for line in text.splitlines())
    data = written(all_say(words))
    expected = words.encode("utf-8", "backslashreplace").decode()
    assert data["tiers"]["quality"]["findings"][0]["message"] == expected
    assert data["title"] == expected


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("src/größe.py", "src/größe.py"),
        ("a\nb.py", '"a\\nb.py"'),
        ("\udcff.py", '"\\377.py"'),
        ('say "hi".py', '"say \\"hi\\".py"'),
        ("-rf", "-rf"),
    ],
)
def test_a_path_is_written_as_git_shows_it(path: str, shown: str):
    report = with_words(sample.sample(), lambda field, text: path if field in ("file", "path") else text)
    data = written(report)
    assert data["files"][0]["path"] == shown
    assert data["tiers"]["quality"]["findings"][0]["file"] == shown
    assert data["tiers"]["risk"]["dependents"][0]["path"] == shown


def test_a_number_json_does_not_have_is_null():
    report = sample.clean()
    assert report.risk is not None
    factor = RiskFactor("surface", RiskLevel.low, "x", float("nan"), float("inf"))
    data = written(dataclasses.replace(report, risk=dataclasses.replace(report.risk, factors=(factor,))))
    assert (data["tiers"]["risk"]["factors"][0]["value"], data["tiers"]["risk"]["factors"][0]["threshold"]) == (
        None,
        None,
    )


# ------------------------------------------------------------------ the schema and the domain


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("$defs", "severity"), domain.Severity),
        (("$defs", "level"), RiskLevel),
        (("$defs", "outcome"), domain.Outcome),
        (("$defs", "run", "properties", "kind"), domain.ToolKind),
        (("$defs", "run", "properties", "gate"), domain.Gate),
        (("$defs", "api_change", "properties", "kind"), risk_facts.ApiChangeKind),
        (("$defs", "file", "properties", "status"), FileStatus),
        (("$defs", "file", "properties", "kind"), FileKind),
        (("$defs", "file", "properties", "nature"), Nature),
        (("$defs", "risk", "properties", "policy"), Policy),
        (("properties", "conclusion"), domain.Conclusion),
        (("properties", "mode"), Mode),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_the_schema_knows_every_word_there_is(place: tuple[str, ...], words: type[StrEnum]):
    node: Any = SCHEMA
    for step in place:
        node = node[step]
    assert set(node["enum"]) == {str(word) for word in words}


@pytest.mark.parametrize(
    ("name", "kind", "renamed"),
    [
        ("finding", domain.Finding, {"context", "is_secret"}),
        ("run", domain.ToolRun, set()),
        ("counts", domain.Counts, set()),
        ("factor", domain.RiskFactor, set()),
        ("evidence", domain.Evidence, set()),
        ("likelihood", domain.Likelihood, set()),
        ("likelihood_factor", likelihood.LikelihoodFactor, set()),
        ("observed_rate", likelihood.ObservedRate, set()),
        ("rollback", likelihood.Rollback, set()),
        ("rollback_flag", likelihood.RollbackFlag, set()),
        ("surface", risk_facts.Surface, set()),
        ("dependent", Dependent, set()),
        ("api_change", risk_facts.ApiChange, set()),
        ("dependency", risk_facts.NewDependency, set()),
        ("coverage", Coverage, {"num_lines", "num_covered"}),
        ("risk", domain.RiskAssessment, set()),
        ("quality", domain.QualityResult, set()),
        ("tools", domain.ToolsResult, {"line_coverage", "line_contexts", "checks"}),
        ("agent", domain.AgentGuess, set()),
        ("not_checked", domain.NotChecked, set()),
    ],
)
def test_the_schema_describes_every_field_there_is(name: str, kind: type, renamed: set[str]):
    fields = {field.name for field in dataclasses.fields(kind)} - renamed
    assert fields <= SCHEMA["$defs"][name]["properties"].keys()


def test_the_schema_is_strict_and_describes_everything():
    loose: list[str] = []

    def look(node: Any, path: str) -> None:
        if isinstance(node, list):
            for index, item in enumerate(node):
                look(item, f"{path}/{index}")
        if not isinstance(node, dict):
            return
        if isinstance(node.get("properties"), dict) and node.get("type") == "object":
            told = [name for name, field in node["properties"].items() if "description" in field or "$ref" in field]
            is_strict = node["additionalProperties"] is False and set(node["required"]) == set(node["properties"])
            if not is_strict or (len(told) < len(node["properties"]) and path != "/$defs/counts"):
                loose.append(path)
        for key, value in node.items():
            look(value, f"{path}/{key}")

    look(SCHEMA, "")
    assert loose == []
