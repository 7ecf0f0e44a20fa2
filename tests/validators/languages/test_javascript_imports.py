"""The scanner of JavaScript's imports, held against tree-sitter."""

from __future__ import annotations

from functools import cache

import pytest
import tree_sitter
import tree_sitter_typescript
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validators.languages.javascript.imports import scan_imports
from tests.examples import num_examples

_QUERY = """
(import_statement source: (string) @target)
(export_statement source: (string) @target)
(import_require_clause source: (string) @target)
(call_expression function: (import) arguments: (arguments [(string) (template_string)] @target))
(call_expression function: (identifier) @f arguments: (arguments . [(string) (template_string)] @target .)
  (#eq? @f "require"))
"""


@cache
def _language() -> tree_sitter.Language:
    return tree_sitter.Language(tree_sitter_typescript.language_tsx())


@cache
def _query() -> tree_sitter.Query:
    return tree_sitter.Query(_language(), _QUERY)


def by_parser(source: bytes) -> list[tuple[int, str]] | None:
    """(line, target) of every import as tree-sitter has them; None for what it finds an error in."""
    root = tree_sitter.Parser(_language()).parse(source).root_node
    if root.has_error:
        return None
    found = []
    for node in tree_sitter.QueryCursor(_query()).captures(root).get("target", []):
        text = node.text or b""
        if not (text.startswith(b"`") and b"$" in text):
            found.append((_statement_line(node), text[1:-1].decode()))
    return sorted(found)


def _statement_line(node: tree_sitter.Node) -> int:
    """The line on which the statement or call begins that the target is part of."""
    while node.parent is not None and node.type not in ("import_statement", "export_statement", "call_expression"):
        node = node.parent
    return node.start_point[0] + 1


def by_scanner(source: bytes) -> list[tuple[int, str]]:
    return sorted((one.line, one.target) for one in scan_imports(source).imports)


_IMPORTS = [
    "import 'a'",
    'import a from "b"',
    "import * as n from 'c'",
    "import d, { e as f, type g } from 'd'",
    "import type { T } from 'e'",
    "import {\n  x, // it's\n  y, /* from 'no' */\n} from 'f'",
    "import { default as z } from 'g'",
    "export * from 'h'",
    "export * as all from 'i'",
    "export { j, k as default } from 'j'",
    "export type { U } from 'k'",
    "import eq = require('l')",
    "const m = require('m')",
    "const n = await import('n')",
    'const o = import(/* webpackChunkName: "o" */ `o`)',
    "f(() => import('p'), require(\"q\"))",
    "type R = import('r').R",
    "import{s}from's';import't'",
]
_OTHERS = [
    "// import 'no'",
    "/* import 'no'\n import 'no' */",
    "const a1 = \"import 'no'\" + 'require(\"no\")'",
    "const b1 = `import 'no'\n${ inside } ${ `${ 1 }` } \\` ${ { a: '}' }.a }`",
    "const c1 = /import 'no'|[/'\"`]/g.test(d1) ? 1 / 2 / 3 : x[0] / 2",
    "const d1 = { import: 'no', require: 1, from: 'no' }",
    "d1.require('no'), d1.import, d1?.require('no')",
    "import(name), require(name), require('no' + name), import(`no${name}`)",
    "export const from = 'no'",
    "export default 'no'",
    "export { d1 }",
    "const e1 = <p title='x'>Dont {`a`} <b>/</b></p>",
    "function importer() { return /'/ }",
    "if (a1) { } else { }",
    "a1++ / 2; b1 /= 3",
    "const f1 = () => /`/",
    "label: for (;;) { break label }",
    "const g1 = 'a\\\nimport \"no\"'",
    "class H { import() { } require = 1; static from = 'no' }",
    "import.meta.url",
]


@given(
    st.lists(st.sampled_from(_IMPORTS + _OTHERS), min_size=1, max_size=12),
    st.sampled_from(["\n", ";\n", "\r\n", "\n\n"]),
)
@settings(max_examples=num_examples(400), deadline=None)
def test_any_sequence_of_statements_is_read_as_a_parser_reads_it(statements: list[str], between: str):
    source = between.join(statements).encode()
    truth = by_parser(source)
    if truth is not None:
        assert by_scanner(source) == truth


@pytest.mark.parametrize("statement", _IMPORTS + _OTHERS)
def test_each_statement_is_read_as_a_parser_reads_it(statement: str):
    for around in ("{}", "{};", "\n\n{}\n", "const z9 = 1; {}", "/** @license */\n{}"):
        source = around.replace("{}", statement)
        truth = by_parser(source.encode())
        assert truth is not None, "tree-sitter must understand what it is asked"
        assert by_scanner(source.encode()) == truth


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import 'a'", ()),
        ("import a from 'a'", (("default", "a"),)),
        ("import * as a from 'a'", (("*", "a"),)),
        ("import a, * as b from 'a'", (("default", "a"), ("*", "b"))),
        (
            "import a, { b, c as d, type e, type f as g } from 'a'",
            (("b", "b"), ("c", "d"), ("e", "e"), ("f", "g"), ("default", "a")),
        ),
        ("import { type as t, default as u } from 'a'", (("type", "t"), ("default", "u"))),
        ("import type A from 'a'", (("default", "A"),)),
        ("import type from 'a'", (("default", "type"),)),
        ("import type { A } from 'a'", (("A", "A"),)),
        ("import { 'a b' as c, $d, é } from 'a'", None),
        ("export * from 'a'", (("*", ""),)),
        ("export * as a from 'a'", (("*", "a"),)),
        ("export type * from 'a'", (("*", ""),)),
        ("export { a, b as c, default as d } from 'a'", (("a", "a"), ("b", "c"), ("default", "d"))),
        ("export { default } from 'a'", (("default", "default"),)),
        ("import eq = require('a')", (("*", "eq"),)),
        ("require('a')", ()),
    ],
)
def test_the_names_of_a_clause_are_told(source: str, names: tuple[tuple[str, str], ...] | None):
    (item,) = scan_imports(source.encode()).imports
    assert item.target == "a"
    if names is not None:
        assert item.names == names


@given(st.text(alphabet="import from'\"`/*\\{}()[]$;:,.=<>\n ax", max_size=120))
@settings(max_examples=num_examples(500), deadline=None)
def test_text_that_is_no_source_does_no_harm(source: str):
    scan_imports(source.encode())


@given(st.binary(max_size=200))
def test_bytes_that_are_no_source_do_no_harm(data: bytes):
    scan_imports(data)
    scan_imports(b"import 'a'\n" + data)


@pytest.mark.soak
@pytest.mark.parametrize(
    "piece",
    [
        *(b"import ", b"import{", b"import(", b"require(", b"define([", b"=/[", b'\\"', b"`${", b"`", b"/*"),
        *(b"a/b ", b"(/", b'"import', b"new URL(import.meta"),
    ],
)
@pytest.mark.cpu(60)
def test_a_large_file_of_one_piece_takes_time_in_proportion(piece: bytes):
    scan_imports(b"import 'a'\n" + piece * (500_000 // len(piece)) + b" import")


def test_a_bundle_of_two_megabytes_on_one_line_is_read():
    module = b'!function(e,t){var n=/["\'`]/g,r=`a${n}b`;e.exports=require("./m%d")}();'
    source = b"".join(module % number for number in range(26_000))
    assert len(source) < 2 * 1024 * 1024
    found = scan_imports(source).imports
    assert len(found) == 26_000
    assert found[-1].target == "./m25999"
