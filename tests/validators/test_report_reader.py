"""A report is read back from its JSON as it was, and nothing that is no report is taken for one."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.changes.change import shown
from assay.validators.errors import ReportUnreadable
from assay.validators.render import json as format_
from assay.validators.report.dependent import Dependent
from assay.validators.report.model import (
    AgentGuess,
    Commit,
    Conclusion,
    Counts,
    Coverage,
    Evidence,
    Finding,
    Gate,
    NotChecked,
    Outcome,
    QualityResult,
    RiskAssessment,
    RiskFactor,
    RiskLevel,
    Severity,
    Tier,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.read import MOST_BYTES, path_of, read_report, read_tools
from assay.validators.report.risk_facts import ApiChange, ApiChangeKind, NewDependency, Surface
from assay.validators.report.unknown import Question, Unknown
from assay.validators.report.waiver import Waiver, WaiverKind
from tests.validators.render import sample
from tests.validators.render.hostile import HOSTILE, all_say

words = st.text(st.characters(codec="utf-8"), max_size=12)
paths = st.binary(min_size=1, max_size=12).filter(lambda raw: b"\0" not in raw).map(os.fsdecode)
counted = st.integers(0, 10**6)
seconds = st.floats(0, 1e6, allow_nan=False)
lines = st.none() | st.integers(1, 10**6)
ids = st.text("0123456789abcdef", min_size=12, max_size=12)
shas = st.text("0123456789abcdef", min_size=40, max_size=40)
some_words = st.lists(words, max_size=3).map(tuple)
notes = st.lists(st.builds(NotChecked, words, words), max_size=2).map(tuple)
maybe = st.none() | words


def findings(tier: Tier) -> st.SearchStrategy[tuple[Finding, ...]]:
    one = st.builds(
        Finding,
        tier=st.just(tier),
        severity=st.sampled_from(Severity),
        rule=words,
        file=paths | st.just(""),
        message=words,
        line=lines,
        end_line=lines,
        suggestion=maybe,
        tool=maybe,
        context=st.just(""),
        introduced=st.booleans(),
        confidence=st.none() | st.floats(0, 1),
        id=ids,
    )
    return st.lists(one, max_size=3).map(tuple)


runs = st.builds(
    ToolRun,
    name=words,
    kind=st.sampled_from(ToolKind),
    command=words,
    found_in=words,
    outcome=st.sampled_from(Outcome),
    gate=st.sampled_from(Gate),
    duration_s=seconds,
    gating=st.booleans(),
    counts=st.builds(Counts, *[st.none() | counted] * 5),
    exit_code=st.none() | st.integers(-64, 255),
    base_outcome=st.none() | st.sampled_from(Outcome),
    reason=maybe,
    excerpt=some_words,
    directory=paths,
)
unknown = st.lists(
    st.builds(Unknown, st.sampled_from(Question), words, words, st.lists(paths, max_size=2).map(tuple), st.booleans()),
    max_size=2,
).map(tuple)
tools = st.builds(
    ToolsResult,
    runs=st.lists(runs, max_size=3).map(tuple),
    findings=findings(Tier.tools),
    line_coverage=st.none(),
    coverage_source=maybe,
    timed_out=st.booleans(),
    num_fix_cycles=counted,
    not_checked=notes,
    num_existing=counted,
    sandbox=maybe,
    reported_by=maybe,
    unknown=unknown,
)
quality = st.builds(QualityResult, findings(Tier.quality), counted, st.booleans(), counted, notes, unknown)
places = st.lists(st.builds(Evidence, words, st.none() | paths, lines), max_size=2).map(tuple)
figures = st.none() | words | st.floats(allow_nan=False, allow_infinity=False)
risk = st.builds(
    RiskAssessment,
    level=st.sampled_from(RiskLevel),
    factors=st.lists(
        st.builds(RiskFactor, words, st.sampled_from(RiskLevel), words, figures, figures, places, maybe), max_size=2
    ).map(tuple),
    surface=st.builds(Surface, *[counted] * 7, st.lists(paths, max_size=2).map(tuple)),
    dependents=st.lists(
        st.builds(Dependent, paths, st.integers(1, 9), some_words, st.none() | paths, st.booleans(), some_words),
        max_size=2,
    ).map(tuple),
    num_dependents_total=st.integers(2, 999),
    api_changes=st.lists(
        st.builds(ApiChange, st.sampled_from(ApiChangeKind), words, words, paths, lines), max_size=2
    ).map(tuple),
    new_dependencies=st.lists(
        st.builds(NewDependency, words, words, paths, maybe, maybe, words, lines), max_size=2
    ).map(tuple),
    coverage=st.builds(Coverage, st.none() | st.floats(0, 100), counted, counted, maybe, maybe),
    policy=st.sampled_from(["narrow", "seed"]),
    timed_out=st.booleans(),
    not_checked=notes,
    unknown=unknown,
)
files = st.fixed_dictionaries(
    {
        "path": paths,
        "base_path": st.none() | paths,
        "status": st.sampled_from(["added", "renamed"]),
        "kind": st.just("text"),
        "nature": st.sampled_from(["source", "test"]),
        "claimed": st.sampled_from([None, "generated"]),
        "added": counted,
        "removed": counted,
        "added_lines": st.lists(st.lists(counted, min_size=2, max_size=2), max_size=2),
        "removed_lines": st.lists(st.lists(counted, min_size=2, max_size=2), max_size=2),
        "language": words,
        "asked": st.lists(st.sampled_from(Question).map(str), max_size=3),
        "unknown": st.lists(st.sampled_from(Question).map(str), max_size=3),
    }
)
reports = st.builds(
    ValidationReport,
    base=st.builds(Commit, shas, words),
    head=st.builds(Commit, shas, words, st.booleans()),
    merge_base=shas,
    conclusion=st.sampled_from(Conclusion),
    title=words,
    agent=st.builds(AgentGuess, words, st.floats(0, 1), some_words),
    mode=st.sampled_from(["advisory", "enforce"]),
    tools=st.none() | tools,
    quality=st.none() | quality,
    risk=st.none() | risk,
    reasons=some_words,
    hold=st.booleans(),
    blocking=some_words,
    configuration_at_fault=st.booleans(),
    files=st.lists(files, max_size=2).map(tuple),
    not_checked=notes,
    durations_s=st.dictionaries(st.sampled_from(["tools", "risk"]), seconds),
    settings=st.dictionaries(words, words, max_size=2),
    waivers=st.lists(st.builds(Waiver, ids, st.sampled_from(WaiverKind), words, words), max_size=2).map(tuple),
)


@given(reports)
def test_what_was_rendered_is_read_back_as_it_was(report: ValidationReport):
    assert read_report(format_.render(report).encode()) == report


@given(tools)
def test_the_first_tier_alone_is_read_back_as_it_was(result: ToolsResult):
    report = dataclasses.replace(sample.sample(), tools=result)
    assert read_tools(format_.document(report)["tiers"]["tools"]) == result


@given(paths)
def test_every_path_git_can_hold_is_read_back_from_how_it_is_shown(path: str):
    assert path_of(shown(path)) == path


@given(st.text(max_size=30))
def test_text_that_is_no_shown_path_stays_as_it_is_or_shows_the_same(text: str):
    assert path_of(text) == text or shown(path_of(text)) == text


@pytest.mark.parametrize("said", HOSTILE, ids=range(len(HOSTILE)))
def test_a_report_of_hostile_words_reads_and_renders_to_the_same_text(said: str):
    text = format_.render(all_say(said))
    assert format_.render(read_report(text)) == text


def changed(*place: str, to: Any) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(format_.render(sample.sample()))
    node: Any = data
    for step in place[:-1]:
        node = node[int(step) if isinstance(node, list) else step]
    node[place[-1]] = to
    return data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xff\xfe{}", "not UTF-8"),
        (b"{", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": 1, "a": 2}', "duplicate key"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b" " * (MOST_BYTES + 1), "larger than"),
        (b"[]", r"\$: \[\] is not of type"),
        (changed("head", to="not-a-commit"), r"\$\.head"),
        (changed("head", to="a" * 40 + "\n"), r"\$\.head"),
        (changed("schema_version", to="9.0"), r"schema_version.*2\.0"),
        (changed("extra", to=1), "extra"),
        (changed("tiers", "quality", "findings", "0", "id", to="../../etc"), r"findings\[0\]\.id"),
        (changed("tiers", "quality", "findings", "0", "severity", to="fatal"), "severity"),
        (changed("tiers", "tools", "runs", "0", "exit_code", to="0"), "exit_code"),
        (changed("tiers", "risk", "level", to="none"), "level"),
        (changed("hold", to="no"), "hold"),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(data: Any, says: str):
    with pytest.raises(ReportUnreadable, match=says) as refused:
        read_report(data)
    assert len(str(refused.value).splitlines()) == 1
    assert len(str(refused.value)) < 400
