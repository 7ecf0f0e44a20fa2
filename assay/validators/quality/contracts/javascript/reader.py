"""JavaScript and TypeScript contracts: exports, class members, and in TypeScript the number of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, decoded
from assay.validators.quality.contracts.contract import Break, Search, Use
from assay.validators.quality.contracts.javascript.file import ScriptFile
from assay.validators.quality.contracts.javascript.side import SCRIPTS, ScriptSide, parsed_file
from assay.validators.quality.contracts.javascript.uses import ScriptUses
from assay.validators.report.unknown import NotChecked

_REEXPORT = re.compile(rb"^\s*export\b[^;=(]*\bfrom\b", re.MULTILINE)
_NAMELESS = frozenset(("default", "constructor"))


class JavaScriptContract:
    """Entry of the contract register."""

    name = "javascript"
    covers = SCRIPTS

    def breaks(self, search: Search) -> Iterator[Break | NotChecked]:
        """Yield breaks in modules that were changed, moved or deleted."""
        change, deadline = search.change, search.deadline
        names: set[str] = set()
        base_files: dict[str, ScriptFile | None] = {}
        head_files: dict[str, ScriptFile | None] = {}
        for path in (*search.kept, *search.gone):
            deadline.check("contracts")
            base_files[path] = parsed_file(change.base, path)
            head_files[path] = parsed_file(change.head, path)
            names |= _altered(base_files[path], head_files[path], path in search.gone)
        if not names and not search.gone:
            return
        # Imports of unchanged files are equal on both sides; re-exports of a changed file need the base's.
        reexports = any(_REEXPORT.search(change.base.read(path) or b"") for path in search.kept)
        base_sources = (search.full_base_graph if reexports else search.base_graph).sources
        base = ScriptSide(change.base, base_sources, search.base_graph, deadline, base_files)
        head = ScriptSide(change.head, search.head_graph.sources, search.head_graph, deadline, head_files)
        is_nameless = "default" in names or bool(search.gone)
        texts, notes = search.candidates(names - _NAMELESS, with_direct=is_nameless)
        yield from notes
        uses = ScriptUses(base, head)
        found = (use for path, content in texts.items() for use in uses.broken(path, decoded(content)))

        def line_of(file: ChangedFile, use: Use) -> int | None:
            lines = base.lines_of(use.file, use.symbol)
            return file.replaced_at(*lines) if lines is not None else None

        yield from search.breaks(found, line_of)


def _altered(before: ScriptFile | None, after: ScriptFile | None, is_gone: bool) -> set[str]:
    """Return the names that one side of a file lacks or defines differently."""
    if before is None or (after is None and not is_gone):
        return set()
    if after is None:
        return {*before.exports, *before.lines}
    names = before.exports.keys() - after.exports.keys()
    names |= before.lines.keys() - after.lines.keys()
    names |= {name for name, arity in before.arities.items() if arity != after.arities.get(name)}
    for name, facts in before.classes.items():
        other = after.classes.get(name)
        if other is not None:
            names |= facts.members.keys() - other.members.keys()
            names |= {one for one, arity in facts.arities.items() if arity != other.arities.get(one)}
            if other.parent != facts.parent:
                names |= facts.members.keys()
            if facts.arities.get("constructor") != other.arities.get("constructor"):
                names.add(name)
    names |= set(before.passed_on) - set(after.passed_on)
    # A name exported under another name is imported by the latter.
    return names | {exported for exported, local in before.exports.items() if local in names}
