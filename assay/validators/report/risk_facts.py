"""Measurements of Tier 3 without a level: size, coverage, public interface, dependencies."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from assay.validators.report.annotations import Count, Line, Path

LineCoverage: TypeAlias = Mapping[str, Mapping[int, bool]]
"""Per repository-relative path: line number -> whether a test ran it (lines that hold no code are absent)."""

LineContexts: TypeAlias = Mapping[str, Mapping[int, Collection[str]]]
"""Per path: line -> the test files whose tests ran it; "" stands for what ran outside any test, as on import."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Size of a change: all files, and the part that is source (no tests, docs, lock, generated, vendored)."""

    num_files: Count = 0
    num_added: Count = 0
    num_removed: Count = 0
    num_source_files: Count = 0
    num_source_added: Count = 0
    num_source_removed: Count = 0
    num_modified: Count = 0
    modules: tuple[Path, ...] = ()


class ApiChangeKind(StrEnum):
    """Whether a change of a public interface breaks its users."""

    breaking = "breaking"
    non_breaking = "non_breaking"
    unknown = "unknown"


@dataclass(frozen=True, slots=True)
class ApiChange:
    """One change of a public function, class, type, endpoint or table."""

    kind: ApiChangeKind
    symbol: str
    what: str
    file: Path
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class NewDependency:
    """Package the change adds or moves to another version; `before` is None for a new one."""

    name: str
    ecosystem: str
    manifest: Path
    version: str | None = None
    before: str | None = None
    scope: str = "runtime"
    line: Line | None = None
