"""JSON form of the report types.

The writer, the reader and the published schema (`tests/validators/report_schema.py`) all follow `fields_of`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from assay.validators.changes.change import FileKind, FileStatus
from assay.validators.changes.classify import Nature
from assay.validators.report.annotations import Count, Mark, Path
from assay.validators.report.model import (
    Coverage,
    Finding,
    QualityResult,
    RiskAssessment,
    RiskFactor,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.risk_facts import NewDependency, Surface
from assay.validators.report.unknown import Question
from assay.validators.report.waiver import Waiver


@dataclasses.dataclass
class FileEntry:
    """Changed file in JSON; `ValidationReport.files` holds it as a mapping."""

    path: Path
    base_path: Path | None
    status: FileStatus
    kind: FileKind
    nature: Nature
    claimed: Annotated[Nature | None, Mark(enum=("test", "docs", "generated", "vendored", None))]
    added: Count
    removed: Count
    added_lines: list[Annotated[list[Count], Mark(size=2)]]
    removed_lines: list[Annotated[list[Count], Mark(size=2)]]
    language: str
    asked: list[Question]
    unknown: list[Question]


@dataclasses.dataclass
class Tiers:
    """Tiers in JSON; None for one that was not run."""

    tools: ToolsResult | None
    quality: QualityResult | None
    risk: RiskAssessment | None


_KEYS: dict[type, str] = {
    ValidationReport: "base base_name base_why head head_name head_is_worktree merge_base conclusion title reasons hold"
    " missing configuration_at_fault blocking mode agent tiers review waivers files not_checked durations_s"
    " settings",
    ToolsResult: "runs findings num_existing passed_files coverage_source sandbox reported_by timed_out num_fix_cycles"
    " not_checked unknown",
    ToolRun: "name kind command directory found_in outcome gate gating blocks base_outcome exit_code reason counts"
    " excerpt duration_s",
    Finding: "id tier severity rule file line end_line message suggestion replacement tool confidence introduced"
    " blocks",
    RiskAssessment: "level set_by policy timed_out likelihood rollback factors surface dependents num_dependents_total"
    " api_changes new_dependencies coverage not_checked unknown",
    RiskFactor: "signal level value threshold reason would_lower evidence",
    Surface: "num_files num_added num_removed num_modified num_source_files num_source_added num_source_removed"
    " modules",
    NewDependency: "name ecosystem version before scope manifest line",
    Coverage: "percent lines covered source why_unknown",
    Waiver: "finding kind by reason",
}
"""Keys in the published order, for types whose fields have another order or other names."""
_FIELD_OF = {
    (ValidationReport, "base"): "base.sha",
    (ValidationReport, "base_name"): "base.name",
    (ValidationReport, "base_why"): "base.why",
    (ValidationReport, "head"): "head.sha",
    (ValidationReport, "head_name"): "head.name",
    (ValidationReport, "head_is_worktree"): "head.is_worktree",
    (Coverage, "lines"): "num_lines",
    (Coverage, "covered"): "num_covered",
    (Waiver, "finding"): "finding_id",
}
"""Fields whose key has another name; a dotted path is a field of a field."""
_FORMS = {
    (ValidationReport, "tiers"): Tiers,
    (ValidationReport, "files"): tuple[FileEntry, ...],
    (ToolRun, "blocks"): bool,
    (Finding, "blocks"): bool,
}
"""Annotations of keys that no field holds, or that a field holds untyped."""
_FILE_DEFAULTS: dict[str, Any] = {"language": "", "added_lines": (), "removed_lines": (), "asked": (), "unknown": ()}


class Shape(NamedTuple):
    """Parsed annotation of a field."""

    kind: Any
    mark: Mark = Mark()
    args: tuple[Shape, ...] = ()
    nullable: bool = False


@cache
def fields_of(kind: type) -> dict[str, tuple[str, Shape]]:
    """Return the field (a dotted path) and the shape of each key, in the order they are written."""
    keys = _KEYS[kind].split() if kind in _KEYS else [field.name for field in dataclasses.fields(kind)]
    found = {}
    for key in keys:
        name = _FIELD_OF.get((kind, key), key)
        found[key] = name, shape_of(_FORMS.get((kind, key)) or _annotation(kind, name))
    return found


def shape_of(hint: Any) -> Shape:
    """Parse an annotation."""
    if get_origin(hint) is Annotated:
        shape = shape_of(hint.__origin__)
        return shape._replace(mark=hint.__metadata__[0])
    if get_origin(hint) in (Union, UnionType):
        rest = [shape_of(one) for one in get_args(hint) if one is not NoneType]
        return (Shape(Union, args=tuple(rest)) if len(rest) > 1 else rest[0])._replace(nullable=True)
    args = tuple(shape_of(one) for one in get_args(hint) if one is not Ellipsis)
    return Shape(get_origin(hint) or hint, args=args)


def _annotation(kind: type, name: str) -> Any:
    first, _, rest = name.partition(".")
    hint = get_type_hints(kind, include_extras=True)[first]
    return _annotation(hint, rest) if rest else hint


def converted(shape: Shape, value: Any, convert: Callable[[Shape, Any], Any]) -> Any:
    """Return the value with each item converted by its shape; None stays None."""
    if value is None:
        return None
    if shape.kind in (tuple, list):
        return shape.kind(converted(shape.args[0], one, convert) for one in value)
    return convert(shape, value)


def value_of(thing: Any, kind: type, name: str) -> Any:
    """Return the value of a field; the tiers are fields of the report itself."""
    if kind is FileEntry:
        return thing.get(name, _FILE_DEFAULTS.get(name))
    return thing if (kind, name) == (ValidationReport, "tiers") else attrgetter(name)(thing)
