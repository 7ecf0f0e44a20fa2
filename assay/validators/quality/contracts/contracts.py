"""Broken contracts inside a tree: symbols that a change removes or alters while its head still uses them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, SourceTree, shown
from assay.validators.changes.classify import Nature
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import OutOfTime
from assay.validators.quality.contracts.breaks import BreakKind, Use
from assay.validators.quality.contracts.search import Search
from assay.validators.quality.contracts.side import INITIALIZERS
from assay.validators.quality.contracts.uses import Uses
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked
from assay.validators.wording import listed

MOST_USES = 10
"""Maximum using lines listed in one finding; the others are counted."""
_LOOKED_AT = (Nature.source, Nature.test, Nature.docs)
_BUILD_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".gitignore", "MANIFEST.in", "hatch_build.py")


class Contracts:
    """Rule `contracts`."""

    name = "contracts"
    answers = None
    covers = frozenset[str]().union(*(language.covers for language in LANGUAGES.values()))

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield one finding for each symbol whose remaining uses no longer match it."""
        change = context.change
        files = [file for file in change.files if file.nature in _LOOKED_AT]
        for language in LANGUAGES.values():
            own = [file for file in files if language.dialect(file.base_path or file.path) is not None]
            if not own:
                continue
            try:
                search = Search(change, context.graphs, context.deadline, language, own)
                if not search.is_empty:
                    yield from _found(search)
            except OutOfTime as error:
                yield NotChecked(f"{self.name}: {language.name}", str(error))
            except RecursionError:
                yield NotChecked(f"{self.name}: {language.name}", "a file is nested too deeply")


def _found(search: Search) -> Iterator[Finding | NotChecked]:
    uses = Uses(search)
    broken: list[Use] = []
    for found in search.users():
        if isinstance(found, NotChecked):
            yield found
        else:
            broken += uses.of(*found)
    yield from _findings(search, filter(uses.is_broken, broken))


def _findings(search: Search, uses: Iterable[Use]) -> Iterator[Finding]:
    """Yield one finding per symbol and kind."""
    grouped: dict[tuple[BreakKind, str, str], dict[tuple[str, int, str], Use]] = defaultdict(dict)
    for use in uses:
        grouped[use.kind, use.file, use.symbol].setdefault((use.path, use.line, use.how), use)
    for (kind, path, _), same in sorted(grouped.items(), key=lambda item: item[0]):
        if kind is not BreakKind.module or not _is_built(search.change.head, path):
            found = [use for _, use in sorted(same.items(), key=lambda item: item[0])]
            file = search.by_base.get(path)
            is_placed = kind is not BreakKind.module and not _is_import(search, found[0])
            line = _line_of(search, file, found[0]) if file is not None and is_placed else None
            yield _finding(search, found, file if file is not None and file.exists else None, line)


def _line_of(search: Search, file: ChangedFile, use: Use) -> int | None:
    """Return the head's line nearest to where the base defined a symbol."""
    if use.kind is BreakKind.arguments:
        head = search.head.reading(file.path) if file.exists else None
        names = [*(f"{use.symbol}.{name}" for name in INITIALIZERS), use.symbol]
        pieces = {piece.name: piece for piece in reversed(head.pieces)} if head is not None else {}
        return next((pieces[name].core.start_point.row + 1 for name in names if name in pieces), None)
    base = search.base.reading(use.file)
    if base is None:
        return None
    name = base.exports.get(use.symbol, use.symbol)
    nodes = [piece.node for piece in base.pieces if piece.name in (use.symbol, name)]
    nodes += [read.node for read in base.reads if read.is_store and read.name == use.symbol.rpartition(".")[2]]
    return file.replaced_at(nodes[0].start_point.row + 1, nodes[0].end_point.row + 1) if nodes else None


def _is_import(search: Search, use: Use) -> bool:
    """Return whether what is gone from a file was only imported there, for its own code."""
    is_own = use.kind is BreakKind.name and use.file == search.base_path(use.path)
    base = search.base.reading(use.file) if is_own else None
    return base is not None and not any(one.name == use.symbol and one.kind != "listed" for one in base.pieces)


def _is_built(tree: SourceTree, path: str) -> bool:
    """Return whether a deleted module may be generated by the build, or written in another language."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    others = (other.rpartition("/") for other in tree.paths)
    if any(where == folder and other.partition(".")[0] == stem for where, _, other in others):
        return True
    return any(name.encode("utf-8", "surrogateescape") in (tree.read(file) or b"") for file in _BUILD_FILES)


def _finding(search: Search, uses: list[Use], file: ChangedFile | None, line: int | None) -> Finding:
    uses = sorted(uses, key=lambda use: (not use.is_certain, not _is_added(search.change, use)))
    first = uses[0]
    path = file.path if file is not None else None
    at = next((use for use in uses if _is_added(search.change, use) or (line is None and use.path == path)), None)
    path, line = (at.path, at.line) if at is not None else (path, line)
    others = f"; {len(uses)} such lines found" if len(uses) > 1 else ""
    return Finding(
        tier=Tier.quality,
        severity=Severity.error if first.is_certain else Severity.warning,
        rule=f"contracts.{first.kind}",
        file=path if path is not None else first.path,
        line=line if path is not None else first.line,
        message=f"{_what(search, first, file)}, but {_at(first)} {first.how}{others}",
        suggestion=f"Change {listed([*map(_at, uses)], MOST_USES)}, or keep {_kept(first)}.",
        context=f"{first.kind} {first.file} {first.symbol}",
    )


def _what(search: Search, use: Use, file: ChangedFile | None) -> str:
    if use.kind is BreakKind.module:
        return f"`{shown(use.file)}` was " + ("removed" if file is None else f"moved to `{shown(file.path)}`")
    if use.kind is BreakKind.arguments:
        return f"`{use.symbol}` in `{shown(use.file)}` now takes `{use.now}`"
    if _is_import(search, use):
        return f"The import of `{use.symbol}` was removed from `{shown(use.file)}`"
    now = search.head.reading(file.path) if file is not None else None
    if use.kind is BreakKind.name and now is not None and use.symbol in now.declared()[0]:
        return f"`{use.symbol}` is no longer exported by `{shown(use.file)}`"
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
