"""Python: names, arguments and attributes, as far as source text shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from assay.validators.change import ChangedFile, ChangeSet, SourceTree, shown
from assay.validators.contracts.contract import Break, BreakKind, Search, Use
from assay.validators.contracts.python.changes import Changes, altered_names, definition_lines
from assay.validators.contracts.python.scopes import SourceFile
from assay.validators.contracts.python.side import PythonSide, Value, parsed_file
from assay.validators.contracts.python.uses import Uses
from assay.validators.language_table import languages
from assay.validators.report.model import NotChecked

_BUILD_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".gitignore", "MANIFEST.in", "hatch_build.py")


class PythonContract:
    """The member of the register."""

    name = "python"
    covers = languages("python")

    def breaks(self, search: Search) -> Iterator[Break | NotChecked]:
        """Breaks in modules that changed, moved or went."""
        change, deadline = search.change, search.deadline
        base_files: dict[str, SourceFile | None] = {}
        head_files: dict[str, SourceFile | None] = {}
        is_altered = bool(search.gone)
        for path in search.kept:
            if is_altered:  # enough to need the import graph
                break
            deadline.check("contracts")
            before = base_files[path] = parsed_file(change.base, path)
            after = head_files[path] = parsed_file(change.head, path)
            is_altered = bool(altered_names(before, after))
        if not is_altered:
            return
        head = PythonSide(change.head, search.head_graph, deadline, head_files)
        base = PythonSide(change.base, search.base_graph, deadline, base_files)
        changes = Changes(base, head)
        for path in search.kept:
            changes.compare(path)
        for path in search.gone:
            changes.gone(path)
        texts, notes = search.candidates(changes.names | {_stem(path) for path in search.gone} - {""})
        yield from notes
        uses: list[Use] = []
        files = [file for path in texts if (file := head.file(path)) is not None]
        for file in files:
            try:
                uses += Uses(base, head, changes).broken(file)
            except RecursionError:
                yield NotChecked(f"uses of changed symbols in {shown(file.path)}", "it is nested too deeply")
        modules = {use.file for use in uses if use.kind is BreakKind.module}
        built = {path for path in modules if _is_built(change.head, path)}
        certain = (
            use
            for use in uses
            if (use.kind is not BreakKind.module or use.file not in built)
            and (use.receiver is None or not _is_elsewhere(use, head, files))
        )
        yield from search.breaks(certain, partial(_line_of, change))


def _line_of(change: ChangeSet, file: ChangedFile, use: Use) -> int | None:
    if use.kind is BreakKind.arguments:
        lines = definition_lines(parsed_file(change.head, file.path), use.symbol)
        return lines[0] if lines is not None else None
    lines = definition_lines(parsed_file(change.base, use.file), use.symbol)
    return file.replaced_at(*lines) if lines is not None else None


def _is_built(tree: SourceTree, path: str) -> bool:
    """Whether a module that is gone may be made when the package is built, or is written in another language."""
    stem, folder = _stem(path), path.rpartition("/")[0]
    if any(other.rpartition("/")[0] == folder and _stem(other) == stem for other in tree.paths):
        return True
    name = path.rpartition("/")[2].encode("utf-8", "surrogateescape")
    return any(name in (tree.read(file) or b"") for file in _BUILD_FILES)


def _is_elsewhere(use: Use, head: PythonSide, files: Sequence[SourceFile]) -> bool:
    """Whether a subclass may define an attribute, or code outside the class assigns it."""
    name = use.symbol.rpartition(".")[2]
    for file in files:
        if name in file.foreign_stores:
            return True
        for qualname in file.classes:
            lineage = head.lineage(file.path, qualname)
            is_below = use.receiver in lineage.classes and (file.path, qualname) != use.receiver
            if is_below and isinstance(head.member(Value("instance", file.path, qualname), name), Value):
                return True
    return False


def _stem(path: str) -> str:
    """The name a module is imported by."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem == "__init__" else stem
