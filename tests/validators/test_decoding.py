"""Content in any encoding, as the text that a compiler reads."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.changes.change import Hunk, lines_of
from assay.validators.io.decoding import declared_encoding, readable, script_suffix, why_unreadable
from assay.validators.vcs.read_change import compared

PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\u2028\u2029\ufeff"), max_size=60)


@given(text=PLAIN)
def test_utf_8_stays_as_it_is(text: str) -> None:
    data = text.encode()
    if declared_encoding("a.py", data) is None:
        assert readable("a.py", data) == data


@given(text=PLAIN, encoding=st.sampled_from(["utf-16", "utf-32"]))
def test_a_byte_order_mark_tells_the_encoding(text: str, encoding: str) -> None:
    assert readable("a.ts", text.encode(encoding)).decode() == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_characters_are_told_without_a_mark(encoding: str) -> None:
    text = "public class Shop { int total = 0; }\n" * 3
    assert readable("Shop.cs", text.encode(encoding)).decode() == text


@given(data=st.binary(max_size=200), path=st.sampled_from(["a.py", "a.js", "a.go", "a.json", "a.md", "run"]))
def test_text_by_name_never_holds_a_zero_or_a_hidden_line_end(data: bytes, path: str) -> None:
    found = readable(path, data)
    if path != "run":
        assert b"\0" not in found
        assert b"\r" not in found.replace(b"\r\n", b"")
    assert readable(path, found) == found or declared_encoding(path, data) is not None


@given(data=st.binary(max_size=200), path=st.sampled_from(["a.png", "a.bin", "a.pyc"]))
def test_data_stays_as_it_is(data: bytes, path: str) -> None:
    assert readable(path, data) == data


@pytest.mark.parametrize(
    ("encoding", "code"),
    [
        ("utf-7", b"x = 1 +AAo-y = 2\n"),
        ("latin-1", b"x = '\xe9'\n"),
        ("cp1252", b"x = '\x80'\n"),
        ("unicode_escape", b"x = 1 \\x0ay = 2\n"),
        ("raw_unicode_escape", b"# \\u000aimport os\n"),
    ],
)
@pytest.mark.parametrize("first", [b"", b"#!/usr/bin/python\n", b"\n"])
def test_python_files_are_read_as_python_reads_them(encoding: str, code: bytes, first: bytes) -> None:
    data = first + b"# -*- coding: " + encoding.encode() + b" -*-\n" + code
    assert ast.dump(ast.parse(readable("a.py", data))) == ast.dump(ast.parse(data))


def test_a_declaration_counts_where_python_looks_for_it() -> None:
    late = b"x = 1\n# coding: utf-7\n+AAo-\n"
    assert declared_encoding("a.py", late) is None
    assert declared_encoding("a.rb", b"# coding: utf-7\n") is None
    assert readable("a.js", b"// coding: utf-7\n+AAo-\n") == b"// coding: utf-7\n+AAo-\n"


def test_a_line_ends_where_the_language_ends_it() -> None:
    assert readable("a.py", b"# a\rx = 1\r\n") == b"# a\nx = 1\r\n"
    assert readable("a.js", "// a\u2028x()\n".encode()) == b"// a\nx()\n"
    assert readable("a.py", "x = '\u2028'\n".encode()) == "x = '\u2028'\n".encode()


@pytest.mark.parametrize(
    ("path", "data", "is_readable"),
    [
        ("a.py", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", False),
        ("a.py", b"# coding: rot13\nvzcbeg bf\n", False),
        ("a.py", b"# coding: punycode\n", False),
        ("a.py", b"# coding: no-such-thing\n", False),
        ("a.py", b"# coding: utf-7\n", True),
        ("a.ts", b"\0" * 9000, True),
    ],
)
def test_what_cannot_be_read_is_said(path: str, data: bytes, is_readable: bool) -> None:
    assert (why_unreadable(path, data) is None) is is_readable


@pytest.mark.parametrize(
    ("first", "suffix"),
    [
        (b"#!/usr/bin/env python3\n", ".py"),
        (b"#!/bin/bash\n", ".sh"),
        (b"#!/usr/bin/node\n", ".js"),
        (b"\xef\xbb\xbf\n<?php\n", ".php"),
        (b"<?xml ?>\n", ""),
        (b"x\n", ""),
    ],
)
def test_a_script_is_known_by_its_first_line(first: bytes, suffix: str) -> None:
    assert script_suffix("bin/run", first) == suffix
    assert script_suffix("bin/run.txt", first) == suffix
    assert script_suffix("bin/run.rb", first) == ""


LINES = st.lists(st.sampled_from(["a", "b", "", "x"]), max_size=12)


@given(before=LINES, after=LINES)
def test_compared_texts_can_be_made_from_each_other(before: list[str], after: list[str]) -> None:
    old, new = "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after)
    assert _applied(lines_of(old), compared(old, new)) == lines_of(new)


def test_a_large_comparison_is_bounded() -> None:
    old = "".join(f"{n}\n" for n in range(3000))
    new = "".join(f"{n + 1}\n" for n in range(1, 3000, 2))
    assert _applied(lines_of(old), compared(old, new)) == lines_of(new)
    assert len(compared(old, new)) == 1


def _applied(lines: list[str], hunks: tuple[Hunk, ...]) -> list[str]:
    """The new lines; every start is checked, counted as git counts."""
    made: list[str] = []
    at = 0
    for hunk in hunks:
        start = hunk.base_start - 1 if hunk.base_lines else hunk.base_start
        made += lines[at:start]
        assert hunk.head_start == len(made) + (1 if hunk.head_lines else 0)
        assert lines[start : start + len(hunk.base_lines)] == list(hunk.base_lines)
        made += hunk.head_lines
        at = start + len(hunk.base_lines)
    return made + lines[at:]
