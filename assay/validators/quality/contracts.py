"""Contracts inside the tree: what a change removes or alters while files of its head still use it."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.change import ChangedFile, ChangeSet, shown
from assay.validators.classify import Nature
from assay.validators.contracts import CONTRACTS
from assay.validators.contracts.contract import Break, BreakKind, Compared, Use
from assay.validators.languages import LANGUAGES
from assay.validators.progress import OutOfTime
from assay.validators.quality.rule import QualityContext
from assay.validators.report import Finding, NotChecked, Severity, Tier

MOST_USES = 10
"""Using lines listed in one finding; the rest is a number."""
_LOOKED_AT = (Nature.source, Nature.test, Nature.docs)


class Contracts:
    """The rule."""

    name = "contracts"
    answers = None
    covers = frozenset[str]().union(*(contract.covers for contract in CONTRACTS))

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """One finding for each symbol whose remaining uses no longer match it."""
        compared = Compared(context.change, context.graphs, context.deadline)
        for contract in CONTRACTS:
            language = LANGUAGES[contract.name]
            files = [file for file in context.change.files if file.nature in _LOOKED_AT]
            own = [file for file in files if language.dialect(file.base_path or file.path) is not None]
            if not own:
                continue
            try:
                for found in contract.breaks(compared, own):
                    yield _finding(context.change, found) if isinstance(found, Break) else found
            except OutOfTime as error:
                yield NotChecked(f"{self.name}: {contract.name}", str(error))
            except RecursionError:
                yield NotChecked(f"{self.name}: {contract.name}", "a file is nested too deeply")


def _finding(change: ChangeSet, found: Break) -> Finding:
    uses = sorted(found.uses, key=lambda use: (not use.is_certain, not _is_added(change, use), use))
    first = uses[0]
    path, line = _place(change, found, uses)
    listed = ", ".join(_at(use) for use in uses[:MOST_USES])
    more = f" and {len(uses) - MOST_USES} more" if len(uses) > MOST_USES else ""
    others = f"; {len(uses)} lines in all" if len(uses) > 1 else ""
    return Finding(
        tier=Tier.quality,
        severity=Severity.error if first.is_certain else Severity.warning,
        rule=f"contracts.{found.kind}",
        file=path,
        line=line,
        message=f"{_what(found)}, but {_at(first)} {first.how}{others}",
        suggestion=f"Change {listed}{more}, or keep {_kept(found)}.",
        context=f"{found.kind} {found.file} {found.symbol}",
    )


def _what(found: Break) -> str:
    if found.kind is BreakKind.module:
        return f"`{shown(found.file)}` was removed"
    if found.kind is BreakKind.arguments:
        return f"`{found.symbol}` in `{shown(found.file)}` now takes `{found.now}`"
    return f"`{found.symbol}` was removed from `{shown(found.file)}`"


def _kept(found: Break) -> str:
    if found.kind is BreakKind.module:
        return "a module under the old name"
    return "the old arguments valid" if found.kind is BreakKind.arguments else f"`{found.symbol}`"


def _at(use: Use) -> str:
    return f"`{shown(use.path)}:{use.line}`"


def _is_added(change: ChangeSet, use: Use) -> bool:
    file = change.by_path.get(use.path)
    return file is not None and use.line in file.added


def _place(change: ChangeSet, found: Break, uses: list[Use]) -> tuple[str, int | None]:
    """The using line where the change touches it, else the changed definition, else the first using line."""
    added = next((use for use in uses if _is_added(change, use)), None)
    if added is not None:
        return added.path, added.line
    if found.head_file is not None and found.line is not None:
        return found.head_file, found.line
    file: ChangedFile | None = change.by_path.get(found.head_file or "")
    if file is not None and file.exists:
        return file.path, None
    return uses[0].path, uses[0].line
