"""Edits that change no code, by the tokens of each language: documents, comments, docstrings, formatting and the like.

A maintainer may skip reading such an edit, so attackers aim at it: what is not certain is code. Comments that a tool
may read are code, and so are examples in documents and docstrings, which tests and pages may run.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.validators.changes.change import SOURCE_LIMIT, ChangedFile, ChangeSet, FileKind, FileStatus, SourceTree
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import language_of
from assay.validators.languages.engine.row import MOST_ANGLES
from assay.validators.languages.engine.rows import ROWS, script_row
from assay.validators.languages.source_text import has_dialect, split_source

if TYPE_CHECKING:
    import tree_sitter

KINDS = ("documentation", "comments", "docstrings", "formatting", "line endings", "notebook outputs", "file modes")
_DOCUMENT = re.compile(
    r"(?i)(?!(.*/)?(\.|LICEN[SC]E|COPYING|NOTICE))(.+\.(md|markdown|rst|adoc)|(.*/)?docs?/.+\.txt|(.*/)?README)"
)
_EXAMPLE = re.compile(
    r"(?im)>>>|<\s{0,9}(?:script|iframe|style|object|embed)|<[^>\n]{0,500}\son\w{1,30}\s{0,9}=|javascript:"
    r"|^[ \t]{0,40}(?:[`~]{3,9}\s{0,9}\{|\.\. {1,9}(?:\w{0,9}include|raw|exec|code-cell|jupyter|test|doctest|plot))"
    r"|^(?:im|ex)port\s"
)
# A mark, `name:`, `key=value` or a word by which a tool may know its comment: rather too many.
_ACTS = re.compile(
    r"(?im)^(?:#|//|/\*)!|^//[a-z#@]|^[^\w\n]{0,40}///|^[^\w\n]{0,40}\+\w|(?<!\w)@|\w:(?!//)\S|[=<${}]|[#@]__|-\*-"
    r"|^[^\w\n]{0,40}(?!(?:todo|fixme|note|xxx|hack|bug|example|usage|spdx-license-identifier):)[\w-]+:(?!//)"
    r"|^[^\w\n]{0,40}(?:globals?|exported|export|literal)\b|\b(?:ignored?|disabled?|enabled?|skip|off)\b|suppress|generated"
    r"|no[ -]?(?:qa|sec|sem|sonar|inspection|cover|branch|check|type|verify|format)|lint\b|hint\b|fmt|pragma"
    r"|[-_]format\b|\b(?:mypy|py(?:right|re|type)|ruff|flake8|isort|yapf|black|cython|coverage|istanbul|[cv]8)\b"
    r"|\b(?:webpack|vite|prettier|biome|deno|flow|jsx)\b"
)
# A comment that only silences a checker: without it no code runs otherwise, and a checker may find more.
_SILENCES = re.compile(
    r"(?:#|//|/\*)[ \t]{0,9}(?:type:[ ]?ignore|noqa|nosec|nosemgrep|pragma: ?no ?cover|(?:mypy|pyright): ?ignore"
    r"|pylint: ?disable|eslint-disable(?:-next)?-line|@ts-(?:ignore|expect-error)|biome-ignore|prettier-ignore)"
    r"(?![\w-])[^\n]{0,300}"
)
# What makes comments more: requirements of a script, markup, the output of an example, C in Go, Java's escapes.
_MORE = re.compile(
    r"(?im)^#[ \t]{0,9}///|<!--|-->|/[/*]\W{0,40}(?:unordered )?output:|\\u+00(?:0[ad]|2[27af]|5c)"
    r"|^[ \t]{0,40}(?:import[ \t]{1,40})?[\"`]C[\"`]"
)
# Nodes whose white space counts.
_WHOLE = re.compile(r"comment$|string|heredoc|char|regex|template_|text|preproc_arg|literal_type")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
_QUOTES = re.compile(r"^[a-zA-Z]{0,2}(?=['\"])|['\"\\]")
# Languages with a reader here in whose strings `\r\n` stays what it is.
_KEEPS_LINE_END = frozenset(("php", "csharp"))
_Comment = tuple[str, Collection[int]]
# What the text means; what each kind of edit may change; its comments with their lines.
_Source = tuple[object, Mapping[str, object], Sequence[_Comment]]
_Reader = Callable[[str, str], _Source]


def is_inert(change: ChangeSet, file: ChangedFile) -> bool:
    """Return whether an edit changes neither code nor a comment that a tool may read; False where that is unknown.

    In languages that have no reader here, patterns tell comments from code: enough for advice.
    """
    return bool(inert_kinds(change, file, _lines if has_dialect(file.path) else None)[0])


def inert_kinds(change: ChangeSet, file: ChangedFile, other: _Reader | None = None) -> tuple[Collection[str], int]:
    """Return the `KINDS` that together are the edit of a file, none where it may be more; and the characters read.

    `other` reads the languages that have no reader here.
    """
    modes = {"file modes"} if file.is_mode_changed else set()
    if file.base_blob == file.head_blob:
        return modes if file.status is FileStatus.modified else (), 0
    try:
        base = _text(change.base, file.base_path) if file.base_blob else ""
        head = _text(change.head, file.path) if file.head_blob else ""
        kinds = _kinds(file, base, head, other)
    except Exception:  # noqa: BLE001 - whatever hostile text does to a parser, nothing is claimed
        return (), 0
    return modes | kinds if kinds else (), len(base) + len(head)


def _text(tree: SourceTree, path: str | None) -> str:
    content = tree.read(path or "", SOURCE_LIMIT)
    if content is None:
        raise ValueError("it is too large")
    return content.decode()


def _kinds(file: ChangedFile, base: str, head: str, other: _Reader | None) -> set[str]:
    lines = "".join((*file.added.values(), *file.removed.values())).replace("\t", "")
    if file.kind is not FileKind.text or file.unreadable or file.is_converted or not lines.isprintable():
        return set()
    if file.nature is Nature.docs and all(map(_DOCUMENT.fullmatch, (file.path, file.base_path or file.path))):
        return {"documentation"} if _examples(base) == _examples(head) else set()
    row = language_of(file.typed_path)
    if row is None or file.status is not FileStatus.modified:
        return set()
    read = _READERS.get(row.key, other)
    before, after = base.replace("\r\n", "\n"), head.replace("\r\n", "\n")
    if before == after:
        is_free = row.key == "css" or (read is not None and row.key not in _KEEPS_LINE_END)
        return {"line endings"} if is_free and not head.startswith("#!") else set()
    is_more = read is not _notebook and any(map(_MORE.search, (before, after)))
    if read is None or is_more or ("\r" in base) != ("\r" in head):
        return set()
    (code, parts, said), (new_code, new_parts, new_said) = (read(one, file.typed_path) for one in (before, after))
    silent = [one for one in said if not _SILENCES.fullmatch(one[0])]
    if code != new_code or _acts(silent, file.removed) or _acts(new_said, file.added):
        return set()
    kinds = {"comments"} if [one for one, _ in said] != [one for one, _ in new_said] else set()
    return kinds | {kind for kind, part in parts.items() if part != new_parts[kind]} or {"formatting"}


def _examples(text: str) -> list[list[str]]:
    """Return the paragraphs of a document or docstring that may be run."""
    return [part.split() for part in re.split(r"\n\s*\n", text) if _EXAMPLE.search(part)]


def _acts(comments: Sequence[_Comment], lines: Collection[int]) -> bool:
    """Return whether a comment that a tool may read is on one of the lines."""
    return any(_ACTS.search(said) and any(row in lines for row in rows) for said, rows in comments)


def _python(text: str, _: str) -> _Source:
    with warnings.catch_warnings(action="ignore"):
        tree = ast.parse(text)
    docstrings: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node, clean=False)) is not None:
            docstrings[node.body.pop(0).lineno] = docstring
    tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    said = [(one.string, one.start[:1]) for one in tokens if one.type == tokenize.COMMENT]
    in_docstring = {(tokenize.STRING, line) for line in docstrings}
    words = [one for one in tokens if one.type not in _LAYOUT and (one.type, one.start[0]) not in in_docstring]
    # Another spelling of a name or a string is not formatting, though it means the same.
    spelled = "".join(_QUOTES.sub("", one.string) for one in words if one.type != tokenize.OP).lower()
    code = ast.dump(tree), spelled, _examples("\n\n".join(docstrings.values()))
    layout = [(one.string, one.start[1]) for one in words]
    return code, {"docstrings": [*docstrings.values()], "formatting": layout}, said


def _tree(text: str, path: str) -> _Source:
    """Read the leaves of a syntax tree, each with whether it begins a line."""
    data = text.encode()
    if data.count(b"<") - data.count(b">") > MOST_ANGLES:
        raise ValueError("it takes too long")
    nodes = [_parser(path).parse(data).root_node]
    has_error, leaves = nodes[0].has_error, []
    while nodes:
        node = nodes.pop()
        if node.child_count and not _WHOLE.search(node.type):
            nodes += reversed(node.children)
        else:
            leaves.append((node.type, data[node.start_byte : node.end_byte], node.start_point, node.end_point[0]))
    if has_error or b"".join(b"".join(one[1] for one in leaves).split()) != b"".join(data.split()):
        raise ValueError("a part of it is not understood")
    said: list[_Comment] = []
    for kind, one, at, end in leaves:
        if kind.endswith("comment"):
            comment, rows = one.decode(), range(at[0] + 1, end + 2)
            # Each line of documentation has its own tag; another comment is read as a whole.
            lines = comment.split("\n") if comment.startswith("/**") else [comment]
            said += zip(lines, ([row] for row in rows) if len(lines) > 1 else [rows], strict=True)
    words = [one[1:] for one in leaves if not one[0].endswith("comment")]
    ends = (len(data), *(end for _, _, end in words))
    code = [(one, at[0] > end) for (one, at, _), end in zip(words, ends, strict=False)]
    return code, {"formatting": [at[1] for _, at, _ in words]}, said


def _parser(path: str) -> tree_sitter.Parser:
    import tree_sitter
    import tree_sitter_toml

    row = language_of(path)
    if row is not None and row.key in ROWS:
        return (script_row(path) if row.family == "javascript" else ROWS[row.key]).parser
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_toml.language()))


def _lines(text: str, path: str) -> _Source:
    """Read the lines without comments; white space counts."""
    source = split_source(text, path)
    said = [(one.text, (one.line,)) for one in source.comments]
    commented = {one.line for one in source.comments}
    code = [line for at, line in enumerate(source.bare_lines, 1) if line.strip() or at not in commented]
    return code, {}, said


def _notebook(text: str, _: str) -> _Source:
    data = json.loads(text)
    cells = [cell for cell in data["cells"] if cell["cell_type"] == "code"]
    run = [(one.pop("outputs"), one.pop("execution_count"), one["metadata"].pop("execution", None)) for one in cells]
    return repr(data), {"notebook outputs": repr(run)}, ()


_READERS: Mapping[str, _Reader] = {
    **dict.fromkeys((*ROWS, "toml"), _tree),
    "python": _python,
    "notebook": _notebook,
}
