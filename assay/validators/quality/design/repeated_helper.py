"""A Python function that the change adds although another does the same: the same body, with other names at most."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from assay.validators.changes.change import ChangedFile, ChangeSet, shown, text_at
from assay.validators.changes.classify import Nature
from assay.validators.configuration.model import DuplicationLimits
from assay.validators.languages.python.module_files import is_module
from assay.validators.languages.python.trees import parsed
from assay.validators.progress import Deadline
from assay.validators.quality.design.finding import design_finding
from assay.validators.quality.design.former_paths import FormerPaths
from assay.validators.quality.design.function_shape import Shape, names_in, same_meaning, shapes_of
from assay.validators.report.model import Finding

MOST_READ = 8_000
"""Source files of the base that are searched, nearest first."""
LARGEST_BYTES = 512 * 1024
ADDED_SHARE = 0.8
"""Share of a function's lines that must be added lines; less is an edit."""
_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg")
_TOKEN = re.compile(r"""\"[^\"\n]*\"|'[^'\n]*'|\w+|[^\w\s]""")


def repeated_helpers(
    change: ChangeSet, former: FormerPaths, limits: DuplicationLimits, deadline: Deadline
) -> Iterator[Finding]:
    """Yield the added functions whose body is that of an existing one that the head still has.

    Functions as long as `duplication` reports are left to it. Left out are tests, examples, overrides and methods with
    the same name, functions with decorators, and names that mean something else in the other module.
    """
    added = {file.path: shapes for file in _python(change) if (shapes := list(_added(change, former, file)))}
    if not added:
        return
    wanted = {shape.key: shape.words for shapes in added.values() for shape in shapes}
    existing = _existing(change, former, wanted, deadline)
    for path, shapes in added.items():
        text = text_at(change.head, path)
        for shape in shapes:
            same = [one for one in existing.get(shape.key, ()) if _is_repeated(change, shape, path, *one)]
            if not same or any(
                _is_reported(text, shape, text_at(change.head, other), old, limits) for old, other in same
            ):
                continue
            old, other = same[0]
            message = f"`{shape.qualified}` does what `{old.qualified}` ({shown(other)}:{old.line}) does: the same body"
            if _body(text, shape) != _body(text_at(change.head, other), old):
                message += " with other names"
            yield design_finding("repeated-helper", path, shape.line, message, f"{shape.qualified} {old.qualified}")


def _python(change: ChangeSet) -> Iterator[ChangedFile]:
    for file in change.existing(Nature.source):
        if is_module(file.path) and not file.is_example and file.claimed is None:
            yield file


def _added(change: ChangeSet, former: FormerPaths, file: ChangedFile) -> Iterator[Shape]:
    """Yield the functions of a file that its base version lacks."""
    if not any("def " in line for line in file.added.values()):
        return
    module = parsed(text_at(change.head, file.path))
    if module is None:
        return
    before = parsed(text_at(change.base, former.in_base(file.path)))
    known = names_in(before) if before is not None else set()
    for shape in shapes_of(module, file.path, file.added):
        num = sum(line in file.added for line in range(shape.line, shape.end_line + 1))
        if shape.qualified not in known and num >= ADDED_SHARE * (shape.end_line - shape.line + 1):
            yield shape


def _existing(
    change: ChangeSet, former: FormerPaths, wanted: dict[str, frozenset[str]], deadline: Deadline
) -> dict[str, list[tuple[Shape, str]]]:
    """Return key -> the functions of the base with it, and their files in the head; none if one is gone: it moved."""
    folders = {file.path.rpartition("/")[0].partition("/")[0] for file in change.files}
    paths = [path for path in change.base.paths if is_module(path) and change.nature_of(path) is Nature.source]
    paths.sort(key=lambda path: path.partition("/")[0] not in folders)
    words = [[word.encode("utf-8", "surrogateescape") for word in each] for each in wanted.values() if each]
    found: dict[str, list[tuple[Shape, str]]] = {}
    moved: set[str] = set()
    for path, content in change.base.read_many(paths[:MOST_READ], LARGEST_BYTES):
        deadline.check("repeated helpers")
        if content is None or not (lines := _lines_with(content, words)):
            continue
        now = former.in_head(path)
        before, after = (parsed(text_at(tree, one)) for tree, one in ((change.base, path), (change.head, now)))
        old = {one.qualified: one.key for one in shapes_of(before, now, lines)} if before is not None else {}
        new = {one.qualified: one for one in shapes_of(after, now)} if after is not None and old else {}
        for name, key in old.items():
            shape = new.get(name)
            if shape is not None and shape.key == key:
                found.setdefault(key, []).append((shape, now))
            else:
                moved.add(key)
    return {key: places for key, places in found.items() if key not in moved}


_DEF = re.compile(rb"^([ \t]*)(?:async[ \t]+)?def[ \t]", re.MULTILINE)


def _lines_with(content: bytes, wanted: list[list[bytes]]) -> set[int]:
    """Return the lines of the functions whose text has all words of one of the wanted functions."""
    left = [words for words in wanted if all(word in content for word in words)]
    if not left:
        return set()
    starts = [(match.start(), len(match[1])) for match in _DEF.finditer(content)]
    found: set[int] = set()
    for index, (start, indent) in enumerate(starts):
        end = next((other for other, width in starts[index + 1 :] if width <= indent), len(content))
        part = content[start:end]
        if any(all(word in part for word in words) for words in left):
            found.add(content.count(b"\n", 0, start) + 1)
    return found


def _is_repeated(change: ChangeSet, shape: Shape, path: str, old: Shape, other: str) -> bool:
    file = change.by_path.get(other)
    if (file is not None and file.is_example) or _project(change, path) != _project(change, other):
        return False
    if (shape.owner and old.owner and shape.name == old.name) or (path, shape.qualified) == (other, old.qualified):
        return False
    return all(meaning and same_meaning(meaning, old.free.get(name, "")) for name, meaning in shape.free.items())


def _project(change: ChangeSet, path: str) -> str:
    """Return the nearest folder above a file that has its own project file."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        if any(f"{folder}/{name}".lstrip("/") in change.head for name in _PROJECTS):
            return folder
    return ""


def _body(text: str, shape: Shape) -> list[str]:
    return _lines(text.split("\n")[shape.body_line - 1 : shape.end_line])


def _lines(lines: Iterable[str]) -> list[str]:
    return [stripped for line in lines if (stripped := line.strip())]


def _is_reported(text: str, shape: Shape, other: str, old: Shape, limits: DuplicationLimits) -> bool:
    """Return whether `duplication` reports a repeated function: alone, or as a part of a longer copied block."""
    lines, least = _body(text, shape), limits.min_renamed_tokens
    if lines == _body(other, old):
        ours, theirs = text.split("\n"), other.split("\n")
        above = zip(_lines(ours[: shape.body_line - 1])[::-1], _lines(theirs[: old.body_line - 1])[::-1], strict=False)
        below = zip(_lines(ours[shape.end_line :]), _lines(theirs[old.end_line :]), strict=False)
        before = [one for one, _ in takewhile(_are_same, above)]
        lines, least = [*before[::-1], *lines, *(one for one, _ in takewhile(_are_same, below))], limits.min_tokens
    return len(lines) >= limits.min_lines and len(_TOKEN.findall("\n".join(lines))) >= least


def _are_same(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]
