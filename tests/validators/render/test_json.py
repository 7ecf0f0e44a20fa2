"""The JSON report fits its published schema, says at least what was promised, and is valid whatever names hold."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from typing import Any

import jsonschema
import pytest

from assay.validators.configuration.model import Mode, Policy
from assay.validators.render.json import render
from assay.validators.report.model import SCHEMA_VERSION, Coverage, ValidationReport
from tests.validators.render import sample
from tests.validators.render.hostile import HOSTILE, all_say, with_words
from tests.validators.report_schema import PUBLISHED, generated

SCHEMA: dict[str, Any] = json.loads(PUBLISHED.read_text("utf-8"))


def written(report: ValidationReport) -> Any:
    """The report as a program reads it, after the schema has had its say."""
    data = json.loads(render(report).encode("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    return data


def test_the_published_schema_is_generated_from_the_report_types():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema_version"]["const"] == SCHEMA_VERSION
    assert PUBLISHED.read_text("utf-8") == generated(), "run `python -m tests.validators.report_schema`"


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [("ValidationReport", "mode", Mode), ("RiskAssessment", "policy", Policy)],
)
def test_the_schema_knows_the_words_of_the_configuration(kind: str, name: str, words: type[StrEnum]):
    properties = SCHEMA["$defs"].get(kind, SCHEMA)["properties"]
    assert properties[name]["enum"] == [str(word) for word in words]


def test_what_was_promised_is_there():
    data = written(sample.sample())
    assert data["title"] == "Medium risk · tests fail · 2 blocking, 3 to review"
    assert data["conclusion"] == "failure"
    assert data["base"] == {"sha": sample.BASE, "name": "main", "is_worktree": False, "why": ""}
    assert data["head"]["sha"] == sample.HEAD
    assert data["tiers"]["risk"]["level"] == "medium"
    assert data["tiers"]["risk"]["dependents"][0]["path"] == "src/app/main.py"
    assert data["tiers"]["risk"]["api_changes"][0]["symbol"] == "uploads.client.send"
    finding = data["tiers"]["quality"]["findings"][0]
    assert finding["id"] == data["blocking"][1]
    assert {name: finding[name] for name in ("rule", "severity", "file", "line", "message", "tier")} == {
        "rule": "test_integrity",
        "severity": "error",
        "file": "tests/test_client.py",
        "line": 12,
        "message": "`test_uploads_in_chunks` is skipped now; it ran before",
        "tier": "code-quality",
    }


def test_a_tier_that_was_not_run_is_null():
    assert written(sample.nothing_ran())["tiers"] == {"tools": None, "quality": None, "risk": None}


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_come_through_whole_and_printable(words: str):
    text = render(all_say(words))
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


def test_a_number_json_does_not_have_and_line_0_are_null():
    report = sample.clean()
    assert report.risk is not None
    assert report.quality is not None
    finding = replace(report.quality.findings[0], line=0)
    data = written(
        report.with_tiers(
            risk=replace(report.risk, coverage=Coverage(float("nan"))),
            quality=replace(report.quality, findings=(finding,)),
        )
    )["tiers"]
    assert data["risk"]["coverage"]["percent"] is None
    assert data["quality"]["findings"][0]["line"] is None
