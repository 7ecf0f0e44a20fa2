"""File contents as UTF-8, whatever their encoding, so that analyzers read what a compiler reads.

Only files that are text by their name (source, configuration, prose) are converted. Lines end where the language
ends them, so that no comment hides the code after it.
"""

from __future__ import annotations

import codecs
import re

from assay.validators.changes.classify import Nature, plain_nature
from assay.validators.changes.language_table import is_program, language_of_script, of_family, suffixes

SAMPLE_BYTES = 4096
_PYTHON = suffixes("python", "cython")
# PEP 263: in the first two lines, in the second only if the first is blank or a comment.
_COOKIE = re.compile(rb"\A(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)?[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONE_CR = re.compile(rb"\r(?!\n)")
_SEPARATORS = re.compile(rb"\xe2\x80[\xa8\xa9]")
_SCRIPTS = suffixes(*of_family("javascript"))
_POINTER = b"version https://git-lfs.github.com/spec/"


def is_text_by_name(path: str, first_bytes: bytes = b"") -> bool:
    """Return whether a file is text by its name or its `#!` line, whatever bytes it holds."""
    return plain_nature(path, first_bytes) is not Nature.data


def readable(path: str, data: bytes) -> bytes:
    r"""Return the content as UTF-8 if the name is that of text: UTF-16 and UTF-32 converted, `\0` as a blank.

    A lone `\r` ends a line, and in JavaScript so do U+2028 and U+2029. A Python file is converted from its declared
    encoding, and declares UTF-8 afterwards.
    """
    if not _is_odd(path, data) or not is_text_by_name(path, data):
        return data
    data = _LONE_CR.sub(b"\n", _decoded(path, data))
    return _SEPARATORS.sub(b"\n", data) if _is_script(path) else data


def _decoded(path: str, data: bytes) -> bytes:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _utf8(data[len(mark) :].decode(encoding, "replace"))
    if b"\0" in data:
        wide = _wide_encoding(data[:SAMPLE_BYTES])
        data = data.replace(b"\0", b" ") if wide is None else _utf8(data.decode(wide, "replace"))
    declared = declared_encoding(path, data)
    if declared is None or not is_known(declared[0]):
        return data
    name, start, end = declared
    text = data[:start].decode("latin-1") + "utf-8" + data[end:].decode(name, "replace")
    return _utf8(text)


def why_unreadable(path: str, data: bytes) -> str | None:
    """Return why the content of a source file cannot be read, or None if it can."""
    if data.startswith(_POINTER):
        return "a Git LFS pointer: the content is stored elsewhere"
    declared = declared_encoding(path, readable(path, data))
    if declared is not None and not is_known(declared[0]):
        return f"declares the encoding {declared[0][:40]}, which is unknown"
    return None


def script_suffix(path: str, first_bytes: bytes) -> str:
    """Return the suffix of the language named by a file's beginning (`#!`, `<?php`) but not by its name, or ""."""
    if not is_program(first_bytes) or plain_nature(path) is Nature.source:
        return ""
    row = language_of_script(first_bytes)
    return row.suffixes[0] if row is not None and row.suffixes else ""


def declared_encoding(path: str, data: bytes) -> tuple[str, int, int] | None:
    """Return the encoding a Python file declares other than UTF-8, with the place of its name, or None."""
    if not path.lower().endswith(_PYTHON) and script_suffix(path, data[:200]) != ".py":
        return None
    match = _COOKIE.match(data[:1000])
    if match is None:
        return None
    name = match[1].decode("ascii", "replace").lower().replace("_", "-")
    if name in ("utf-8", "utf8", "u8", "ascii", "us-ascii") or name.startswith("utf-8-"):
        return None
    return name, match.start(1), match.end(1)


def is_known(encoding: str) -> bool:
    """Return whether Python reads source in this encoding, which must be a standard text encoding."""
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):
        return False
    # IDNA and Punycode take time that grows with the square of the length.
    return getattr(found, "_is_text_encoding", False) and found.name not in ("idna", "punycode")


def _is_odd(path: str, data: bytes) -> bool:
    return (
        b"\0" in data
        or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        or (b"\r" in data and _LONE_CR.search(data) is not None)
        or (b"\xe2\x80" in data and _is_script(path) and _SEPARATORS.search(data) is not None)
        or declared_encoding(path, data) is not None
    )


def _is_script(path: str) -> bool:
    return path.lower().endswith(_SCRIPTS)


def _wide_encoding(sample: bytes) -> str | None:
    """Return the encoding of text without a mark in two or four bytes per character, by the position of its zeros."""
    zeros = [sample[at::4].count(0) for at in range(4)]
    quarter = max(1, len(sample) // 4)
    full = [count >= 0.7 * quarter for count in zeros]
    return {
        (False, True, True, True): "utf-32-le",
        (True, True, True, False): "utf-32-be",
        (False, True, False, True): "utf-16-le",
        (True, False, True, False): "utf-16-be",
    }.get((full[0], full[1], full[2], full[3]))


def _utf8(text: str) -> bytes:
    return text.replace("\0", " ").encode("utf-8", "surrogatepass")
