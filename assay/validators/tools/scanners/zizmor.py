"""zizmor on changed GitHub workflows and actions, without calling GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.validators.changes.change import ChangedFile, shown
from assay.validators.changes.language_table import languages
from assay.validators.io import process
from assay.validators.io.json_parts import dicts, inner, number, text
from assay.validators.io.structured_files import Unreadable, yaml_document
from assay.validators.report.model import Severity
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.scanners.export import Exported
from assay.validators.tools.scanners.scanner import Assignment, Scan, Sighting

_FILES = re.compile(r"(^|/)\.github/workflows/[^/]+\.ya?ml$|(^|/)action\.ya?ml$")
_ADVICE = frozenset(("unpinned-uses", "artipacked", "ref-version-mismatch", "anonymous-definition"))
"""Correct, but true of nearly every workflow: reported as advice only."""

_SETTINGS = (".github/zizmor.yml", ".github/zizmor.yaml", "zizmor.yml", "zizmor.yaml")
NOT_A_WORKFLOW = "zizmor: not a workflow or action it can read"


class Zizmor:
    """Static checks of workflows: injection, permissions, triggers, credentials."""

    name = "zizmor"
    answers = None
    covers = languages("workflow")

    def wants(self, file: ChangedFile) -> bool:
        """Return whether a file is a workflow or composite action."""
        return _FILES.search(file.path) is not None

    def scan(self, assignment: Assignment) -> Scan:
        """Run once, with the base's own settings where it has some."""
        words = [process.own_program("zizmor"), "--offline", "--no-progress", "--quiet", "--format=json-v1"]
        settings = assignment.settings(*_SETTINGS)
        words += ["--no-exit-codes", f"--config={settings}" if settings else "--no-config"]
        files = [assignment.export.by_name[name] for name in assignment.names]
        # zizmor skips files it cannot read without naming them.
        readable = [file.name for file in files if _is_readable(file)]
        not_checked = tuple(
            NotChecked(shown(file.path), NOT_A_WORKFLOW)
            for file in files
            if file.side == "head" and file.name not in readable
        )
        if not readable:
            return Scan(not_checked=not_checked)
        answer = assignment.answer(self.name, [*words, "--", *readable], list)
        sightings = (sighting for entry in dicts(answer) for sighting in _sighting(entry, assignment))
        return Scan(tuple(sightings), not_checked)


def _is_readable(file: Exported) -> bool:
    try:
        document = yaml_document("\n".join(file.lines))
    except Unreadable:
        return False
    return any((node := document.get(key)) is not None and node.pairs for key in ("jobs", "runs"))


def _sighting(entry: dict[str, Any], assignment: Assignment) -> Iterator[Sighting]:
    primary = [place for place in dicts(entry.get("locations")) if inner(place, "symbolic", "kind") == "Primary"]
    severity = _severity(entry)
    if entry.get("ignored") or not primary or severity is None:
        return
    key = inner(primary[0], "symbolic", "key", "Local")
    where = assignment.export.at(inner(key, "given_path") or inner(key, "verbatim_path"))
    row = number(inner(primary[0], "concrete", "location", "start_point", "row"))
    last = number(inner(primary[0], "concrete", "location", "end_point", "row"))
    if where is None or row is None:
        return
    annotation = text(inner(primary[0], "symbolic", "annotation"))
    message = f"{text(entry.get('desc'))}: {annotation}" if annotation else text(entry.get("desc"))
    fix = text(inner(entry, "fixes", 0, "title")) or None
    yield Sighting(where, text(entry.get("ident")), severity, message, row + 1, (last or row) + 1, fix)


def _severity(entry: dict[str, Any]) -> Severity | None:
    """Return error for high and certain results, advice for lesser ones, nothing for those zizmor rates low."""
    severity = text(inner(entry, "determinations", "severity"))
    confidence = text(inner(entry, "determinations", "confidence"))
    if severity not in ("High", "Medium"):
        return None
    if entry.get("ident") in _ADVICE or (severity == "Medium" and confidence == "Low"):
        return Severity.info
    return Severity.error if severity == "High" and confidence == "High" else Severity.warning


zizmor = Zizmor()
