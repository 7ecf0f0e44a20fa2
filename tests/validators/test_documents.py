"""Structured files written by strangers: what they say, and that none of them can hurt."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.io import structured_files
from assay.validators.io.structured_files import Node, Unreadable, ini, json_document, toml, xml, yaml_document

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


def plain(node: Node) -> object:
    """A node as plain data, texts as they were written."""
    if isinstance(node.value, list):
        return [plain(item) for item in node.value]
    if isinstance(node.value, dict):
        return {name: plain(item) for name, item in node.value.items()}
    return node.value


def test_yaml_keeps_texts_lines_and_merges():
    document = yaml_document(
        "on: [push, pull_request]\nbase: &base\n  a: 1\n  b: yes\n"
        "job:\n  <<: *base\n  b: no\n  c: |\n    x\n    y\nnone:\n"
    )
    assert plain(document) == {
        "on": ["push", "pull_request"],
        "base": {"a": "1", "b": "yes"},
        "job": {"a": "1", "b": "no", "c": "x\ny\n"},
        "none": None,
    }
    assert [(name, node.line) for name, node in document.pairs.items()] == [
        ("on", 1),
        ("base", 2),
        ("job", 5),
        ("none", 11),
    ]
    found = document.get("job", "b")
    assert found is not None
    assert (found.text, found.line) == ("no", 7)
    assert document.get("job", "b", "c") is None
    assert document.get("on") is not None
    assert document.get("on").texts == ["push", "pull_request"]  # type: ignore[union-attr]


def test_lines_are_counted_as_git_counts_them():
    document = yaml_document("a: x\x85y\nb: 'u\u2028\u2029v'\r\nc: 1\n")
    assert [(name, node.text, node.line) for name, node in document.pairs.items()] == [
        ("a", "x y", 1),
        ("b", "u  v", 2),
        ("c", "1", 3),
    ]


@given(
    st.recursive(
        st.sampled_from(["a", "b c", "1"]),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("xyz"), inner),
        max_leaves=20,
    )
)
def test_yaml_reads_what_yaml_writes(value):
    assert plain(yaml_document(yaml.safe_dump(value, default_style='"'))) == value


@given(st.text(max_size=200))
def test_no_text_is_too_strange(text):
    for read in (yaml_document, toml, json_document, ini):
        _read(read, text)
    _read(xml, text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("read", "text", "why"),
    [
        (toml, "a" + ".b" * 100_000 + " = 1", "a dotted name of more than 64 parts"),
        (toml, "[" + "a. " * 100_000 + "b]", "a dotted name of more than 64 parts"),
        (toml, 'x = {"a" . ' + "'b'. " * 100_000 + "c = 1}", "a dotted name of more than 64 parts"),
        (toml, "a = " + "[" * 50_000, "not valid TOML"),
        (toml, "a = 1" + "0" * 100_000, "not valid TOML"),
        (json_document, "[" * 100_000, "not valid JSON"),
        (json_document, "1" * 100_000, "not valid JSON"),
        (yaml_document, "[" * 100_000, "nested deeper than 100 levels"),
        (yaml_document, LAUGHS, "more than 100000 values"),
        (yaml_document, "a: &a [*a]", "has no anchor"),
        (yaml_document, "a: \0", "not valid YAML"),
        (ini, "a = b", "not a valid INI file"),
        (xml, b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "not plain XML"),
        (xml, b"<a>" * 100_000, "not plain XML"),
        (json_document, " " * (structured_files.LIMIT_CHARACTERS + 1), "larger than a settings file can be"),
        (ini, "[a]\nb" + " " * 100_000 + "c = 1", "more than 100 blanks in a name"),
        (xml, b" " * (structured_files.LIMIT_CHARACTERS + 1), "larger than a settings file can be"),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str | bytes) else value.__name__,
)  # fmt: skip
def test_a_bomb_does_not_go_off(read: Callable, text: str | bytes, why: str):
    began = time.process_time()
    with pytest.raises(Unreadable) as caught:
        read(text)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.process_time() - began < 10


def test_long_names_and_versions_are_no_bomb():
    text = "x = " + str([f"package-{n}>=1.{n}.0" for n in range(2000)])
    assert len(toml(text)["x"]) == 2000
    assert toml("a.b.c = 1") == {"a": {"b": {"c": 1}}}
    assert ini("[a]\nb" + " " * 100 + "=" + " " * 9000 + "c" + " " * 9000 + "d")["a"]["b"][:1] == "c"


def test_merging_a_node_into_many_counts_what_it_brings():
    many = "".join(f"k{n}: v\n  " for n in range(1000))
    text = f"base: &base\n  {many}\n" + "".join(f"j{n}:\n  <<: *base\n" for n in range(200))
    with pytest.raises(Unreadable, match="more than 100000 values"):
        yaml_document(text)


def _read(read: Callable, text: str | bytes) -> None:
    with suppress(Unreadable):
        read(text)
