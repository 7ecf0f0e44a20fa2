"""What act said of a run: its jobs, their steps, what was printed, the summaries."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.act_workflows import TOLD

_COMMAND = re.compile(r"\s*::(?P<level>\w+)(?: (?P<properties>.*?))?::(?P<message>.*?)\n?$", re.DOTALL)
_EXIT = re.compile(r"exit status (\d+)")
_LEVELS = ("error", "warning", "notice")


@dataclass
class Step:
    """One step. `id` is its own, or its number; inside a composite action `step/inner`. Stages: Pre, Main, Post."""

    id: str
    name: str
    outcome: str = ""
    exit_code: int = 0
    seconds: float = 0.0
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""
    summary: str = ""


@dataclass
class JobRun:
    """One job: `result` is success, failure or, where it did not run, skipped."""

    id: str
    result: str = "skipped"
    steps: dict[str, Step] = field(default_factory=dict)
    log: str = ""
    annotations: list[dict[str, str]] = field(default_factory=list)
    """Workflow commands: `level`, `message`, and the properties (file, line, title …)."""

    @property
    def summary(self) -> str:
        """Of all steps; a composite action repeats what its own steps said, and so is not asked."""
        return "".join(
            one.summary for one in self.steps.values() if not any(key.startswith(f"{one.id}/") for key in self.steps)
        )


@dataclass
class ActRun:
    """One run of a workflow, with `log` as act wrote it, `run_id` on the fake GitHub, and how long it took."""

    run_id: int
    exit_code: int
    jobs: dict[str, JobRun]
    log: str
    seconds: float
    artifacts: dict[str, dict[str, bytes]]
    payload: dict[str, Any]
    """The webhook `workflow_run` at the end: what a second stage begins with."""
    tokens: tuple[str, ...]
    """Those of its jobs, revoked by now."""
    called: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    """Of a job that calls a workflow: each output, by job and name inside the called one."""

    @property
    def summary(self) -> str:
        """The job summaries one after the other."""
        return "".join(job.summary for job in self.jobs.values())

    @property
    def conclusion(self) -> str:
        """Of the whole run."""
        return str(self.payload["workflow_run"]["conclusion"])

    def outputs(self, job: str) -> dict[str, str]:
        """What a job of the calling workflow gave out; empty where it did not run."""
        if job not in self.called:
            return dict(self._told(TOLD).get(job, {}).get("outputs", {}))
        inside = self._told(f"{TOLD}-{job}")
        return {
            name: value
            for name, (inner, key) in self.called[job].items()
            if (value := inside.get(inner, {}).get("outputs", {}).get(key))
        }

    def results(self) -> dict[str, str]:
        """The results of the jobs of the calling workflow."""
        found = {name: str(each["result"]) for name, each in self._told(TOLD).items()}
        for caller in self.called:
            inside = {str(each["result"]) for each in self._told(f"{TOLD}-{caller}").values()}
            found[caller] = next((one for one in ("failure", "success") if one in inside), "skipped")
        return found

    def _told(self, job: str) -> dict[str, Any]:
        """The answer of the job that is put behind the others."""
        if job not in self.jobs:
            return {}
        found: dict[str, Any] = json.loads(base64.b64decode(self.jobs[job].log.strip()))
        return found


def read_log(lines: Iterable[str]) -> dict[str, JobRun]:
    """The jobs, from act's log in JSON. Job ids are unique in what we run, called workflows included."""
    jobs: dict[str, JobRun] = {}
    for line in lines:
        said = as_said(line)
        if said is None or "jobID" not in said:
            continue
        job = jobs.setdefault(said["jobID"], JobRun(said["jobID"]))
        if "jobResult" in said:
            job.result = said["jobResult"]
        if "stepID" in said and said.get("stage"):
            _take(said, job)
    return jobs


def as_said(line: str) -> dict[str, Any] | None:
    """A line of the log as data; None for what is none of act's."""
    try:
        said = json.loads(line)
    except ValueError:
        return None
    return said if isinstance(said, dict) else None


def _take(said: dict[str, Any], job: JobRun) -> None:
    name = "/".join(said["stepID"]) + ("" if said["stage"] == "Main" else f" {said['stage']}")
    step = job.steps.setdefault(name, Step(name, said.get("step", "")))
    command = said.get("command")
    if said.get("raw_output"):
        step.log += said["msg"]
        job.log += said["msg"]
    elif command == "set-output":
        step.outputs[said["name"]] = said["arg"]
    elif command == "summary":
        step.summary += said["content"]
    elif command in _LEVELS:
        job.annotations.append(as_heard(said["raw"]))
        job.log += said["raw"]
    elif match := _EXIT.fullmatch(said.get("msg", "")):
        step.exit_code = int(match[1])
    if "stepResult" in said:
        step.outcome, step.seconds = said["stepResult"], said.get("executionTime", 0) / 1e9


def as_heard(line: str) -> dict[str, str]:
    """A workflow command as GitHub's runner reads it: act takes the last `::` for the end of the properties."""
    match = _COMMAND.match(line)
    assert match, line
    pairs = [pair.partition("=") for pair in (match["properties"] or "").split(",")]
    properties = {key.strip(): _plain(value) for key, _, value in pairs if value}
    return {"level": match["level"], "message": _plain(match["message"])} | properties


def _plain(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text
