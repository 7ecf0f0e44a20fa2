"""Contracts inside the tree: symbols that a change removes or alters while its head still uses them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.change import ChangeSet, shown
from assay.validators.changes.classify import Nature
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import OutOfTime
from assay.validators.quality.contracts.contract import Break, BreakKind, Search, Use
from assay.validators.quality.contracts.register import CONTRACTS
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked
from assay.validators.wording import listed

MOST_USES = 10
"""Maximum using lines listed in one finding; the others are counted."""
_LOOKED_AT = (Nature.source, Nature.test, Nature.docs)


class Contracts:
    """Rule `contracts`."""

    name = "contracts"
    answers = None
    covers = frozenset[str]().union(*(contract.covers for contract in CONTRACTS))

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield one finding for each symbol whose remaining uses no longer match it."""
        for contract in CONTRACTS:
            language = LANGUAGES[contract.name]
            files = [file for file in context.change.files if file.nature in _LOOKED_AT]
            own = [file for file in files if language.dialect(file.base_path or file.path) is not None]
            if not own:
                continue
            try:
                for found in contract.breaks(Search(context.change, context.graphs, context.deadline, own)):
                    yield _finding(context.change, found) if isinstance(found, Break) else found
            except OutOfTime as error:
                yield NotChecked(f"{self.name}: {contract.name}", str(error))
            except RecursionError:
                yield NotChecked(f"{self.name}: {contract.name}", "a file is nested too deeply")


def _finding(change: ChangeSet, found: Break) -> Finding:
    uses = sorted(found.uses, key=lambda use: (not use.is_certain, not _is_added(change, use)))
    first = uses[0]
    path, line = _place(change, found, uses)
    others = f"; {len(uses)} lines in all" if len(uses) > 1 else ""
    return Finding(
        tier=Tier.quality,
        severity=Severity.error if first.is_certain else Severity.warning,
        rule=f"contracts.{first.kind}",
        file=path,
        line=line,
        message=f"{_what(first)}, but {_at(first)} {first.how}{others}",
        suggestion=f"Change {listed([*map(_at, uses)], MOST_USES)}, or keep {_kept(first)}.",
        context=f"{first.kind} {first.file} {first.symbol}",
    )


def _what(use: Use) -> str:
    if use.kind is BreakKind.module:
        return f"`{shown(use.file)}` was removed"
    if use.kind is BreakKind.arguments:
        return f"`{use.symbol}` in `{shown(use.file)}` now takes `{use.now}`"
    return f"`{use.symbol}` was removed from `{shown(use.file)}`"


def _kept(use: Use) -> str:
    if use.kind is BreakKind.module:
        return "a module under the old name"
    return "the old arguments valid" if use.kind is BreakKind.arguments else f"`{use.symbol}`"


def _at(use: Use) -> str:
    return f"`{shown(use.path)}:{use.line}`"


def _is_added(change: ChangeSet, use: Use) -> bool:
    file = change.by_path.get(use.path)
    return file is not None and use.line in file.added


def _place(change: ChangeSet, found: Break, uses: list[Use]) -> tuple[str, int | None]:
    """Return the using line if the change touches it, else the changed definition, else the first using line."""
    added = next((use for use in uses if _is_added(change, use)), None)
    if added is not None:
        return added.path, added.line
    if found.head_file is not None:
        return found.head_file, found.line
    return uses[0].path, uses[0].line
