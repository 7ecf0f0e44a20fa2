"""New clones of a change: neither old, moved nor boilerplate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.validators.changes.change import ChangeSet, decoded
from assay.validators.changes.classify import Nature
from assay.validators.languages.source_text import split_source
from assay.validators.quality.duplication.clones import MIN_LINES, MIN_TOKENS, Clone, Side
from assay.validators.quality.inputs.definitions import definitions
from assay.validators.quality.inputs.line_origins import head_line

ADDED_SHARE = 0.6
"""Share of a place's lines that must be added lines; less is an edit inside an old block."""

MOVED_SHARE = 0.6
"""Share of a place's lines that the same change removed elsewhere, from which it is a move."""

SAME_SIZE = 0.9
"""Share of a block's lines that another place repeats to be counted with it."""
TEST_FACTOR = 2
"""Factor on the minimum length between tests, which repeat themselves on purpose."""

DENSITY = 4.5
"""Minimum mean tokens per line for a renamed clone: a thinner block is a list, not steps."""

# Lines that every file has, that declare parameters or fields, or that hold data: nothing to extract.
_FORM = re.compile(
    # Declarations: overloads, protocols, traits and interfaces repeat each other by nature.
    r"^\s*(?:(?:async\s+)?def\s+\w+\(.*|\)\s*(?:->[^:]{1,200})?:\s*(?:\.\.\.)?$|\.\.\.$|(?:pub\s+)?(?:async\s+|unsafe\s+|const\s+)*fn\s.*;$"
    r"|(?:export\s+)?(?:declare\s+)?(?:async\s+)?function\b[^{}]*;$|[\w$]+\??\([^{}]*\)\s*:\s*[^{}]+;$)|"
    r"^\s*(?:import\b|from\b|export\s+(?:\*|\{)|#include|#import|using\b|use\b|package\b|require\b|@\w+|[\])}>;,(\[{]*$"
    r"|[\"'\w.\-]+\s*:?\s*,?$|[\"'][^\"']*[\"']\s*[:,]|\w+\s*[:=]\s*[\"'\d][^()]*,?$"
    r"|\*{0,2}(?:readonly\s+)?\w+\??\s*:\s*[\w\[\]|.<> \"'?]+(?:=\s*[\w.\"'\[\]{}]+)?[,;]$)"
)

_SHOWN = re.compile(r"(?:^|/)[^/]*(?:example|sample|demo|tutorial|playground|benchmark)[^/]*/", re.IGNORECASE)
"""Natures of files that are read or tried out, and repeat themselves on purpose."""


@dataclass(frozen=True, slots=True)
class NewClone:
    """Block the change adds (`new`) and the one it repeats (`old`); `names` are the functions around them."""

    new: Side
    old: Side
    num_tokens: int
    text: str
    names: tuple[str | None, str | None]
    touches_tests: bool
    is_for_show: bool
    is_renamed: bool
    num_more: int = 0

    def was_in(self, base: Sequence[Clone], change: ChangeSet) -> bool:
        """Return whether the new place was a duplicate before; `base` holds the base's clones with the head's paths."""
        return any(
            _overlap(_in_head(side, change), self.new) >= 0.5 for clone in base for side in (clone.one, clone.other)
        )


def new_clones(found: Sequence[Clone], files: Mapping[str, bytes], change: ChangeSet) -> list[NewClone]:
    """Return the clones the change makes, longest first, one per added block."""
    texts = {path: decoded(files[path]) for path in {side.path for clone in found for side in (clone.one, clone.other)}}
    removed = Counter(line.strip() for file in change.files for line in file.removed.values())
    kept: list[NewClone] = []
    longest_first = sorted(found, key=lambda each: (each.is_renamed, -each.num_tokens, each.one.path, each.one.start))
    for clone in longest_first:
        new = _made(clone, texts, change, removed)
        if new is None:
            continue
        same = next((i for i, other in enumerate(kept) if _overlap(new.new, other.new) >= 0.5), None)
        if same is None:
            kept.append(new)
        elif _overlap(new.old, kept[same].old) == 0 and new.new.size >= SAME_SIZE * kept[same].new.size:
            kept[same] = replace(kept[same], num_more=kept[same].num_more + 1)
    return kept


def _made(clone: Clone, texts: Mapping[str, str], change: ChangeSet, removed: Counter[str]) -> NewClone | None:
    """Return the clone if the change makes it, else None."""
    sides = sorted((clone.one, clone.other), key=lambda side: (_added_share(side, change), side.path, side.start))
    old, new = sides
    if _added_share(new, change) < ADDED_SHARE or _overlap(old, new) > 0:
        return None
    lines = texts[new.path].split("\n")[new.start - 1 : new.end]
    if _is_moved(lines, removed) or _num_steps(lines, new.path) < MIN_LINES - 2:
        return None
    natures = [change.nature_of(side.path) for side in (new, old)]
    if any(nature not in (Nature.source, Nature.test) for nature in natures):
        return None
    if clone.is_renamed and clone.num_tokens < DENSITY * new.size:
        return None
    tests = natures.count(Nature.test)
    if tests == 2 and (new.size < TEST_FACTOR * MIN_LINES or clone.num_tokens < TEST_FACTOR * MIN_TOKENS):
        return None
    for_show = any(_SHOWN.search(side.path) for side in sides)
    names = (_function_at(new, texts[new.path]), _function_at(old, texts[old.path]))
    text = "\n".join(line.strip() for line in lines)
    return NewClone(new, old, clone.num_tokens, text, names, tests > 0, for_show, clone.is_renamed)


def _added_share(side: Side, change: ChangeSet) -> float:
    file = change.by_path.get(side.path)
    if file is None:
        return 0.0
    return sum(line in file.added for line in range(side.start, side.end + 1)) / side.size


def _overlap(one: Side, other: Side) -> float:
    """Return the share of the smaller place that overlaps the other."""
    if one.path != other.path:
        return 0.0
    shared = min(one.end, other.end) - max(one.start, other.start) + 1
    return max(0, shared) / min(one.size, other.size)


def _in_head(side: Side, change: ChangeSet) -> Side:
    file = change.by_path.get(side.path)
    if file is None:
        return side
    start = head_line(file, side.start)
    return Side(side.path, start, max(start, head_line(file, side.end)))


def _is_moved(lines: Sequence[str], removed: Counter[str]) -> bool:
    telling = [stripped for line in lines if len(stripped := line.strip()) > 3]
    return bool(telling) and sum(removed[line] > 0 for line in telling) / len(telling) >= MOVED_SHARE


def _num_steps(lines: Sequence[str], path: str) -> int:
    """Return the number of lines with a statement that could be extracted."""
    code = split_source("\n".join(lines), path).code_lines
    return sum(bool(line.strip()) and not _FORM.match(line) for line in code)


def _function_at(side: Side, text: str) -> str | None:
    """Return the function a place begins in, or the first that begins in it."""
    found = [each for each in definitions(side.path, text) if each.line <= side.end]
    # A block may begin with the decorators of its function.
    begun = [each.name for each in found if side.start <= each.line <= side.start + 4]
    before = [each.name for each in found if each.line < side.start]
    inside = [each.name for each in found if each.line > side.start]
    return next(iter((*begun[:1], *before[-1:], *inside)), None)
