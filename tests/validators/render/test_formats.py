"""Every format: whole, valid and the same each time, whatever the report holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.validators import render
from assay.validators.render.format import FORMATS, rendered
from assay.validators.report.model import ValidationReport
from tests.validators.render import sample
from tests.validators.render.hostile import HOSTILE, all_say

REPORTS = {
    "sample": sample.sample(),
    "clean": sample.clean(),
    "nothing ran": sample.nothing_ran(),
    **{f"hostile {i}": all_say(words) for i, words in enumerate(HOSTILE)},
}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize("name", FORMATS)
def test_each_format_writes_valid_text_and_the_same_each_time(name: str, report: ValidationReport):
    text = rendered(report, name)
    text.encode("utf-8")
    assert text.endswith("\n")
    assert text == rendered(report, name)


def test_the_formats_are_those_that_were_promised():
    assert FORMATS == ("terminal", "markdown", "json", "sarif")


def test_rendering_reads_nothing_and_runs_nothing():
    folder = Path(render.__path__[0])
    for file in folder.glob("*.py"):
        source = file.read_text("utf-8")
        for word in ("open(", "process", "git import", "environ", "time.time", "datetime"):
            assert word not in source, f"{file.name}: {word}"
