"""The files of this project as they are in the working tree: tracked ones, and new ones that git does not ignore."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.conftest import ROOT


def project_files(*below: str) -> list[str]:
    """Return the names of the files, or of those below some paths."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *below],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def copy_project(folder: Path, *below: str) -> None:
    """Copy the files into a folder; links stay links."""
    for name in project_files(*below):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
