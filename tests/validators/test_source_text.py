"""Comments, strings and code told apart."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.languages.source_text import has_dialect, split_source

PATHS = st.sampled_from("a.py a.ts a.rs a.go a.cpp a.php a.sh a.rb a.yml a.sql a.html a.unknown Makefile".split())
PIECES = st.sampled_from(
    [
        "'",
        '"',
        '"""',
        "'''",
        "`",
        "${",
        "}",
        "{",
        "\\",
        "/",
        "//",
        "/*",
        "*/",
        "#",
        "\n",
        "--",
        "<!--",
        "-->",
        'r#"',
        "a",
        " ",
        "(",
        ")",
        "[",
        "]",
        'R"x(',
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=80), PATHS)
def test_code_has_the_lines_and_the_length_of_the_text(text: str, path: str):
    source = split_source(text, path)
    assert len(source.code) == len(source.text)
    assert len(source.code_lines) == len(source.lines)
    assert source.text == text.replace("\r\n", "\n")


@given(st.lists(PIECES, max_size=60).map("".join), PATHS)
def test_a_comment_stands_where_it_is_said_to_stand(text: str, path: str):
    source = split_source(text, path)
    for comment in source.comments:
        assert source.lines[comment.line - 1][comment.column :].startswith(comment.text)


@given(st.lists(PIECES, max_size=60).map("".join), PATHS)
def test_what_is_left_of_the_code_is_the_text(text: str, path: str):
    source = split_source(text, path)
    assert all(code in (mark, " ", '"', "'", "`") for code, mark in zip(source.code, source.text, strict=True))


@pytest.mark.parametrize(
    ("path", "text", "comments"),
    [
        ("a.py", "x = '# no'  # yes", ["# yes"]),
        ("a.py", 'x = rf"# no {a}"  # yes', ["# yes"]),
        ("a.py", 'x = """\n# no\n"""  # yes', ["# yes"]),
        ("a.py", "x = 'it\\'s # no'", []),
        ("a.ts", "const a = /'/g; // yes", ["// yes"]),
        ("a.ts", "const a = b / c; // it's", ["// it's"]),
        ("a.ts", "const a = `x ${ `// no` } // no`; /* yes */", ["/* yes */"]),
        ("a.ts", "const a = `${'foo`bar'} don't`; // yes", ["// yes"]),
        ("a.ts", "const a = 'http://no';", []),
        ("a.rs", "fn f<'a>(x: &'a str) { r#\"// no\"# } // yes", ["// yes"]),
        ("a.go", "s := `// no\n` // yes", ["// yes"]),
        ("a.yml", "a: don't # yes", ["# yes"]),
        ("a.yml", "a: x#no", []),
        ("a.sh", "echo $# ${a#b} # yes", ["# yes"]),
        ("a.sql", "select '-- no' -- yes", ["-- yes"]),
        ("a.php", "#[Attribute]\n$a = 1; # yes", ["# yes"]),
    ],
)
def test_comments_are_known_from_strings(path: str, text: str, comments: list[str]):
    assert [comment.text for comment in split_source(text, path).comments] == comments


def test_a_kind_nobody_knows_is_all_code():
    assert not has_dialect("a.unknown")
    assert split_source("# x", "a.unknown").comments == ()


@pytest.mark.parametrize(
    ("path", "unit"), [("a.ts", "/["), ("a.cpp", 'R"('), ("a.py", '"""'), ("a.ts", "`${"), ("a.rs", 'r#"')]
)
def test_hostile_text_takes_time_in_proportion_to_its_length(path: str, unit: str):
    began = time.process_time()
    split_source(unit * (200_000 // len(unit)), path)
    assert time.process_time() - began < 10
