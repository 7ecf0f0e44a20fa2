"""Base of the stores of live adapters: a separate folder, the library, and the figures they report.

This code and the stores run in the agent's process (`child/python_child.py`). A store has `remember(turn)` and
`search(question, k)`, which returns texts, or objects with `text`, `id` and `score`, best first.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet

from assay.memory_eval.errors import AgentCallFailed

MARK = ".assay-store"
"""File with the number of turns written, in a folder that a live adapter filled; only such a folder is removed."""


class Store(ABC):
    """Memory of a real library in the folder `storage_path`, which a reset removes if a live adapter made it."""

    package: str = ""
    """Name of the library's distribution."""

    needed: str = ""
    """Versions of it that the adapter is written for, such as `>=2,<3`."""

    embedder: str = ""
    persistent = True

    def __init__(self, storage_path: str) -> None:
        self.folder = Path(storage_path)
        self._mark = self.folder / MARK
        if not self.folder.exists() or not any(self.folder.iterdir()):
            self._mark_folder()
        self._num_turns = int(self._mark.read_text("ascii")) if self._mark.exists() else 0
        self.open()

    @abstractmethod
    def open(self) -> None:
        """Open the memory in `folder`, which exists."""

    def shut(self) -> None:  # noqa: B027 - a store without open files has nothing to release
        """Release the store's files."""

    def reset(self) -> None:
        """Start again with an empty folder; raises `AgentCallFailed` if no live adapter made the present one."""
        if not self._mark.exists():
            raise AgentCallFailed(f"{self.folder} holds a store that no live adapter made: give an empty folder")
        self.shut()
        shutil.rmtree(self.folder)
        self._mark_folder()
        self._num_turns = 0
        self.open()

    def close(self) -> None:
        """Release the store's files, and keep the number of turns for the next process."""
        self.shut()
        if self._mark.exists():
            self._mark.write_text(str(self._num_turns), "ascii")

    def stats(self) -> dict[str, Any]:
        """Return the size of the store in bytes, and the versions that the report names."""
        size = sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file() and file != self._mark)
        num_bytes = size if self.persistent and size else None  # a store elsewhere leaves the folder empty
        figures = {"bytes": num_bytes, "system": self.system(), "embedder": self.embedder}
        return {name: value for name, value in figures.items() if value not in (None, "")}

    def system(self) -> str:
        """Return the library's name and version; the name alone if it runs from its source."""
        try:
            return f"{self.package} {metadata.version(self.package)}"
        except metadata.PackageNotFoundError:
            return self.package

    def next_number(self) -> int:
        """Return the number of the turn that is written next, from 1."""
        self._num_turns += 1
        return self._num_turns

    def _mark_folder(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._mark.write_text("0", "ascii")


def library(store: Store, module: str) -> Any:
    """Import a store's library.

    Raises `AgentCallFailed` with what to install if it is missing, and with both versions if it is another one.
    """
    wanted = f"{store.package}{store.needed}"
    try:
        imported = import_module(module)
    except ModuleNotFoundError as error:
        raise AgentCallFailed(
            f"{error.name} is not installed: pip install '{wanted}', next to Assay or with --target FOLDER and"
            " --python-path FOLDER"
        ) from None
    if store.needed and not SpecifierSet(store.needed).contains(version := metadata.version(store.package)):
        raise AgentCallFailed(f"{store.package} {version} is installed, and {wanted} is needed")
    return imported


def found(text: str, number: object, score: float | None = None) -> dict[str, Any]:
    """Return one entry; the reader takes the turn with the larger number as the newer one."""
    return {"text": text, "id": f"turn {number}", "score": score}
