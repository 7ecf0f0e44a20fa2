"""A SARIF file over the size limit of code scanning loses its least severe results, and states how many."""

from __future__ import annotations

import dataclasses
import gzip
import json
from typing import Any

import pytest

from assay.github.publish import sarif_file
from assay.validators import Finding, Severity
from tests.github_app.publish.reports import failing


def file_of(most_bytes: int, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, dict[str, Any]]:
    """The file of a report with 200 findings, under such a limit, and its run."""
    report = failing()
    assert report.quality is not None
    example = report.quality.findings[0]
    findings: list[Finding] = [
        dataclasses.replace(
            example, id=f"{number:016x}", line=number + 1, severity=Severity.info if number else Severity.error
        )
        for number in range(200)
    ]
    report = report.with_tiers(quality=dataclasses.replace(report.quality, findings=tuple(findings)))
    monkeypatch.setattr(sarif_file, "MOST_SARIF_BYTES", most_bytes)
    data = sarif_file.sarif_within_limits(report)
    return data, json.loads(data)["runs"][0]


def notes_of(run: dict[str, Any]) -> list[str]:
    return [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]


def test_a_file_within_the_limit_is_whole(monkeypatch: pytest.MonkeyPatch):
    _, run = file_of(10_000_000, monkeypatch)
    assert len(run["results"]) >= 200


def test_results_are_dropped_and_counted_and_no_note_is_lost(monkeypatch: pytest.MonkeyPatch):
    whole, before = file_of(10_000_000, monkeypatch)
    limit = len(gzip.compress(whole, 9, mtime=0)) * 2 // 3
    data, after = file_of(limit, monkeypatch)
    assert len(gzip.compress(data, 9, mtime=0)) <= limit
    num_left = len(before["results"]) - len(after["results"])
    assert 0 < num_left < len(before["results"])
    assert after["results"][0] == before["results"][0]
    first, *rest = notes_of(after)
    assert first.startswith(f"{num_left} ")
    assert rest == notes_of(before) != []
