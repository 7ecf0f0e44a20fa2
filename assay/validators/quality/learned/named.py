"""Uses of a qualified name in a file, whatever the file imports it as: `from yaml import load` for `yaml.load`."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from assay.validators.languages.language import EVERYTHING, Import
from assay.validators.languages.register import LANGUAGES, language_reading
from assay.validators.languages.source_text import SourceText

MOST_PLACES = 50
"""Maximum places of a name in one file."""
_PART = r"[A-Za-z_$][\w$]*"
# Bounded, so that a line of names and dots takes linear time.
_CHAIN = re.compile(
    rf"(?<![\w.$])@?{_PART}(?:\s{{0,20}}(?:\.|::|->|\?\.)\s{{0,20}}{_PART}){{0,7}}(\s{{0,20}}(?:[(`]|![\[({{]))?"
)
_DESTRUCTURED = re.compile(
    rf"\b(?:const|let|var)\s{{1,9}}\{{([^{{}}]{{1,300}})\}}\s{{0,9}}=\s{{0,9}}({_PART}(?:\.{_PART}){{0,5}})"
)
_DECLARED = re.compile(
    rf"\b(?:const|let|var|val|def|class|function|func|fn|struct|enum|trait|interface|type)\s{{1,9}}({_PART})"
)
_DECLARES = re.compile(r"\b(?:async|function|def|fn|func|fun|static|public|private|protected)\s{1,9}$")
"""End of the text before a name that is declared there."""
_TAKEN = re.compile(rf"({_PART})(?:\s{{0,9}}:\s{{0,9}}({_PART}))?")
_SEPARATORS = re.compile(r"[^\w$-]+")
_GLOBAL = frozenset(dir(builtins))
"""Names that need no import in Python; imported under such a name, it is another one."""


class NamedUses:
    """Names that a file uses and imports."""

    def __init__(self, path: str, source: SourceText) -> None:
        self._path, self._source = path, source

    def places(self, name: str) -> list[tuple[int, int]]:
        """Return the first and last lines (1-based) of imports and uses of a name; only of calls if it ends in `()`."""
        wanted = parts_of(name.removesuffix("()"))
        if not wanted or wanted[-1] not in self._source.text:
            return []
        lines = [line for line, parts in self._bindings_by_line if _holds(parts, wanted)]
        for line, parts, is_call in self._chains:
            if (is_call or not name.endswith("()")) and self._is_use(parts, wanted):
                lines.append(line)
        return [(line, line) for line in dict.fromkeys(lines)][:MOST_PLACES]

    def resolved(self, name: str) -> str:
        """Return a name with what the file imports its first part as."""
        first, *rest = parts_of(name) or [name]
        return ".".join((*self._bound.get(first, (first,)), *rest))

    def _is_use(self, parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
        bound = self._bound.get(parts[0])
        if bound is not None and _holds((*bound, *parts[1:]), wanted):
            return True
        is_other = bound is not None and parts[0] in _GLOBAL
        is_other |= bound is None and parts[0] in self._declared
        return not is_other and parts[: len(wanted)] == wanted

    @cached_property
    def _imports(self) -> Sequence[Import]:
        found = language_reading(self._path)
        if found is None:
            return ()
        name, dialect = found
        return LANGUAGES[name].scan(self._source.text.encode("utf-8", "surrogateescape"), dialect).imports

    @cached_property
    def _bindings_by_line(self) -> list[tuple[int, tuple[str, ...]]]:
        """What each import takes: its line, and the qualified name."""
        return [(line, parts) for line, _, parts in self._bindings if parts]

    @cached_property
    def _bound(self) -> dict[str, tuple[str, ...]]:
        return {local: parts for _, local, parts in self._bindings if local}

    @cached_property
    def _bindings(self) -> list[tuple[int, str, tuple[str, ...]]]:
        return [*self._imported(), *self._destructured()]

    @cached_property
    def _declared(self) -> frozenset[str]:
        """Names that the file declares itself."""
        return frozenset(_DECLARED.findall(self._source.code))

    def _imported(self) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        for one in self._imports:
            target = parts_of(one.target)
            if not one.names:
                is_dotted = "." in one.target and not one.alias and self._path.endswith(".py")
                local = one.alias or ("" if is_dotted or not target else target[-1])
                yield one.line, local, target
            for name, local in one.names:
                if name in (EVERYTHING, "default"):
                    yield one.line, local or (target[-1] if target else ""), target
                else:
                    yield one.line, local, target if target[-1:] == (name,) else (*target, *parts_of(name))

    def _destructured(self) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        for match in _DESTRUCTURED.finditer(self._source.code):
            line = self._source.line_at(match.start())
            for taken in _TAKEN.finditer(match[1]):
                yield line, taken[2] or taken[1], (*parts_of(match[2]), taken[1])

    @cached_property
    def _chains(self) -> list[tuple[int, tuple[str, ...], bool]]:
        """Names used in the code: line, parts, and whether it is called."""
        code = self._source.code
        found = (
            one for one in _CHAIN.finditer(code) if not _DECLARES.search(code, max(0, one.start() - 20), one.start())
        )
        return [(self._source.line_at(one.start()), parts_of(one[0]), one[1] is not None) for one in found]


def parts_of(name: str) -> tuple[str, ...]:
    """Split a name at dots, slashes and colons."""
    return tuple(part for part in _SEPARATORS.split(name) if part)


def _holds(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Return whether a resolved name begins with the wanted one, or has its several parts anywhere."""
    if parts[: len(wanted)] == wanted:
        return True
    starts = range(1, len(parts) - len(wanted) + 1) if len(wanted) > 1 else ()
    return any(parts[start : start + len(wanted)] == wanted for start in starts)
