"""Pictures of the documents, made from what the programs print and serve.

    make pictures

The report and `assay init` are SVG; the App's pages are taken by Chromium.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests import page_pictures, recording
from tests.conftest import ROOT
from tests.drawing import COLUMNS, drawn

FOLDER = ROOT / "docs/pictures"
REPORT = "report.svg"
REPORT_ARGUMENTS = (
    "validate", "--base", "0018814~1", "--head", "0018814", "--tiers", "quality,risk", "--fail-on", "never",
)  # fmt: skip
NAMES = (REPORT, recording.NAME, *page_pictures.PAGES)
"""Every picture there is."""


def output_of(arguments: tuple[str, ...]) -> str:
    """Run `assay` here as on a terminal of `COLUMNS`; return what it prints."""
    env = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    assay = Path(sys.executable).with_name("assay")
    done = subprocess.run((assay, *arguments), cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"assay {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def report() -> str:
    """Return the picture of a report on a terminal."""
    return drawn(f"$ assay {' '.join(REPORT_ARGUMENTS)}", output_of(REPORT_ARGUMENTS))


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / REPORT).write_text(report(), "utf-8")
    recording.take(FOLDER)
    page_pictures.take(FOLDER)


if __name__ == "__main__":
    main()
