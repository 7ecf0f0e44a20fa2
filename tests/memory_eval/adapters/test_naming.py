"""From a name to an agent."""

from __future__ import annotations

import pytest

from assay.memory_eval import AgentOptions, ExamUsageError, UnknownAdapter, agent_from


@pytest.mark.parametrize("text", ["", "memory", "telnet:host", "HTTP", "py\nthon", "x" * 10_000])
def test_a_name_nobody_has_is_answered_with_those_there_are(text: str):
    with pytest.raises(UnknownAdapter, match=r"unknown adapter .*http, .*python.*subprocess") as raised:
        agent_from(text)
    assert len(str(raised.value)) < 500
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("options", [AgentOptions(timeout_s=0), AgentOptions(start_timeout_s=float("nan"))])
def test_no_time_is_a_usage_error(options: AgentOptions):
    with pytest.raises(ExamUsageError, match="timeout"):
        agent_from("subprocess:true", options)
