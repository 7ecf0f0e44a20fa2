"""Escaping of untrusted text for Markdown, XML and terminals.

`visible`   one line; control, bidi and zero-width characters become escapes
`code`      Markdown code span that its content cannot close
`prose`     Markdown text without links, mentions, images, HTML or markup
`fenced`    code block that its content cannot close
`xml_text`  text valid in XML 1.0

GitHub links @names, #123, commit ids, GH-1 and addresses after rendering Markdown, so a backslash or an entity does not
escape them. It does not link inside code, so such words become code spans.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice

MOST_PROSE = 600
MOST_CODE = 200
MOST_LINE = 500

# An unterminated sequence does not match: it must not remove the rest of a line.
_ANSI = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[ -/]{0,8}[0-OQ-WYZ`-~])"
    r"|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]"
)
_UNUSUAL = re.compile(r"[^\x20-\x7e]")
# Invisible characters that Unicode classifies as letters or marks: fillers, a joiner, the blank braille cell.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_STACKED = re.compile(r"([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})"
                      r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")  # fmt: skip

_CODE_SPAN = re.compile(r"(?<!`)`([^`]{1,300})`(?!`)")
_ACTIVE = re.compile(
    r"@[\w-]"  # a user, or an address
    r"|#\d|(?<![0-9A-Za-z])GH-\d"  # an issue
    r"|(?<![0-9A-Za-z_])[0-9a-f]{7,64}(?![0-9A-Za-z_])"  # a commit
    r"|://|www\.|(?:mailto|xmpp):"
    r"|(?<!:):[a-z+-][\w+-]*:(?!:)"  # an emoji, some of which are pictures
    r"|(?<![0-9A-Za-z])(?:CVE-\d|GHSA-\w)",
    re.ASCII | re.IGNORECASE,
)
_OPENING, _CLOSING = "([{<\"'“«", ")]}>\"'”».,;:!?…"
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_MARKUP = re.compile(r"[\\`*_\[\]~|$<>&]")
_ENTITY = {"`": "&#96;", "$": "&#36;", "<": "&lt;", ">": "&gt;", "&": "&amp;"}
_BEGINS_A_BLOCK = re.compile(r"([#+=:>-]|\d{1,9}(?=[.)](?:\s|$)))")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def visible(text: str, most: int = 0) -> str:
    r"""Return one line without terminal sequences, invisible characters as `\xNN` or `\uNNNN`, cut at `most`."""
    text = _ANSI.sub("", text[: most * 10] if most else text)
    text = _STACKED.sub(r"\1", _UNUSUAL.sub(_seen, text)).strip()
    return text if not most or len(text) <= most else text[: most - 1].rstrip() + "…"


def visible_lines(lines: Iterable[str], most: int = MOST_LINE) -> list[str]:
    """Escape lines of output, each cut at `most`; keep indentation, with tabs as spaces."""
    return [_cut(_UNUSUAL.sub(_seen, _ANSI.sub("", line).expandtabs(4)).rstrip(), most) for line in lines]


def code(text: str, most: int = MOST_CODE, *, cell: bool = False) -> str:
    """Return a code span; long text is cut in the middle. In a table `cell`, `|` is escaped too."""
    text = visible(text)
    if most and len(text) > most:
        text = text[: most // 3] + "…" + text[-(most - most // 3 - 1) :]
    if not text:
        return "`(empty)`"
    if cell:
        text = text.replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def prose(text: str, most: int = MOST_PROSE, *, cell: bool = False) -> str:
    """Escape untrusted text as Markdown; keep code spans, and turn words that GitHub would link into code spans."""
    out: list[str] = []
    for is_code, part in _joined(_pieces(visible(text, most))):
        out.append(code(part, 0, cell=cell) if is_code else _MARKUP.sub(_escaped, part))
    shown = "".join(out)
    if not shown and not cell:
        # An empty list item turns the line above it into a heading.
        return "(nothing)"
    begin = _BEGINS_A_BLOCK.match(shown)
    if begin is None:
        return shown
    return "\\" + shown if not begin[1].isdigit() else begin[1] + "\\" + shown[begin.end() :]


def fenced(lines: Iterable[str], language: str = "text") -> str:
    """Return a code block of these lines."""
    body = "\n".join(visible_lines(lines))
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def fitting(items: Iterable[str], total: int, most: int, most_bytes: int) -> tuple[list[str], int]:
    """Return the first items that fit both limits, and how many of `total` do not; consume no further items."""
    kept: list[str] = []
    size = 0
    for item in islice(items, most):
        size += len(item.encode()) + 1
        if size > most_bytes:
            break
        kept.append(item)
    return kept, total - len(kept)


def xml_text(text: str, most: int = 0) -> str:
    """Escape characters that XML does not allow; keep line ends."""
    text = _ANSI.sub("", text)
    text = _NOT_XML.sub(lambda found: _escape(found[0]), text)
    return text if not most or len(text) <= most else text[: most - 1] + "…"


def utf8(text: str) -> str:
    """Escape lone surrogates (bytes that were not UTF-8), so that the text can be encoded."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _seen(found: re.Match[str]) -> str:
    char = found[0]
    if char in "\n\r\t\f\v\u2028\u2029\x85":
        return " "
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    is_selector = "\U000e0100" <= char <= "\U000e01ef" or "\u180b" <= char <= "\u180f" or "\ufe00" <= char <= "\ufe0d"
    if category[0] == "C" or char in _BLANK or is_selector:
        return _escape(char)
    return char


def _escape(char: str) -> str:
    number = ord(char)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield (is code, text) for each piece of a line."""
    at = 0
    for span in _CODE_SPAN.finditer(text):
        yield from _words(text[at : span.start()])
        yield True, span[1]
        at = span.end()
    yield from _words(text[at:])


def _words(text: str) -> Iterator[tuple[bool, str]]:
    for word in re.findall(r"\s+|\S+", text):
        if not _ACTIVE.search(word):
            yield False, word
            continue
        before, bare, after = _trimmed(word)
        if not _ACTIVE.search(bare):
            before, bare, after = "", word, ""
        yield from ((False, before), (True, bare), (False, after))


def _trimmed(word: str) -> tuple[str, str, str]:
    """Split a word into (opening punctuation, word, closing punctuation); keep brackets that belong to the word."""
    bare = word.lstrip(_OPENING)
    before = word[: len(word) - len(bare)]
    core = bare
    while bare and bare[-1] in _CLOSING:
        opening = _PAIRS.get(bare[-1])
        if opening and bare.count(opening) >= bare.count(bare[-1]):
            break
        bare = bare[:-1]
    return before, bare, core[len(bare) :]


def _joined(pieces: Iterable[tuple[bool, str]]) -> Iterator[tuple[bool, str]]:
    """Merge adjacent pieces of one kind: two adjacent code spans would run together."""
    kind, gathered = False, ""
    for is_code, part in pieces:
        if not part:
            continue
        if gathered and is_code != kind:
            yield kind, gathered
            gathered = ""
        kind, gathered = is_code, gathered + part
    if gathered:
        yield kind, gathered


def _escaped(found: re.Match[str]) -> str:
    return _ENTITY.get(found[0], "\\" + found[0])


def _cut(text: str, most: int) -> str:
    return text if not most or len(text) <= most else text[: most - 1] + "…"
