"""The scanner of Python's imports, held against Python's own parser."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validators.languages.python.imports import scan_imports
from tests.examples import num_examples

Found = list[tuple[int, str, tuple[tuple[str, str], ...]]]


def by_parser(source: bytes) -> Found | None:
    """(line, module, names) of every import statement as `ast` has them; None for what it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            return None
    found: Found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple((a.name, "" if a.name == "*" else a.asname or a.name) for a in node.names)
            found.append((node.lineno, "." * node.level + (node.module or ""), names))
    return sorted(found)


def by_scanner(source: bytes) -> Found:
    return sorted((one.line, one.target, one.names) for one in scan_imports(source).imports if one.kind != "call")


@pytest.mark.parametrize(
    "source",
    [
        "import a",
        "import a.b.c as d, e\n",
        "import a . b\n",
        "from . import a\nfrom .import b\nfrom.c import d\nfrom ... import e\nfrom .. . f import g\n",
        "from a import(b)\nfrom a import*\n",
        "from a import (b, # one )\n  c as d,\n)\nfrom e import \\\n  f, \\\n  g\n",
        "from \\\n a \\\n import b\n",
        "if x: import a\nelse: from b import c; import d\n",
        "import a; import b;import c\n",
        "x = 1; import a # import b\n",
        "class A:\n\timport a\n\tdef f(self): import b; return b\n",
        "async def f():\n    async with x: from a import b\n",
        "'import x'\n\"\"\"\nimport x\nfrom y import z\n\"\"\"\nimport a\n'''import x'''; import b\n",
        "x = 'a\\\nimport b\\\n'\nimport c\n",
        "x = r'\\''; import a\n",
        "x = rb'\\'' b'import y'; import a\n",
        "# '''\nimport a\n# '''\n",
        "x = '# '; import a\nx = \"'''\"; import b\n",
        "x = {1: '''\nimport a\n''', 2: \"\"\"import b\"\"\"}\nimport c\n",
        "f'''{x}\nimport a\n'''\nimport b\n",
        "def g():\n  yield \\\n  from_x\n  return (yield\n    from_y)\nimport a\n",
        "try: pass\nexcept E as e: raise X from e\nimport a\n",
        "importer = 1\nfromage = 2\nx.import_ = 3\nimport a\n",
        "\ufeffimport a\n",
        "import a\r\nfrom b import (c,\r\n d)\r\n",
        "import a\rimport b\r",
        "\fimport a\nif x:\n\f  import b\n",
        "import é.ü as ø\nfrom ﬁ import ﬂ\n",
        "match x:\n  case 1: import a\n",
        "lambda: 0; import a\nx: 'import b' = 1\n",
        "x = [\n'''a''',\n#'''\n\"'''\",\n]\nimport a\n'''\nimport b'''\n",
        "x = '''a\\'''\nimport b'''\nimport c\n",
        '"""a"""""""""\nimport b\n',
    ],
)
def test_a_statement_is_read_as_python_reads_it(source: str):
    data = source.encode("utf-8")
    assert by_parser(data) is not None
    assert by_scanner(data) == by_parser(data)


_PIECES = st.sampled_from(
    [
        *("import a", "import a.b as c, d", "from a import b", "from . import (a,\n  b)", "from .a.b import *", "pass"),
        *("import", "from", "as", " ", "  ", "\t", "\n", "\n\n", "\\\n", ";", ":", ",", "(", ")", "[", "]", "{", "}"),
        *(
            "'",
            '"',
            "'''",
            '"""',
            "\\",
            "#",
            "# import x",
            "'import x'",
            "r'",
            "f'",
            "f'{",
            "}'",
            'b"',
            "u'",
            "\r\n",
            "\f",
        ),
        *(
            "x = ",
            "if x:",
            "else:",
            "def f():",
            "class A:",
            "try:",
            "except:",
            "yield",
            "lambda:",
            "...",
            ".",
            "é",
            "x",
        ),
    ]
)
_STATEMENTS = st.sampled_from(
    [
        "import a",
        "import a.b as c, d",
        "from a import b as c",
        "from ..a import (b,  # import x '''\n    c)",
        "from a import \\\n    b",
        "x = 'import y'  # from z import q",
        'x = """\nimport y\n"""',
        "x = '''\\'''\nfrom y import z\n'''",
        "x = r'a\\b'; import a",
        "x = 'a\\\nimport b'",
        'x = f"""{a}\nimport b"""',
        "x = {'#': \"'\", '\"': '\"\"\"'}",
        "x = ('a'  # '''\n     'b')",
        "def f():\n    import e\n    '''import f'''",
        "if x: import g; from h import i",
        "pass",
    ]
)


@given(st.lists(_STATEMENTS, min_size=1, max_size=12), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=num_examples(300), deadline=None)
def test_any_sequence_of_statements_is_read_as_python_reads_it(statements: list[str], newline: str):
    source = "\n".join(statements).replace("\n", newline).encode("utf-8")
    assert by_scanner(source) == by_parser(source)


@given(st.lists(_PIECES, max_size=25).map("".join))
@settings(max_examples=num_examples(500), deadline=None)
def test_whatever_python_accepts_is_read_as_python_reads_it_and_nothing_crashes(source: str):
    data = source.encode("utf-8")
    found = by_scanner(data)
    truth = by_parser(data)
    if truth is not None:
        assert found == truth


@given(st.binary(max_size=200))
def test_bytes_that_are_no_source_do_no_harm(data: bytes):
    scan_imports(data)
    scan_imports(b"import a\n" + data)


def test_the_standard_library_is_read_as_python_reads_it():
    """A good sample of it, small enough to parse in a second or two."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    paths = [*folder.glob("[a-d]*.py"), *folder.glob("email/*.py"), *folder.glob("importlib/**/*.py")]
    checked = 0
    for path in sorted(paths):
        source = path.read_bytes()
        truth = by_parser(source)
        if truth is not None:
            assert by_scanner(source) == truth, path
            checked += 1
    assert checked > 50


def test_a_file_that_runs_by_itself_and_one_that_moves_the_path_are_told():
    assert scan_imports(b"#!/usr/bin/env python\n").is_script
    assert scan_imports(b"if __name__ == '__main__': run()\n").is_script
    assert not scan_imports(b"name = 1\n").is_script
    assert scan_imports(b"import sys\nsys.path.insert(0, 'x')\n").moves_path


@pytest.mark.parametrize(
    "piece",
    [b"import ", b"from ", b":from a import b", b"import a,\\\n", b"'''", b'\\"""', b"from a import (", b";import"],
)
@pytest.mark.cpu(60)
def test_a_large_file_of_one_piece_takes_time_in_proportion(piece: bytes):
    scan_imports(b"import os\n" + piece * (1_000_000 // len(piece)) + b" import")
