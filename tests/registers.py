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
        members = getattr(importlib.import_module(f"{self.package}.register"), self.attribute)
        return list(members) if isinstance(members, Mapping) else [member.name for member in members]

    def files(self) -> set[str]:
        """The stems of the files and folders below the register's folder."""
        found = {path.stem for path in self.folder.rglob("*.py")} - {"__init__", "register"}
        return found | {path.parent.name for path in self.folder.rglob("*/__init__.py")}

    def file_of(self, key: str) -> str:
        """The stem of the file a member lives in: its name, as Python writes names."""
        return self.others.get(key) or key.replace("-", "_").replace(".", "_").replace(":", "_")

    def path_of(self, stem: str) -> Path:
        """The file or folder of that stem nearest to the register; a file goes before a folder."""
        found = [*self.folder.rglob(f"{stem}.py"), *(one.parent for one in self.folder.rglob(f"{stem}/__init__.py"))]
        return min(found, key=lambda path: len(path.parts))

    def imports_of(self, stem: str) -> set[str]:
        """The stems of this folder that a file or folder of it imports; nothing inside each other counts."""
        own = self.path_of(stem)
        imported = {name for source in _python_files(own) for name in _imported_by(source)}
        return {
            other
            for other in self.files()
            if not (path := self.path_of(other)).is_relative_to(own)
            and not own.is_relative_to(path)
            and _modules(path) & imported
        }

    def is_used(self, stem: str) -> bool:
        """Whether any other file of the house imports a file of this folder."""
        path = self.path_of(stem)
        own, modules = set(_python_files(path)), _modules(path)
        return any(modules & _imported_by(source) for source in _sources() if source not in own)


def _python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def _modules(path: Path) -> set[str]:
    names = {".".join(one.relative_to(ROOT).with_suffix("").parts) for one in _python_files(path)}
    return {name.removesuffix(".__init__") for name in names}


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
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("assay."):
            found.add(node.value)  # run as `python -m`
    return frozenset(found)


@cache
def _sources() -> tuple[Path, ...]:
    """Every source file of the house."""
    return tuple((ROOT / "assay").rglob("*.py"))


ADAPTER_FILES = {name: f"{name}_agent" for name in ("baseline", "http", "python", "snapshot", "store", "subprocess")}
ADAPTER_FILES["mcp"] = "mcp_store"

REGISTERS = (
    Register("assay.embedding", "EMBEDDERS", "embedder"),
    Register("assay.github_app.commands", "COMMANDS", "command"),
    Register("assay.github_app.web.dashboard.pages", "PAGES", "page"),
    Register("assay.github_app.outcomes.tasks.failures", "FAILURES", "failure"),
    Register("assay.github_app.provenance.traces", "READERS", "trace_reader"),
    Register("assay.memory_eval.questions.categories", "CATEGORIES", ""),
    Register("assay.memory_eval.adapters", "ADAPTERS", "adapter", ADAPTER_FILES),
    Register("assay.memory_eval.graders.answer_types", "GRADERS", ""),
    Register("assay.memory_eval.benchmarks", "BENCHMARKS", "benchmark"),
    Register("assay.memory_eval.exam.blocks", "BLOCKS", "block"),
    Register("assay.memory_eval.render", "FORMATS", "format"),
    Register("assay.memory_eval.adapters.snapshots", "SNAPSHOTS", "snapshot"),
    Register("assay.validators.quality.contracts", "CONTRACTS", "contract"),
    Register("assay.validators.languages", "LANGUAGES", "language"),
    Register("assay.validators.quality", "RULES", "rule"),
    Register("assay.validators.render", "FORMATS", "format"),
    Register("assay.validators.risk", "SIGNALS", "signal"),
    Register("assay.validators.risk.dependencies.manifests", "MANIFESTS", "manifest"),
    Register("assay.validators.risk.migrations", "MIGRATIONS", "migration"),
    Register("assay.validators.tools.coverage", "COVERAGE_READERS", "coverage_reader"),
    Register("assay.validators.tools.discovery", "ECOSYSTEMS", ""),
    Register("assay.validators.tools.parsers", "MEMBERS", ""),
    Register("assay.validators.tools.scanners", "SCANNERS", "scanner"),
)
