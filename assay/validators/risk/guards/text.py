"""Access checks in languages whose functions are not parsed, read line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.validators.changes.change import ChangedFile, ChangeSet, SourceTree, text_at
from assay.validators.languages.source_text import split_source
from assay.validators.risk.changed_code import ChangedCode, definitions
from assay.validators.risk.guards.words import is_asked, is_guard_call, is_guard_decorator

_DECORATOR = re.compile(r"(?:^\s*|\s)[@\[]\s*(?:\w+\.)*([A-Za-z_]\w*)")
_CALL = re.compile(r"^\s*(?:await\s+|return\s+)?(?:[\w$]+(?:\.|::|->|\?\.))*([A-Za-z_$][\w$]*[!?]?)\s*\(")
_PASSED = re.compile(r"[(,\[]\s*(?:[\w$]+\.)*((?:require|ensure|enforce)\w+)\s*(?=[,)\]]|\()")
_RUBY = re.compile(r"^\s*(?:before_action|before_filter)\s+:(\w+)")
_CONDITION = re.compile(r"\b(?:if|unless|elsif|guard|assert|while)\b(.*)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_NEGATION = re.compile(r"!(?!=)|\bnot\b")
_HEADER = re.compile(
    r"\b(?:func|def|fn|fun|function|sub|class|struct|impl|public|private|protected|static|void)\b.*[({]|=>\s*\{"
)
_COMPARED = re.compile(r"[!=]==?")


@dataclass(frozen=True, slots=True)
class TextGuards:
    """Checks lost and inverted, with their line in the head, and checks gained."""

    lost: tuple[tuple[str, int | None], ...]
    gained: Counter[str]
    inverted: tuple[tuple[str, int | None], ...]


def text_guards(change: ChangeSet, file: ChangedFile, code: ChangedCode) -> TextGuards:
    """Compare the checks on the changed lines of one file."""
    if not any(map(_is_guard, _NAME.findall("\n".join((*code.removed.values(), *code.added.values()))))):
        return TextGuards((), Counter(), ())  # most files need no search for comments and literals
    removed = _plain(change.base, file.base_path, code.removed)
    added = _plain(change.head, file.path if file.exists else None, code.added)
    inverted = list(_inverted(removed, added))
    gained = Counter(name for text in added.values() for name in _guards(text))
    if inverted or not file.exists:
        return TextGuards((), gained, tuple(inverted))
    lost = Counter(name for text in removed.values() for name in _guards(text)) - gained
    is_replaced = bool(gained - Counter(name for text in removed.values() for name in _guards(text)))
    stands = [] if is_replaced else list(_standing(change, file, removed))
    places = [
        (name, file.replaced_at(line, line))
        for line in stands
        for name in dict.fromkeys(_guards(removed[line]))
        if lost[name] > 0
    ]
    return TextGuards(tuple(places), gained, ())


def _is_guard(name: str) -> bool:
    return is_asked(name) or is_guard_decorator(name) or is_guard_call(name, is_statement=True)


def _plain(tree: SourceTree, path: str | None, lines: Mapping[int, str]) -> dict[int, str]:
    if path is None or not lines:
        return {}
    code = split_source(text_at(tree, path), path).code_lines
    return {number: code[number - 1] for number in lines if number <= len(code)}


def _guards(text: str) -> Iterator[str]:
    for match in _DECORATOR.finditer(text):
        if is_guard_decorator(match[1]):
            yield f"@{match[1]}"
    call = _CALL.match(text)
    if call is not None and is_guard_call(call[1].rstrip("!?"), is_statement=True) and not _HEADER.search(text):
        yield call[1]
    for pattern in (_PASSED, _RUBY):
        for match in pattern.finditer(text):
            if is_guard_call(match[1], is_statement=pattern is _RUBY):
                yield match[1]
    condition = _CONDITION.search(text)
    for match in _NAME.finditer(condition[1]) if condition else ():
        if is_asked(match[0]):
            yield match[0]


def _standing(change: ChangeSet, file: ChangedFile, removed: Mapping[int, str]) -> Iterator[int]:
    """Yield the removed lines whose function still exists."""
    before = definitions(change.base, file.base_path)
    left = {piece.name for piece in definitions(change.head, file.path)}
    for line, text in removed.items():
        if not any(_guards(text)):
            continue
        around = [piece for piece in before if piece.line <= line <= piece.end_line]
        stands = around[-1].name in left if around else not _is_in_gone_block(file, line)
        if stands:
            yield line


def _is_in_gone_block(file: ChangedFile, line: int) -> bool:
    """Return whether a function's first line is removed together with a line below it."""
    for hunk in file.hunks:
        if hunk.base_start <= line < hunk.base_start + len(hunk.base_lines):
            above = hunk.base_lines[: line - hunk.base_start]
            came = {"".join(one.split()) for one in hunk.head_lines}
            return any(_HEADER.search(one) and "".join(one.split()) not in came for one in above)
    return False


def _inverted(removed: Mapping[int, str], added: Mapping[int, str]) -> Iterator[tuple[str, int]]:
    """Yield conditions that differ only by a negation."""
    before = Counter(_bare(text) for text in removed.values())
    for line, text in added.items():
        name = next((name for name in _guards(text) if is_asked(name)), None)
        if name is None or before[_bare(text)] == 0:
            continue
        twins = [one for one in removed.values() if _bare(one) == _bare(text)]
        if all(_negations(one) % 2 != _negations(text) % 2 for one in twins):
            yield name, line


def _bare(text: str) -> str:
    plain = re.sub(r"\bunless\b", "if", _COMPARED.sub("==", _NEGATION.sub("", text)))
    return "".join(plain.split()).replace("(", "").replace(")", "")


def _negations(text: str) -> int:
    return len(_NEGATION.findall(text)) + len(re.findall(r"!==?", text)) + len(re.findall(r"\bunless\b", text))
