"""Whatever a stranger writes: it is shown, and nothing of it acts."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.escape import code, fenced, prose, utf8, visible, visible_lines, xml_text
from tests.validators.render.github import shown_by_github, shown_by_others
from tests.validators.render.hostile import HOSTILE

TRICKS = st.sampled_from(
    [
        *"`*_[]()<>|\\~#!$&@:-+=.\"' \n\t\r",
        *(
            "``",
            "```",
            "](",
            "![",
            "<!--",
            "-->",
            "</details>",
            "@octocat",
            "#12",
            "GH-3",
            "deadbeef1",
            "a/b#1",
            "a/b@deadbeef",
        ),
        *(
            "https://evil.example",
            "www.evil.example",
            "a@evil.example",
            "mailto:",
            "&#64;",
            "&commat;",
            "&lt;",
            ":+1:",
            "CVE-2024-1",
        ),
        *(
            "\x1b[31m",
            "\x1b]8;;x\x07",
            "\u202e",
            "\u200b",
            "\u2066",
            "\x00",
            "\udcff",
            "\ud800",
            "\U000e0041",
            "\u0301",
            "\u0435",
            "😀",
        ),
    ]
)
HOSTILE_TEXT = st.one_of(st.lists(TRICKS, max_size=25).map("".join), st.text(max_size=60), st.sampled_from(HOSTILE))


@given(HOSTILE_TEXT)
@example("`a`#12 `b``c` (see @x).")
@example("\\`@octocat`")
@example("a\\")
@example("_www.evil.example")
def test_prose_is_inert_wherever_it_stands(text: str):
    said = prose(text)
    assert "\n" not in said
    said.encode("utf-8")
    for markdown in (said, f"- ⚠️ {said}", f"1. **x**: {said}\\\n   → {said}", f"x {said} y\n\nz"):
        for page in (shown_by_github(markdown), shown_by_others(markdown)):
            assert page.active() == []
            assert set(page.tags) <= {"p", "code", "ul", "ol", "li", "strong", "br"}


@given(HOSTILE_TEXT)
def test_prose_shows_every_word(text: str):
    page = shown_by_github(f"x {prose(text, 0)} y")
    shown = re.sub(r"\s|`", "", "".join((*page.texts, *page.codes)))
    assert sorted(shown) == sorted(re.sub(r"\s|`", "", f"x{visible(text) or '(nothing)'}y"))


@given(HOSTILE_TEXT)
@example("` ")
@example(" `")
@example("a | b")
@example("\\")
@example("\\|`|")
def test_a_code_span_holds_its_text_whole(text: str):
    wanted = visible(text) or "(empty)"
    for page in (shown_by_github(f"x {code(text, 0)} y"), shown_by_others(f"x {code(text, 0)} y")):
        assert page.active() == []
        assert page.tags == ["p", "code"]
        assert "".join(page.codes) == wanted


@given(HOSTILE_TEXT, HOSTILE_TEXT)
def test_a_cell_stays_a_cell(one: str, other: str):
    table = f"| a | b | c |\n|---|---|---|\n| {code(one, cell=True)} | {prose(other, cell=True)} | end |\n| 1 | 2 | 3 |"
    for page in (shown_by_github(table), shown_by_others(table)):
        assert page.active() == []
        assert page.tags.count("td") == 6
        assert page.tags.count("tr") == 3
        assert "end" in page.texts


@given(st.lists(HOSTILE_TEXT, max_size=6))
def test_a_block_of_code_holds_its_lines_whole(lines: list[str]):
    page = shown_by_github(f"<details>\n<summary>x</summary>\n\n{fenced(lines)}\n\n</details>\n\nafter")
    assert page.active() == []
    assert [tag for tag in page.tags if tag not in ("details", "summary")] == ["pre", "code", "p"]
    assert "".join(page.codes).rstrip("\n") == "\n".join(visible_lines(lines)).rstrip("\n")
    assert page.texts[-2:] == ["after", "\n"]


@given(HOSTILE_TEXT)
def test_what_is_visible_is_one_line_a_terminal_only_prints(text: str):
    said = visible(text)
    assert said.isprintable() or not said
    said.encode("utf-8")


@given(HOSTILE_TEXT)
def test_text_for_xml_holds_only_what_xml_can(text: str):
    assert re.fullmatch("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*", xml_text(text))


@given(HOSTILE_TEXT)
def test_any_text_can_be_encoded(text: str):
    utf8(text).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Cognitive complexity of `processTask()` is 14", "Cognitive complexity of `processTask()` is 14"),
        ("use @angular/core", "use `@angular/core`"),
        ("see https://evil.example/a(b), then #12.", "see `https://evil.example/a(b)`, then `#12`."),
        ("snake_case and *stars*", "snake\\_case and \\*stars\\*"),
        ("std::vector::iterator at 10:20:30", "std::vector::iterator at 10:20:30"),
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
        ("fixed in deadbeef12", "fixed in `deadbeef12`"),
        ("1. first", "1\\. first"),
        ("# heading", "\\# heading"),
        ("two\nlines", "two lines"),
        ("a\u202eb\u200bc", "a\\\\u202eb\\\\u200bc"),
    ],
)
def test_ordinary_words_stay_readable(text: str, shown: str):
    assert prose(text) == shown


def test_long_text_is_cut_where_it_says():
    assert prose("word " * 500, 50).endswith("…")
    assert len(prose("word " * 500, 50)) == 50
    path = code("src/" + "x" * 500 + "/end.py", 60)
    assert path.startswith("`src/")
    assert path.endswith("/end.py`")
    assert len(path) == 62


def test_an_unfinished_escape_code_swallows_nothing():
    assert "after" in visible("\x1b]0;title without an end, and after")
    assert visible("\x1b[31mred\x1b[0m") == "red"


def test_towers_of_marks_are_cut():
    assert len(visible("Z" + "\u0301" * 500)) == 5
