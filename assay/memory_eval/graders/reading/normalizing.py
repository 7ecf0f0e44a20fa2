"""Normalization of answers: no markup, no invisible characters, uniform typography, lower case."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ′`´", "'"),  # noqa: RUF001
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑−﹣", "-"),  # noqa: RUF001 - hyphens and a minus that look alike
        **dict.fromkeys("–‒", "–"),  # noqa: RUF001
        **dict.fromkeys("—―", " — "),
        **dict.fromkeys("→⇒➜➔⟶➡", " → "),
        **dict.fromkeys("❌✗✘🚫⛔", " not "),
        **dict.fromkeys("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", " "),  # footnotes: NFKC would append them to the number before
        **dict.fromkeys("•▪‣◦●∙·", "•"),
        **dict.fromkeys("。．", ". "),  # noqa: RUF001
        **dict.fromkeys("、，", ", "),  # noqa: RUF001
        **dict.fromkeys("；", "; "),  # noqa: RUF001
        **dict.fromkeys("\u2028\u2029\x85\x0b\x0c\r", "\n"),
        "ß": "ss", "ẞ": "SS", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i",  # noqa: RUF001
        "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    }
)  # fmt: skip

_LOOKALIKES = str.maketrans(
    "АВЕЗКМНОРСТУХаеорсухіјѕԁһѵкмтвнΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανιρτκυ",
    "ABE3KMHOPCTYXaeopcyxijsdhvkmtbhABEZHIKMNOPTYXoavipt" + "ku",
)
"""Cyrillic and Greek letters that resemble Latin ones, so that no claim is hidden behind them."""

_INVISIBLE = {"Cf", "Co", "Cs", "Cn", "Mn", "Me"}
_SYMBOLS = {"So", "Sk", "Cc"}
_KEPT_SYMBOLS = {"\n", "°", "^"}

_CLOSING_TAG = re.compile(r"</([a-z][\w-]{0,20})\s*>", re.IGNORECASE)
_MAX_TAGS = 20
"""Most different tags that are removed; answers with more are abusive."""

_LONE_TAG = re.compile(r"<(?:br|hr|p|li)\s*/?>", re.IGNORECASE)
_STRUCK = re.compile(r"~~([^~\n]{1,300})~~|<(?:s|del|strike)>([^<\n]{1,300})</(?:s|del|strike)>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,500}\)")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_EMPHASIS = re.compile(r"\*++(?=\S)|(?<=[^\s*])\*++|(?<![^\W_])_++(?=\S)|(?<=[^\s_])_++(?![^\W_])")
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*+•][ \t]+", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*[(#]?(\d{1,2})[.):][ \t]+", re.MULTILINE)
_LONE_FIRST = re.compile(r"\A[(#]?1[.):][ \t]+(?=[$\d])")
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t|:-]*$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([$*_#|%~.!()\[\]{}-])")
_BOXED_CITATION = re.compile(r"【[^【】\n]{0,60}】")
_CITATION = re.compile(
    r"(?P<before>[^\W_]+'?[\w]*|[.,;:!?)\"'*`|])(?P<gap> ?)(?:\[\^?\d{1,3}(?: ?[,\u2013-] ?\^?\d{1,3}){0,9}\](?!\())+"
)
_NO_CITATION_AFTER = frozenset("is was are be equals it's answer about exactly are were : | ,".split())
_CITED = re.compile(r"^[ \t]*\[\^?\d{1,3}\]:?(?=[ \t]*[^\W\d])", re.MULTILINE)
_LATEX_NUMBER = re.compile(r"(?<![\w$])\$(\d[\d,. ]*(?:\\?%)?)\$(?![\w$])")
_RULE_LINE = re.compile(r"[|:]{0,2} ?:?-{2,}[ |:-]*\Z")
_LABELS = frozenset(
    "no nr name names rank item items what value values answer answers source sources order position member members "
    "date when step key field attribute index result id number place entry thing label day time who the of and".split()
)
_WORDS = re.compile(r"[^\W_]+")
_NUMBER_CELL = re.compile(r"\|[ \t]{0,8}[(#]?(\d{1,2})[.)]?[ \t]{0,8}\|")
_BLANKS = re.compile(r"[^\S\n]+")
_LINE_EDGES = re.compile(r" ?\n[ \n]*")


def plain(text: str) -> str:
    """Remove markup and unify characters, keeping case. A list item's line starts with "•"."""
    text = _BOXED_CITATION.sub("", text)
    text = unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)).translate(_TYPOGRAPHY)
    text = _without_citations(_without_comments(text))
    text = _STRUCK.sub(lambda struck: f" (not {struck[1] or struck[2]}) ", text)
    text = _without_tags(text)
    text = _without_markdown(text)
    text = _visible(text)
    return _LINE_EDGES.sub("\n", _BLANKS.sub(" ", text)).strip()


@lru_cache(maxsize=8192)
def plain_value(text: str) -> str:
    """Normalize a value of the question to search for it in an answer: same form, lower case."""
    return _BLANKS.sub(" ", _visible(unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)))).strip().lower()


def _visible(text: str) -> str:
    """Fold accents, lookalikes and invisible characters; replace other signs by blanks."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    kept = []
    for sign in unicodedata.normalize("NFD", text.translate(_LOOKALIKES)):
        category = unicodedata.category(sign)
        if category in _INVISIBLE:
            continue
        kept.append(" " if category in _SYMBOLS and sign not in _KEPT_SYMBOLS else sign)
    return unicodedata.normalize("NFC", "".join(kept))


def _without_comments(text: str) -> str:
    while (start := text.find("<!--")) >= 0:
        end = text.find("-->", start)
        text = text[:start] + " " + (text[end + 3 :] if end >= 0 else "")
    return text


def _without_tags(text: str) -> str:
    if "<" not in text:
        return text
    text = _LONE_TAG.sub("\n", text)
    for name in sorted({match[1].lower() for match in _CLOSING_TAG.finditer(text)})[:_MAX_TAGS]:
        text = re.sub(rf"</?{re.escape(name)}(?:\s[^<>\n]{{0,200}})?>", " ", text, flags=re.IGNORECASE)
    return text


def _without_markdown(text: str) -> str:
    text = _FENCE.sub("", text)
    text = _LINK.sub(r"\1", _ESCAPED.sub(r"\1", text))
    text = _LATEX_NUMBER.sub(r"\1", text)
    text = _TABLE_RULE.sub("", _without_table_labels(_HEADING.sub("", text)))
    text = _BULLET.sub("• ", text)
    text = _EMPHASIS.sub("", text)
    return _numbers_of_lists_dropped(text)


def _without_citations(text: str) -> str:
    """Remove footnote marks: "1,841 tickets [1]" and the "[1]" before the note itself; keep "it is [12]"."""
    if "[" not in text:
        return text

    def struck(match: re.Match[str]) -> str:
        return match[0] if match["before"].lower() in _NO_CITATION_AFTER else match["before"]

    return _CITED.sub("", _CITATION.sub(struck, text))


def _without_table_labels(text: str) -> str:
    """Remove a table's head and its row numbers; keep a head with further words."""
    if "|" not in text:
        return text
    lines = [line.strip() for line in text.split("\n")]
    kept = [line for place, line in enumerate(lines) if not _is_table_head(line, lines[place + 1 : place + 2])]
    cells = [_NUMBER_CELL.match(line) for line in kept]
    numbers = [int(cell[1]) for cell in cells if cell]
    if numbers and numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        kept = [line[cell.end() - 1 :] if cell else line for line, cell in zip(kept, cells, strict=True)]
    return "\n".join(kept)


def _is_table_head(line: str, following: list[str]) -> bool:
    ruled = "|" in line and bool(following) and _RULE_LINE.match(following[0]) is not None
    return ruled and _LABELS.issuperset(_WORDS.findall(line.lower()))


def _numbers_of_lists_dropped(text: str) -> str:
    """Remove list numbers only if they count from one: "14. March" is a date, and "1." alone an answer."""
    numbers = [int(match[1]) for match in _NUMBERED.finditer(text)]
    if numbers == [1]:
        return _LONE_FIRST.sub("• ", text)
    if numbers[:2] != [1, 2]:
        return text
    expected = 1

    def struck(match: re.Match[str]) -> str:
        nonlocal expected
        if int(match[1]) != expected:
            return match[0]
        expected += 1
        return "• "

    return _NUMBERED.sub(struck, text)
