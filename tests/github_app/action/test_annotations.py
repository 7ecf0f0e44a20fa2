"""Notes beside the code by workflow commands: as many as the runner shows, and nothing in them is a command."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.action.output.annotations import escaped_data, escaped_property, log_line, workflow_commands
from assay.validators import Severity
from tests.github_app.publish.reports import finding, with_findings
from tests.validators.render.hostile import HOSTILE

HOSTILE_WORDS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=60),
    st.text(alphabet="\r\n\x0b\x0c\x1c\x85\u2028:,%#[]ADa0235=;@ \ud800", max_size=60),
    st.sampled_from(
        ["::set-env name=X::y", "a\n::error::b", "a\r::stop-commands::x", "##[set-output name=a;]b", "%0A::x"]
    ),
)


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A command as the runner reads it: name, properties, message; the order of its replacements too."""
    assert line.startswith("::")
    head, _, message = line[2:].partition("::")
    name, _, given = head.partition(" ")
    properties = {}
    for one in given.split(","):
        key, _, value = one.partition("=")
        for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            value = value.replace(code, char)
        properties[key] = value
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        message = message.replace(code, char)
    return name, properties, message


def test_the_runner_reads_back_place_title_and_message():
    report = with_findings(
        [finding(4, Severity.error, end_line=6, suggestion="split it", tool="ruff", file="a,b:c%.py")]
    )
    (line,) = workflow_commands(report)
    assert line == (
        "::error file=a%2Cb%3Ac%25.py,line=4,endLine=6,title=complexity (ruff)"
        "::Function number 4 is complex%0AWhat to do: split it"
    )
    values = {"file": "a,b:c%.py", "line": "4", "endLine": "6", "title": "complexity (ruff)"}
    assert read(line) == ("error", values, "Function number 4 is complex\nWhat to do: split it")


def test_of_each_kind_the_worst_ten_and_the_rest_is_counted():
    kinds = {Severity.error: 14, Severity.warning: 3, Severity.info: 12}
    findings = [finding(number, one) for one, count in kinds.items() for number in range(1, count + 1)]
    lines = workflow_commands(with_findings(findings))
    names = [line.split(" ")[0] for line in lines[:-1]]
    assert names == ["::error"] * 10 + ["::warning"] * 3 + ["::notice"] * 10
    assert lines[-1].startswith("assay: 6 more findings ")


def test_a_flood_is_counted_in_whole():
    lines = workflow_commands(with_findings([finding(number, file="") for number in range(1, 4)]))
    assert [line[:23] for line in lines] == ["assay: 3 more findings "]
    lines = workflow_commands(with_findings([finding(number) for number in range(1, 501)]))
    assert len(lines) == 11
    assert "490 more" in lines[-1]
    assert workflow_commands(with_findings([])) == []


@pytest.mark.parametrize("text", ["a%b", "100%0A", "a\r\nb", "%25", "a:b,c"])
def test_escaping_is_undone_by_the_runner(text: str):
    _, properties, message = read(f"::error title={escaped_property(text)}::{escaped_data(text)}")
    assert (properties["title"], message) == (text, text)


@given(HOSTILE_WORDS, HOSTILE_WORDS, HOSTILE_WORDS)
def test_nothing_a_finding_says_ends_its_line_or_begins_a_command(words: str, path: str, rule: str):
    said = {"message": words, "rule": rule, "suggestion": words, "tool": words, "file": path}
    lines = workflow_commands(
        with_findings([finding(7, Severity.error, **said), finding(8, file="plain.py", message=words)])
    )
    for line in lines:
        assert line.isprintable(), "one line, whatever the reader takes for a line's end"
        if line.startswith("assay: "):
            continue
        name, properties, message = read(line)
        assert name in ("error", "warning")
        assert set(properties) == {"file", "line", "endLine", "title"}
        assert properties["file"] in (path, "plain.py")
        assert properties["line"] in ("7", "8")
        assert "\r" not in message
        assert message.count("\n") <= 1
    assert len(lines) >= 1


@given(HOSTILE_WORDS)
def test_a_line_of_the_log_is_no_command(words: str):
    line = log_line(words)
    assert line.isprintable()
    assert line.startswith("assay: ")
    assert "##[" not in line
    assert not re.match(r"\s*::", line)
