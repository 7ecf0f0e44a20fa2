"""Parse a report from its JSON, checked against the published schema.

The JSON may be untrusted (a store, an artifact, an upload): its size is bounded, and an error is one line. The JSON
does not hold a finding's `context` (it holds the id) and the line coverage of Tier 1, so the report lacks them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from assay.validators.change import shown
from assay.validators.errors import ReportUnreadable
from assay.validators.io.strict_json import parsed_json
from assay.validators.report.model import (
    AgentGuess,
    ApiChange,
    ApiChangeKind,
    Commit,
    Conclusion,
    Counts,
    Coverage,
    Dependent,
    Evidence,
    Finding,
    Gate,
    NewDependency,
    NotChecked,
    Outcome,
    QualityResult,
    RiskAssessment,
    RiskFactor,
    RiskLevel,
    Severity,
    Surface,
    Tier,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.unknown import Question, Unknown
from assay.validators.report.waiver import Waiver, WaiverKind

if TYPE_CHECKING:
    import jsonschema

MOST_BYTES = 32 * 1024 * 1024
"""Maximum size of a report in bytes: 25,000 findings take about 12 MB."""

_ESCAPE = re.compile(r'\\(?:([0-7]{3})|(["\\ntr]))')
_PLAIN = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}


def read_report(data: bytes | str | Mapping[str, Any]) -> ValidationReport:
    """Return the report rendered as this JSON (text, or already parsed); raise `ReportUnreadable`."""
    found = checked(data, "the report", None)
    tiers = found["tiers"]
    return ValidationReport(
        base=Commit(found["base"], found["base_name"]),
        head=Commit(found["head"], found["head_name"], found["head_is_worktree"]),
        merge_base=found["merge_base"],
        conclusion=Conclusion(found["conclusion"]),
        title=found["title"],
        agent=AgentGuess(found["agent"]["name"], found["agent"]["confidence"], tuple(found["agent"]["signals"])),
        mode=found["mode"],
        tools=_tools(tiers["tools"]) if tiers["tools"] else None,
        quality=_quality(tiers["quality"]) if tiers["quality"] else None,
        risk=_risk(tiers["risk"]) if tiers["risk"] else None,
        reasons=tuple(found["reasons"]),
        hold=found["hold"],
        blocking=tuple(found["blocking"]),
        configuration_at_fault=found["configuration_at_fault"],
        files=tuple(_file(file) for file in found["files"]),
        not_checked=_notes(found["not_checked"]),
        durations_s=found["durations_s"],
        settings=found["settings"],
        waivers=tuple(
            Waiver(one["finding"], WaiverKind(one["kind"]), one["by"], one["reason"]) for one in found["waivers"]
        ),
    )


def read_tools(data: bytes | str | Mapping[str, Any]) -> ToolsResult:
    """Return Tier 1 alone, from the JSON under `tiers.tools`; raise `ReportUnreadable`."""
    return _tools(checked(data, "the result of Tier 1", "tools"))


def checked(data: bytes | str | Mapping[str, Any], what: str, part: str | None) -> Mapping[str, Any]:
    """Return the data, valid by the schema (or its `part` under `$defs`); raise `ReportUnreadable`."""
    found = data if isinstance(data, Mapping) else _parsed(data, what)
    try:
        error = next(iter(_validator(part).iter_errors(found)), None)
    except RecursionError:
        raise ReportUnreadable(what, "it is nested too deeply") from None
    if error is not None:
        import jsonschema

        error = jsonschema.exceptions.best_match([error]) or error
        raise ReportUnreadable(what, f"{error.json_path}: {_one_line(error.message)}")
    return found


def _parsed(data: bytes | str, what: str) -> Any:
    if len(data) > MOST_BYTES:
        raise ReportUnreadable(what, f"it is larger than {MOST_BYTES // 1024 // 1024} MiB")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        return parsed_json(text)
    except UnicodeDecodeError:
        raise ReportUnreadable(what, "it is not UTF-8 text") from None
    except RecursionError:
        raise ReportUnreadable(what, "it is nested too deeply") from None
    except ValueError as error:
        raise ReportUnreadable(what, f"it is not JSON: {_one_line(str(error))}") from None


@cache
def _validator(part: str | None) -> Any:
    import jsonschema  # imported late: writing reports starts a tenth faster without it

    text = (resources.files("assay.validators") / "schemas" / "report.schema.json").read_text("utf-8")
    schema = json.loads(text)
    if part is not None:
        schema = {"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    kind = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": _whole_pattern})  # type: ignore[no-untyped-call]
    return kind(schema)


def _whole_pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    """Check `pattern` as JSON Schema defines it: `$` is the end, where Python's `$` allows a newline after it."""
    import jsonschema

    if isinstance(instance, str) and not re.search(pattern.removesuffix("$") + r"\Z", instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _one_line(text: str, most: int = 200) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _tools(data: Mapping[str, Any]) -> ToolsResult:
    return ToolsResult(
        runs=tuple(_run(run) for run in data["runs"]),
        findings=tuple(_finding(finding) for finding in data["findings"]),
        num_existing=data["num_existing"],
        coverage_source=data["coverage_source"],
        sandbox=data["sandbox"],
        reported_by=data["reported_by"],
        timed_out=data["timed_out"],
        num_fix_cycles=data["num_fix_cycles"],
        not_checked=_notes(data["not_checked"]),
        unknown=_unknown(data["unknown"]),
    )


def _run(data: Mapping[str, Any]) -> ToolRun:
    base = data["base_outcome"]
    return ToolRun(
        name=data["name"],
        kind=ToolKind(data["kind"]),
        command=data["command"],
        found_in=data["found_in"],
        outcome=Outcome(data["outcome"]),
        gate=Gate(data["gate"]),
        duration_s=data["duration_s"],
        gating=data["gating"],
        counts=Counts(**data["counts"]),
        exit_code=data["exit_code"],
        base_outcome=None if base is None else Outcome(base),
        reason=data["reason"],
        excerpt=tuple(data["excerpt"]),
        directory=path_of(data["directory"]),
    )


def _quality(data: Mapping[str, Any]) -> QualityResult:
    return QualityResult(
        findings=tuple(_finding(finding) for finding in data["findings"]),
        num_existing=data["num_existing"],
        timed_out=data["timed_out"],
        num_fix_cycles=data["num_fix_cycles"],
        not_checked=_notes(data["not_checked"]),
        unknown=_unknown(data["unknown"]),
    )


def _finding(data: Mapping[str, Any]) -> Finding:
    return Finding(
        tier=Tier(data["tier"]),
        severity=Severity(data["severity"]),
        rule=data["rule"],
        file=path_of(data["file"]),
        message=data["message"],
        line=data["line"],
        end_line=data["end_line"],
        suggestion=data["suggestion"],
        replacement=data["replacement"],
        tool=data["tool"],
        introduced=data["introduced"],
        confidence=data["confidence"],
        id=data["id"],
    )


def _risk(data: Mapping[str, Any]) -> RiskAssessment:
    surface, coverage = data["surface"], data["coverage"]
    return RiskAssessment(
        level=RiskLevel(data["level"]),
        factors=tuple(_factor(factor) for factor in data["factors"]),
        surface=Surface(**{**surface, "modules": tuple(path_of(module) for module in surface["modules"])}),
        dependents=tuple(_dependent(one) for one in data["dependents"]),
        num_dependents_total=data["num_dependents_total"],
        api_changes=tuple(
            ApiChange(ApiChangeKind(one["kind"]), one["symbol"], one["what"], path_of(one["file"]), one["line"])
            for one in data["api_changes"]
        ),
        new_dependencies=tuple(
            NewDependency(**{**one, "manifest": path_of(one["manifest"])}) for one in data["new_dependencies"]
        ),
        coverage=Coverage(
            percent=coverage["percent"],
            num_lines=coverage["lines"],
            num_covered=coverage["covered"],
            source=coverage["source"],
            why_unknown=coverage["why_unknown"],
        ),
        policy=data["policy"],
        timed_out=data["timed_out"],
        not_checked=_notes(data["not_checked"]),
        unknown=_unknown(data["unknown"]),
    )


def _factor(data: Mapping[str, Any]) -> RiskFactor:
    evidence = tuple(
        Evidence(one["text"], None if one["file"] is None else path_of(one["file"]), one["line"])
        for one in data["evidence"]
    )
    return RiskFactor(**{**data, "level": RiskLevel(data["level"]), "evidence": evidence})


def _dependent(data: Mapping[str, Any]) -> Dependent:
    return Dependent(
        path=path_of(data["path"]),
        distance=data["distance"],
        uses=tuple(data["uses"]),
        via=None if data["via"] is None else path_of(data["via"]),
        is_test=data["is_test"],
        owners=tuple(data["owners"]),
    )


def _file(data: Mapping[str, Any]) -> dict[str, Any]:
    base = data["base_path"]
    return {**data, "path": path_of(data["path"]), "base_path": None if base is None else path_of(base)}


def _notes(notes: Iterable[Mapping[str, str]]) -> tuple[NotChecked, ...]:
    return tuple(NotChecked(note["what"], note["why"]) for note in notes)


def _unknown(unknown: Iterable[Mapping[str, Any]]) -> tuple[Unknown, ...]:
    return tuple(
        Unknown(**{**one, "question": Question(one["question"]), "files": tuple(map(path_of, one["files"]))})
        for one in unknown
    )


def path_of(text: str) -> str:
    """Return the path that `shown` writes as this text; return other text unchanged."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    raw = bytearray()
    at, end = 1, len(text) - 1
    while at < end:
        match = _ESCAPE.match(text, at, end)
        if match is None:
            raw += text[at].encode("utf-8", "surrogatepass")
            at += 1
        elif match[1]:
            raw.append(int(match[1], 8) & 0xFF)
            at = match.end()
        else:
            raw += _PLAIN[match[2]].encode()
            at = match.end()
    path = raw.decode("utf-8", "surrogateescape")
    return path if shown(path) == text else text
