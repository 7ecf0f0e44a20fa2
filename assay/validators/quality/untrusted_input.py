"""Untrusted input: text from a request that is run as code or by a shell, or loaded by a function that may run code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in
from assay.validators.dangers.constructs import row_of
from assay.validators.dangers.danger import RUNNING, Danger, Kind
from assay.validators.dangers.dangerous_code import COVERED, dangers
from assay.validators.dangers.flow import ModuleFlow
from assay.validators.dangers.loaded import is_aside, is_code, loading_product
from assay.validators.dangers.syntax import Tree
from assay.validators.progress import OutOfTime
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked

MOST_IMPORTERS = 50
"""Maximum importers of a file that are read for calls with request text."""
_PARTS = {
    Kind.code: ("code", "Parse the value as data, or choose from a fixed table of functions."),
    Kind.shell: ("shell", "Start the program without a shell, with a list of arguments and only known values."),
    Kind.load: ("load", "Use JSON, or sign the data and check the signature first."),
}
"""Construct -> the part of the rule, and the suggestion."""
_TEXTS = {
    Kind.code: "Text from a request is run as code",
    Kind.shell: "Text from a request is run by a shell",
    Kind.load: "Text from a request is loaded by a function that may run code",
}


class UntrustedInput:
    """Rule `untrusted_input`."""

    name = "untrusted_input"
    answers = None
    covers = COVERED

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield one finding for each construct the change adds; moved ones do not count."""
        found: list[tuple[ChangedFile, Danger]] = []
        left: Counter[str] = Counter()
        for file in (*context.change.files, *context.beyond):
            if not is_code(file):
                continue
            if context.deadline.passed:
                yield NotChecked(self.name, "the tier ran out of time")
                break
            if _is_unread(file):
                yield self._unread(context, file)
                continue
            before, after = text_at(context.change.base, file.base_path), text_at(context.change.head, file.path)
            left.update(one.key for one in dangers(_typed(file), file.removed, after, before) if one.is_fed)
            brought = _running(file, before, after)
            if any(not danger.is_fed for danger in brought):
                entered = _entered(context, file)
                brought = _running(file, before, after, entered) if entered else brought
            found += [(file, danger) for danger in brought if danger.is_fed]
        for file, danger in found:
            if left[danger.key] > 0:
                left[danger.key] -= 1
            else:
                yield self._finding(context, file, danger)

    def _unread(self, context: QualityContext, file: ChangedFile) -> Finding:
        return Finding(
            tier=Tier.quality,
            severity=_severity(context, file),
            rule=f"{self.name}.unread",
            file=file.path,
            message=f"Could not be read, and may run anything: {file.unreadable}",
            suggestion="Store it as UTF-8 text under 1 MB; or exclude its path in the base (`exclude`).",
            context=file.unreadable or "",
        )

    def _finding(self, context: QualityContext, file: ChangedFile, danger: Danger) -> Finding:
        part, suggestion = _PARTS[danger.what]
        return Finding(
            tier=Tier.quality,
            severity=_severity(context, file),
            rule=f"{self.name}.{part}",
            file=file.path,
            line=danger.line,
            message=f"{_TEXTS[danger.what]}: the sender of the request decides what runs",
            suggestion=suggestion,
            context=danger.key,
        )


def _is_unread(file: ChangedFile) -> bool:
    """Return whether the change adds an unreadable script or Python file."""
    is_new = file.exists and (file.head_blob is None or file.head_blob != file.base_blob)
    is_wanted = file.nature is Nature.source and is_in(file.typed_path, UntrustedInput.covers)
    return is_new and is_wanted and file.unreadable is not None


def _running(file: ChangedFile, before: str, after: str, entered: frozenset[str] = frozenset()) -> list[Danger]:
    found = dangers(file.typed_path, file.added, before, after, entered) if file.exists else ()
    return [danger for danger in found if danger.what in RUNNING]


def _typed(file: ChangedFile) -> str:
    return (file.base_path or file.path) + file.script_suffix


def _entered(context: QualityContext, file: ChangedFile) -> frozenset[str]:
    """Return the functions that importers of the file call with text from a request."""
    try:
        importers = context.graphs.head(context.deadline).importers([file.path])
    except OutOfTime:
        return frozenset()
    head = context.change.head
    texts = ((path, text_at(head, path)) for path in sorted(importers)[:MOST_IMPORTERS])
    return frozenset(name for path, text in texts for name in _called_with_text(path, text))


def _severity(context: QualityContext, file: ChangedFile) -> Severity:
    """Return the severity: tests, documentation and examples may do it unless product code loads them."""
    if not is_aside(file):
        return Severity.error
    try:
        if loading_product(context.change, context.graphs.head(context.deadline), file.path):
            return Severity.error
    except OutOfTime:
        return Severity.warning
    return Severity.warning if file.is_example else Severity.info


def _called_with_text(path: str, source: str) -> set[str]:
    """Return the last name of each function called with request text."""
    row = row_of(path)
    if "req" not in source or row is None:
        return set()
    return ModuleFlow(Tree(source, row)).flow.called_with_text()
