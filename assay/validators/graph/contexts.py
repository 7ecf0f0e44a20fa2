"""Which tests run which lines, from coverage data with contexts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assay.validators.changes.change import SourceTree, decoded
from assay.validators.graph.symbols import definitions
from assay.validators.report.risk_facts import LineContexts


@dataclass(frozen=True, slots=True)
class Contexts:
    """Test files by the lines they run; `spans` are the lines of each function's body in the measured tree."""

    lines: LineContexts
    spans: Mapping[str, Mapping[str, range]]
    tests: frozenset[str]

    def covers(self, test: str, symbols: Mapping[str, Collection[str]]) -> bool | None:
        """Return whether a test file runs a changed symbol; None if the data cannot tell."""
        if test not in self.tests:
            return None
        is_known = bool(symbols)
        for path, names in symbols.items():
            lines, spans = self.lines.get(path, {}), self.spans.get(path, {})
            for name in names:
                ran = {one for line in spans.get(name, ()) for one in lines.get(line, ())}
                if test in ran:
                    return True
                # What runs on import fails for every importer, and no context says for which.
                is_known = is_known and name in spans and path in self.lines and "" not in ran
        return False if is_known else None


def contexts_of(lines: LineContexts, tree: SourceTree, symbols: Mapping[str, Collection[str]]) -> Contexts:
    """Return the contexts of the changed files; `lines` were measured on `tree`."""
    spans: dict[str, dict[str, range]] = {}
    for path, content in tree.read_many([path for path in symbols if path in lines]):
        if content is not None:
            spans[path] = {
                one.name: range(min(one.line + 1, one.end_line), one.end_line + 1)
                for one in definitions(path, decoded(content))
                if one.kind in ("function", "method")
            }
    tests = frozenset(test for ran in lines.values() for found in ran.values() for test in found if test)
    return Contexts(lines, spans, tests)
