"""Pictures of the documents, made from what the programs print.

    make pictures

Each is the output of a command on this repository, in colours, as an SVG without fonts of others.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.conftest import ROOT

FOLDER = ROOT / "docs/pictures"
COLUMNS = 92
PICTURES = {
    "report.svg": (
        "validate",
        "--base",
        "0018814~1",
        "--head",
        "0018814",
        "--tiers",
        "quality,risk",
        "--fail-on",
        "never",
    ),
}
"""Name of the file, and arguments of `assay`."""
_OF_OTHERS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def picture(arguments: tuple[str, ...], output: str) -> str:
    """Return the SVG of a command's output, which has terminal colours."""
    console = Console(width=COLUMNS, record=True, file=io.StringIO())
    console.print(Text.from_ansi(output.rstrip("\n")))
    drawn = console.export_svg(title=f"$ assay {' '.join(arguments)}", unique_id="assay")
    return _OF_OTHERS.sub("", drawn).replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")


def output_of(arguments: tuple[str, ...]) -> str:
    """Run `assay` here as on a terminal of `COLUMNS`; return what it prints."""
    env = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    assay = Path(sys.executable).with_name("assay")
    done = subprocess.run((assay, *arguments), cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"assay {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, arguments in PICTURES.items():
        (FOLDER / name).write_text(picture(arguments, output_of(arguments)), "utf-8")
        print(FOLDER / name)


if __name__ == "__main__":
    main()
