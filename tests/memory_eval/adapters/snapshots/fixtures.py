"""Stores that the systems themselves wrote (`generators/`), packed under tests/cases."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.conftest import ROOT

STORES = ROOT / "tests/cases/memory/stores"


def unpacked(name: str, folder: Path) -> Path:
    """Unpack one store into a folder of its name."""
    target = folder / name
    target.mkdir()
    with zipfile.ZipFile(STORES / f"{name}.zip") as packed:
        packed.extractall(target)
    return target
