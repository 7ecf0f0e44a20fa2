"""Duplication: blocks the change adds that exist elsewhere, or that it adds twice.

jscpd compares the head's changed files with the files that share lines with the added ones. Only new duplicates
count: one side is in added lines, it was not merely moved, and the place was not a duplicate in the base.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.validators.changes.change import shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in, languages
from assay.validators.quality.duplication.clones import MIN_LINES, Clone, clones
from assay.validators.quality.duplication.new_clones import NewClone, new_clones
from assay.validators.quality.duplication.similar_files import similar_files
from assay.validators.quality.inputs.changed_texts import read_files
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked, Question

COVERED = languages(
    *"python javascript jsx typescript tsx vue svelte go rust java kotlin scala c cpp csharp ruby php".split(),
    *"c-header swift dart lua shell perl".split(),
)
MOST_FINDINGS = 20
CLEARLY_RENAMED = 210
"""Tokens from which a clone with other names is more than info."""


class Duplication:
    """Rule `duplication`."""

    name = "duplication"
    answers = Question.duplication
    covers = COVERED

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield one finding per duplicated block, at the added side, naming the other."""
        changed = [
            (read.file, read.head_text.encode("utf-8", "surrogateescape"))
            for read in read_files(context.change, Nature.source, Nature.test)
            if read.head_text is not None and is_in(read.file.path, COVERED)
        ]
        # jscpd reports each group of equal places relative to its first file: files with most added lines go first.
        changed.sort(key=lambda each: -len(each[0].added))
        gained = [file for file, _ in changed if len(file.added) >= MIN_LINES]
        if not gained:
            return
        candidates = similar_files(context.change, gained, context.deadline)
        yield from candidates.not_checked
        ours = {file.path: content for file, content in changed}
        files = {**ours, **dict(candidates.files), **dict(candidates.near)}
        found = self._clones({**ours, **dict(candidates.files)}, {**ours, **dict(candidates.near)}, context)
        if found is None:
            yield NotChecked(self.name, "the search for duplicates exceeded the tier's time limit")
            return
        new = new_clones(found, files, context.change)
        if new:
            new = self._without_old(new, files, context)
        yield from map(self._finding, new[:MOST_FINDINGS])
        if len(new) > MOST_FINDINGS:
            why = f"only the {MOST_FINDINGS} longest are listed"
            yield NotChecked(f"{len(new) - MOST_FINDINGS} more duplicated blocks", why)

    def _clones(
        self, alike: Mapping[str, bytes], near: Mapping[str, bytes], context: QualityContext
    ) -> list[Clone] | None:
        """Return the clones among files that share lines, and renamed clones among nearby source files."""
        same = clones(list(alike.items()), max(1.0, context.deadline.left_s()))
        nature_of = context.change.nature_of
        source = [(path, content) for path, content in near.items() if nature_of(path, content) is Nature.source]
        renamed = clones(source, max(1.0, context.deadline.left_s()), renamed=True)
        return None if same is None or renamed is None else [*same, *renamed]

    def _without_old(self, new: list[NewClone], files: dict[str, bytes], context: QualityContext) -> list[NewClone]:
        """Drop the places that were duplicates in the base already."""
        change = context.change
        involved = list(dict.fromkeys(path for each in new for path in (each.new.path, each.old.path)))
        before: dict[str, bytes] = {}
        for path in involved:
            file = change.by_path.get(path)
            if file is None:
                before[path] = files[path]
            elif file.base_path is not None and (content := change.base.read(file.base_path)) is not None:
                before[path] = content
        if len(before) == 0:
            return new
        old = self._clones(before, before, context) or []
        return [each for each in new if not each.was_in(old, change)]

    def _finding(self, clone: NewClone) -> Finding:
        new, old = clone.new, clone.old
        where = f"lines {old.start}-{old.end}" if old.path == new.path else f"{shown(old.path)}:{old.start}-{old.end}"
        others = f" and {clone.num_more} more place{'s' if clone.num_more > 1 else ''}" if clone.num_more else ""
        names = " with other names" if clone.is_renamed else ""
        return Finding(
            tier=Tier.quality,
            severity=_severity(clone),
            rule=self.name,
            file=new.path,
            line=new.start,
            end_line=new.end,
            message=f"Lines {new.start}-{new.end}{_in(clone.names[0])} repeat "
            f"{where}{_in(clone.names[1])}{others}{names} ({new.size} lines, {clone.num_tokens} tokens)",
            suggestion=_suggestion(clone),
            tool="jscpd",
            context=f"{old.path} {clone.text}",
        )


def _severity(clone: NewClone) -> Severity:
    is_doubtful = clone.is_renamed and clone.num_tokens < CLEARLY_RENAMED
    return Severity.info if clone.touches_tests or clone.is_for_show or is_doubtful else Severity.warning


def _in(name: str | None) -> str:
    return f" (`{name}`)" if name else ""


def _suggestion(clone: NewClone) -> str:
    names = [f"`{name}`" for name in dict.fromkeys(clone.names) if name]
    shared = f"what {' and '.join(names)} share" if len(names) > 1 else "the shared lines"
    if clone.touches_tests:
        return f"Move {shared} into a fixture or a helper both tests use."
    if clone.new.path == clone.old.path:
        return f"Extract {shared} into one function and call it from both places."
    return f"Extract {shared} into one function that both files import."
