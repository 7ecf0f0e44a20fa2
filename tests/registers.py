"""The registers of the house: folders with one file per member and a list written by hand."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.conftest import ROOT


@dataclass(frozen=True)
class Register:
    """One register: the package, the name of the list in it, and the file that holds the contract."""

    package: str
    attribute: str
    protocol: str
    others: Mapping[str, str] = field(default_factory=dict)
    """Members whose file has another name than they: that of a module of Python's own would be one too many."""

    def __str__(self) -> str:
        return self.package.removeprefix("assay.")

    @property
    def folder(self) -> Path:
        return ROOT.joinpath(*self.package.split("."))

    @property
    def names(self) -> list[str]:
        """The members' names, in the register's order."""
        members = getattr(importlib.import_module(self.package), self.attribute)
        return list(members) if isinstance(members, Mapping) else [member.name for member in members]

    def files(self) -> set[str]:
        """The stems of the files and folders beside the register."""
        found = {path.stem for path in self.folder.glob("*.py")} - {"__init__"}
        return found | {path.parent.name for path in self.folder.glob("*/__init__.py")}

    def file_of(self, key: str) -> str:
        """The stem of the file a member lives in: its name, as Python writes names."""
        return self.others.get(key) or key.replace("-", "_").replace(".", "_").replace(":", "_")

    def imports_of(self, stem: str) -> set[str]:
        """The files of this folder that a file of it imports."""
        path = self.folder / f"{stem}.py"
        sources = [path] if path.is_file() else sorted((self.folder / stem).rglob("*.py"))
        return {name for source in sources for name in _imported_from(source, self.package)}

    def is_used(self, stem: str) -> bool:
        """Whether any other file of the house imports a file of this folder."""
        own = {self.folder / f"{stem}.py", *(self.folder / stem).rglob("*.py")}
        others = (path for path in _sources() if path not in own)
        return any(stem in _imported_from(path, self.package) for path in others)


@cache
def _imported_from(source: Path, package: str) -> frozenset[str]:
    """The first names below `package` that a source file imports, wherever in it the import stands."""
    below = package + "."
    return frozenset(name.removeprefix(below).split(".")[0] for name in _imported_by(source) if name.startswith(below))


@cache
def _imported_by(source: Path) -> frozenset[str]:
    """Everything a source file imports, by its full name; read once, however many registers ask."""
    found = set()
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


@cache
def _sources() -> tuple[Path, ...]:
    """Every source file of the house."""
    return tuple((ROOT / "assay").rglob("*.py"))


ADAPTER_FILES = {name: f"{name}_agent" for name in ("baseline", "http", "python", "snapshot", "subprocess")}

REGISTERS = (
    Register("assay.embedding", "EMBEDDERS", "embedder"),
    Register("assay.github_app.commands", "COMMANDS", "command"),
    Register("assay.github_app.dashboard.pages", "PAGES", "page"),
    Register("assay.github_app.outcomes.failures", "FAILURES", "failure"),
    Register("assay.github_app.traces", "READERS", "trace_reader"),
    Register("assay.memory_eval.questions", "CATEGORIES", "question"),
    Register("assay.memory_eval.adapters", "ADAPTERS", "adapter", ADAPTER_FILES),
    Register("assay.memory_eval.graders", "GRADERS", "grader"),
    Register("assay.memory_eval.blocks", "BLOCKS", "block"),
    Register("assay.memory_eval.render", "FORMATS", "format"),
    Register("assay.memory_eval.snapshots", "SNAPSHOTS", "snapshot"),
    Register("assay.validators.contracts", "CONTRACTS", "contract"),
    Register("assay.validators.languages", "LANGUAGES", "language"),
    Register("assay.validators.quality", "RULES", "rule"),
    Register("assay.validators.render", "FORMATS", "format"),
    Register("assay.validators.risk", "SIGNALS", "signal"),
    Register("assay.validators.risk.manifests", "MANIFESTS", "manifest"),
    Register("assay.validators.risk.migrations", "MIGRATIONS", "migration"),
    Register("assay.validators.tools.coverage", "COVERAGE_READERS", "coverage_reader"),
    Register("assay.validators.tools.discovery", "ECOSYSTEMS", ""),
    Register("assay.validators.tools.members", "MEMBERS", ""),
    Register("assay.validators.tools.scanners", "SCANNERS", "scanner"),
)
