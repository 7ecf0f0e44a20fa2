"""Wrappers that change the carrier's bytes: encodings, marks of byte order, NUL bytes."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from functools import partial

from tests.evasion.changes import Change
from tests.evasion.wrapper import COMMENTS, Stage, Wrapper

_SIXTEEN = frozenset({"typescript", "tsx", "sql", "json", "yaml", "php", "java"})
"""Languages whose tools are known to read UTF-16 (tsc, SQL clients, YAML 1.2, javac with a setting)."""


def _encoded(change: Change, encoding: str, mark: bytes) -> Change | None:
    if change.language not in _SIXTEEN:
        return None
    return change.with_data(mark + change.text.encode(encoding))


def _marked(change: Change) -> Change:
    return change.with_data(codecs.BOM_UTF8 + change.entry.data)


def _cookie(change: Change, encoding: str, line: str) -> Change | None:
    """A Python file in another encoding, which it names itself."""
    if change.language != "python":
        return None
    text = f"{line}\n# é\n{change.text}"
    if encoding == "utf-7":
        # Every character of the code but line ends, written in UTF-7.
        body = "".join(_seven(part) if part != "\n" else part for part in _parts(text.split("\n", 1)[1]))
        return change.with_data(line.encode() + b"\n" + body.encode())
    try:
        return change.with_data(text.encode(encoding))
    except UnicodeEncodeError:
        return None


def _parts(text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        yield line.rstrip("\n")
        yield "\n"


def _seven(text: str) -> str:
    import base64

    if not text:
        return ""
    return "+" + base64.b64encode(text.encode("utf-16-be")).decode().rstrip("=") + "-"


def _nul(change: Change) -> Change | None:
    """A NUL byte in a comment."""
    mark = COMMENTS.get(change.language)
    if mark is None:
        return None
    if change.language == "php":
        return change.with_data(change.entry.data + b"// \0\n")
    return change.with_data(f"{mark} a".encode() + b"\0b\n" + change.entry.data)


def _nul_at_end(change: Change) -> Change | None:
    mark = COMMENTS.get(change.language)
    return None if mark is None else change.with_data(change.entry.data + mark.encode() + b" " * 9000 + b"\0\n")


def _invalid(change: Change) -> Change | None:
    """A byte that is no UTF-8, in a comment."""
    mark = COMMENTS.get(change.language)
    if mark is None or change.language == "python":
        return None
    return change.with_data(change.entry.data + mark.encode() + b" \xe9\xff\n")


def _no_last_newline(change: Change) -> Change:
    return change.with_data(change.entry.data.rstrip(b"\n"))


def _wrappers() -> Iterator[tuple[str, Callable[[Change], Change | None]]]:
    for name, encoding, mark in (
        ("utf16le-bom", "utf-16-le", codecs.BOM_UTF16_LE),
        ("utf16be-bom", "utf-16-be", codecs.BOM_UTF16_BE),
        ("utf16le", "utf-16-le", b""),
        ("utf16be", "utf-16-be", b""),
        ("utf32le-bom", "utf-32-le", codecs.BOM_UTF32_LE),
    ):
        yield name, partial(_encoded, encoding=encoding, mark=mark)
    yield "utf8-bom", _marked
    for name, encoding, line in (
        ("cookie-latin1", "latin-1", "# -*- coding: latin-1 -*-"),
        ("cookie-cp1252", "cp1252", "# vim: set fileencoding=cp1252 :"),
        ("cookie-utf7", "utf-7", "# coding: utf-7"),
        ("cookie-cp037-name", "utf-8", "# coding: UTF-8"),
        ("cookie-koi8", "utf-8", "# coding=utf_8"),
    ):
        yield name, partial(_cookie, encoding=encoding, line=line)
    yield "nul-in-comment", _nul
    yield "nul-far-behind", _nul_at_end
    yield "invalid-utf8", _invalid
    yield "no-last-newline", _no_last_newline


DATA = tuple(Wrapper(name, Stage.data, apply) for name, apply in _wrappers())
