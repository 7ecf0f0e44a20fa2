"""Python code that the change adds and nothing can run: private functions without a use, and unreachable statements."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import ChangedFile, ChangeSet, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.languages.python.module_files import is_module
from assay.validators.languages.python.trees import parsed
from assay.validators.progress import Deadline
from assay.validators.quality.design.finding import design_finding
from assay.validators.quality.design.former_paths import FormerPaths
from assay.validators.report.model import Finding

LARGEST_BYTES = 1024 * 1024
ADDED_SHARE = 0.8
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_NOT_SEARCHED = (".lock", ".svg", ".po", ".csv", ".json.gz", ".png", ".jpg", ".gif", ".ico", ".woff2", ".pdf")


@dataclass(frozen=True, slots=True)
class _Private:
    """Private definition that the change adds, with its kind in messages."""

    file: ChangedFile
    name: str
    kind: str
    line: int
    end_line: int


def dead_code(change: ChangeSet, former: FormerPaths, deadline: Deadline) -> Iterator[Finding]:
    """Yield the private functions and classes of the change that no file of the head mentions, and unreachable code.

    A name counts as mentioned wherever it stands in a file, also in a string or a comment, and where a part of it
    looks like the prefix of a name put together at run time.
    """
    unused: list[_Private] = []
    for file in change.existing(Nature.source):
        if not is_module(file.path) or file.claimed is not None:
            continue
        text = text_at(change.head, file.path)
        module = parsed(text)
        if module is None:
            continue
        before = parsed(text_at(change.base, former.in_base(file.path)))
        with contextlib.suppress(RecursionError):  # statements too deep to print
            yield from _unreachable(file, module, text.split("\n"), before)
        unused += [one for one in _private(file, module) if not _is_mentioned(text, one)]
    unused = [one for one in unused if not _was_there(change, former, one)]
    if unused:
        yield from _unmentioned(change, unused, deadline)


def _private(file: ChangedFile, module: ast.Module) -> Iterator[_Private]:
    """Yield the private functions and classes of a module and methods of its classes without parents that are added."""
    for node in module.body:
        yield from _if_added(file, node, "function")
        if isinstance(node, ast.ClassDef) and not (_parents(node) or node.keywords or node.decorator_list):
            for one in node.body:
                yield from _if_added(file, one, "method")


def _parents(node: ast.ClassDef) -> list[ast.expr]:
    return [one for one in node.bases if not (isinstance(one, ast.Name) and one.id == "object")]


def _if_added(file: ChangedFile, node: ast.stmt, kind: str) -> Iterator[_Private]:
    if not isinstance(node, _Function | ast.ClassDef) or node.decorator_list or not node.name.strip("_"):
        return
    if not node.name.startswith("_") or node.name.endswith("_"):
        return
    end = node.end_lineno or node.lineno
    num = sum(line in file.added for line in range(node.lineno, end + 1))
    if node.lineno in file.added and num >= ADDED_SHARE * (end - node.lineno + 1):
        yield _Private(file, node.name, "class" if isinstance(node, ast.ClassDef) else kind, node.lineno, end)


def _is_mentioned(text: str, one: _Private) -> bool:
    """Return whether the text of the file mentions a definition outside its own lines."""
    lines = text.split("\n")
    outside = "\n".join([*lines[: one.line - 1], *lines[one.end_line :]])
    return _mentions(outside.encode("utf-8", "surrogateescape"), *_patterns(one.name))


def _mentions(content: bytes, whole: re.Pattern[bytes], built: re.Pattern[bytes] | None) -> bool:
    if whole.search(content):
        return True
    return built is not None and _DYNAMIC.search(content) is not None and built.search(content) is not None


_DYNAMIC = re.compile(rb"getattr|globals\(\)|locals\(\)|vars\(|attrgetter|methodcaller|__dict__")
"""Ways to look up a name that is put together at run time."""


def _patterns(name: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes] | None]:
    """Return the patterns of a name, and of parts of it that end or follow a string or placeholder."""
    start = "" if name.startswith("__") else r"(?<!\w)"  # a mangled name follows that of its class
    whole = re.compile(rf"{start}{re.escape(name)}(?!\w)".encode())
    cuts = [match.end() for match in re.finditer(r"(?<=[^_])_", name)]
    begun = [rf"(?<!\w){re.escape(name[:cut])}(?=[\"'{{%]|\$\{{)" for cut in cuts]
    rest = [rf"(?:\}}|%s|\+\s*f?[\"']){re.escape(name[cut - 1 :])}(?!\w)" for cut in cuts]
    return whole, re.compile("|".join([*begun, *rest]).encode()) if cuts else None


def _was_there(change: ChangeSet, former: FormerPaths, one: _Private) -> bool:
    """Return whether the base had the definition, here or in a place that the change removes it from."""
    start = re.compile(rf"\s*(?:async\s+)?(?:def|class)\s+{re.escape(one.name)}\b")
    before = text_at(change.base, former.in_base(one.file.path))
    return any(map(start.match, before.split("\n"))) or any(
        start.match(line) for file in change.files for line in file.removed.values()
    )


def _unmentioned(change: ChangeSet, unused: list[_Private], deadline: Deadline) -> Iterator[Finding]:
    """Yield the definitions that no other file of the head mentions."""
    left = {one: _patterns(one.name) for one in unused}
    paths = [path for path in change.head.paths if not path.endswith(_NOT_SEARCHED)]
    for path, content in change.head.read_many(paths, LARGEST_BYTES):
        deadline.check("dead code")
        # A file too large to read may use any of them.
        if content is None:
            if path.endswith(suffixes("python", "cython", "notebook")):
                return
            continue
        for one, patterns in list(left.items()):
            if path != one.file.path and _mentions(content, *patterns):
                del left[one]
        if not left:
            return
    for one in left:
        message = f"nothing uses the new {one.kind} `{one.name}`: no other place in the tree mentions it"
        yield design_finding("dead-code", one.file.path, one.line, message, f"{one.kind} {one.name}")


def _unreachable(
    file: ChangedFile, module: ast.Module, lines: Sequence[str], before: ast.Module | None
) -> Iterator[Finding]:
    """Yield the statements after the end of their block that the change adds, or cuts off by an end it adds.

    `before` is the base's module: the same statements that were unreachable there are only moved or rewritten.
    """
    cuts = [(end, rest) for end, rest in _cut_off(module) if _is_new(file, end, rest[0])]
    old = {ast.unparse(rest[0]) for _, rest in _cut_off(before)} if cuts and before is not None else set()
    for end, rest in cuts:
        first, last = rest[0], rest[-1].end_lineno or rest[-1].lineno
        if ast.unparse(first) in old:
            continue
        part = f"line {first.lineno}" if last == first.lineno else f"lines {first.lineno}-{last}"
        message = f"{part} never run: the `{type(end).__name__.lower()}` in line {end.lineno} ends the block"
        line = first.lineno if first.lineno in file.added else end.lineno
        context = "".join(lines[first.lineno - 1 : first.lineno]).strip()
        yield design_finding("dead-code", file.path, line, message, f"unreachable {context}")


def _cut_off(module: ast.Module) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """Yield the ends of blocks and the statements after them, except a `yield`, which makes a generator, or a note."""
    for node in ast.walk(module):
        for block in _blocks(node):
            index = next((index for index, one in enumerate(block) if isinstance(one, _ENDS)), len(block))
            rest = block[index + 1 :]
            if rest and not _makes_generator(rest) and not _is_note(rest[0]):
                yield block[index], rest


def _is_new(file: ChangedFile, end: ast.stmt, first: ast.stmt) -> bool:
    ends = range(end.lineno, (end.end_lineno or end.lineno) + 1)
    return first.lineno in file.added or any(line in file.added for line in ends)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _makes_generator(rest: list[ast.stmt]) -> bool:
    """Return whether unreachable statements have a `yield`, which makes the function a generator."""
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for part in rest for one in ast.walk(part))


def _is_note(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
