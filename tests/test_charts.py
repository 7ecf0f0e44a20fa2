"""Charts draw whatever strangers call things: a name that cannot be drawn once ended the whole process."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

HOSTILE = [
    "\x1b[31mred",
    "nul\x00",
    "\ufffe",
    "\u202eback",
    "<script>alert(1)</script>",
    "&amp;",
    "a\nb",
    "=1+1",
    "\ud800",
]
DRAW = """
import sys
import pytest

from assay.charts import svg
from assay.github_app.web.dashboard.content import drawing
names = eval(sys.stdin.read())
print(svg(drawing.counts([{"name": name, "value": 1} for name in names], title="tasks"), "words " + names[0]))
rows = [{"bucket": "2026-W01", "value": 1, "low": None, "high": None, "split": name} for name in names]
print(svg(drawing.trend(rows, title="tasks"), "words"))
"""


@pytest.mark.soak
def test_no_name_ends_the_process_or_becomes_markup():
    done = subprocess.run(
        [sys.executable, "-c", DRAW], input=ascii(HOSTILE), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert "<script" not in done.stdout
    assert not {"\x1b", "\x00", "\u202e"} & set(done.stdout)
    for picture in done.stdout.replace("</svg>", "</svg>\0").split("\0")[:2]:
        assert ET.fromstring(picture.strip()).tag.endswith("svg")
