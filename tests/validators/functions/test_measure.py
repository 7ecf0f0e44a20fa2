"""Functions measured in a child process, whatever the sources are."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validators.languages.functions import python, queried
from assay.validators.languages.functions.function import Function
from assay.validators.languages.functions.measure import can_measure, measure
from assay.validators.risk.assess import OUT_OF_TIME

PYTHON = """\
class Parser:
    @property
    def name(self):
        return 1

    async def parse(self, x):
        if x and x > 1:
            for i in x:
                while i:
                    try:
                        i -= 1
                    except ValueError:
                        raise
        elif x is None:
            return 0
        assert x
        assert not x

        def inner():
            if x:
                return 1

        return inner
"""
TYPESCRIPT = """\
export const add = async (a: number): Promise<number> => (a ? 1 : a ?? 2);
class A<T> {
  private x = () => { for (;;) { if (1) { break; } } };
  get y() { return this.x && this.x || 1; }
  z(): void {
    switch (this.y) { case 1: case 2: break; default: }
    [1].map(function (e) { return e; });
  }
}
const o = { k: (a) => { try { a(); } catch (e) { if (e) {} else if (a) {} else {} } } };
"""


def test_python_functions_with_all_three_figures():
    [found] = measure([("a.py", PYTHON)], 30)
    assert found.why_not is None
    assert found.functions == (
        Function("Parser.name", 3, 4, cyclomatic=1, cognitive=0, nesting=0),
        # if, and, for, while, except, elif; asserts are no paths, and the closure is counted by itself.
        Function("Parser.parse", 6, 23, cyclomatic=7, cognitive=12, nesting=4),
        Function("Parser.parse.inner", 19, 21, cyclomatic=2, cognitive=1, nesting=1),
    )


def test_typescript_functions_have_names_and_ends():
    [found] = measure([("a.ts", TYPESCRIPT)], 30)
    figures = {
        (each.name, each.start, each.end): (each.cyclomatic, each.cognitive, each.nesting) for each in found.functions
    }
    assert figures == {
        ("add", 1, 1): (2, 1, 0),
        ("A.x", 3, 3): (3, 3, 2),
        ("A.y", 4, 4): (3, 2, 0),
        ("A.z", 5, 8): (3, 1, 1),
        ("A.z.[1].map callback", 7, 7): (1, 0, 0),
        ("k", 10, 10): (3, 5, 2),
    }


def test_functions_of_rust_c_and_cpp_carry_the_names_of_their_types():
    sources = [
        ("a.rs", "impl<T> S<T> {\n    fn f(&self) { if a { 1 } else if b { 2 } else { 3 } }\n}\n"),
        ("a.cc", "int A::f() const { for (;;) { while (b) {} } }\nclass B { int* g() { return a ? b : c; } };\n"),
        ("a.c", "static char *f(int a) { switch (a) { case 1: break; default: break; } return a || b; }\n"),
    ]
    found = measure(sources, 30)
    assert [
        [(each.name, each.cyclomatic, each.cognitive, each.nesting) for each in one.functions] for one in found
    ] == [
        [("S.f", 3, 3, 1)],
        [("A.f", 3, 3, 2), ("B.g", 2, 1, 0)],
        [("f", 3, 2, 1)],
    ]


def test_lizard_reads_the_rest():
    sources = [
        ("a.go", "package a\n\nfunc F(x int) int {\n\tif x > 1 && x < 3 {\n\t\treturn 1\n\t}\n\treturn 0\n}\n"),
        ("A.java", "class A {\n  int f(int x) {\n    return x > 1 ? 1 : 2;\n  }\n}\n"),
        ("a.lua", "function f(x)\n  if x and y then\n    return 1\n  end\nend\n"),
    ]
    found = measure(sources, 30)
    assert [[(each.name, each.start, each.cyclomatic) for each in one.functions] for one in found] == [
        [("F", 3, 3)],
        [("A.f", 2, 2)],
        [("f", 1, 3)],
    ]


def test_php_and_ruby_by_their_query_files():
    php = (
        "<?php\nclass A {\n  function f($x) {\n    if ($x && $y) {\n      foreach ($x as $y) {}\n    } elseif ($z) {\n"
    )
    php += "    } else { return $x ?: 1; }\n    try {} catch (E $e) {}\n    $g = fn($a) => $a ? 1 : 2;\n"
    php += "    return match ($x) { 1, 2 => 1, default => 2 };\n  }\n}\n"
    ruby = (
        "module A\n  class B\n    def f(x)\n      return if x && y\n      unless x\n        x.each { |y| z while y }\n"
    )
    ruby += (
        "      else\n        1\n      end\n      case x\n      when 1 then 2\n      else 3\n      end\n    rescue E\n"
    )
    ruby += "      x ? 1 : 2\n    end\n    def self.g = 1\n  end\nend\n"
    found = [one.functions for one in measure([("a.php", php), ("a.rb", ruby)], 30)]
    assert [
        [(each.name, each.start, each.cyclomatic, each.cognitive, each.nesting) for each in one] for one in found
    ] == [
        [("A.f", 3, 8, 10, 2), ("A.f.$g", 9, 2, 1, 0)],
        [("A.B.f", 3, 8, 10, 1), ("A.B.g", 17, 1, 0, 0)],
    ]


def test_what_looks_like_a_branch_is_none():
    flat = "match m {{ 1 => {}, 2 => {{ let s = S {{ a: 1 }}; s.a }}, 3 | 4 => 5, _ => 0 }}"
    wire = "void wire(A&& a, const B &&b, std::vector<int>&& c, T&&... t) {\n  auto &&v = f<A&&>(a);\n"
    wire += "  g([](auto&& q) {});\n"
    sources = {
        "tries.rs": ("fn f() -> R {\n    let a = g()?;\n    h(a)?.i()?;\n    if a { 1 } else { 2 }\n}\n", 2),
        "flat.rs": (f"fn f(m: u8) -> u8 {{ {flat.format('1')} }}\n", 2),
        "nested.rs": (f"fn f(m: u8) -> u8 {{ {flat.format(flat.format('1'))} }}\n", 3),
        "guarded.rs": (f"fn f(m: u8) -> u8 {{ {flat.format('if a && b { 1 } else { 2 }')} }}\n", 4),
        "references.cpp": (f"template <class A>\n{wire}}}\n", 1),
        "conditions.cpp": (f"{wire}  return a && b\n    && (c || d);\n}}\n", 4),
        "defaults.ts": ("function f(a) { return a?.b ?? '' }\n", 1),
        "conditions.ts": ("function f(a, b) { return a?.b && (b || a) }\n", 3),
        "match.py": (
            "def f(m):\n    match m:\n        case 1:\n            return 1\n        case _:\n            return 2\n",
            2,
        ),
    }
    found = measure([(path, text) for path, (text, _) in sources.items()], 30)
    figures = {path: max(each.cyclomatic for each in one.functions) for path, one in zip(sources, found, strict=True)}
    assert figures == {path: wanted for path, (_, wanted) in sources.items()}


def test_the_branches_of_a_nested_function_are_its_own():
    inner = "        @wraps(f)\n        def g(x):\n            def h(y):\n                return 1 if y else 2\n"
    inner += "            if x:\n                if x > 1:\n                    return h\n"
    text = f"class A:\n    def f(self, xs):\n{inner}        if xs:\n            return g\n"
    [found, crlf] = measure([("a.py", text), ("b.py", text.replace("\n", "\r\n"))], 30)
    assert [(each.name, each.cognitive) for each in found.functions] == [("A.f", 1), ("A.f.g", 3), ("A.f.g.h", 1)]
    assert crlf == found


def test_scripts_of_component_files_keep_their_lines():
    text = "<template>\n  <p>{{ a }}</p>\n</template>\n<script>\nfunction a() {}\n"
    text += "</script>\n<script setup>\nconst b = () => {}\n"
    [found] = measure([("a.vue", text)], 30)
    assert [(each.name, each.start) for each in found.functions] == [("a", 5), ("b", 8)]


def test_one_source_that_breaks_a_parser_costs_only_itself():
    sources = [
        ("broken.py", "def f(:\n"),
        ("deep.py", "x = " + "-" * 100_000 + "1\n"),
        ("deep.ts", "f(" * 30_000 + ")" * 30_000),
        ("nul.py", "x = '\0'\n"),
        ("surrogate.py", "x = '\udcff'\ndef g(): return 1\n"),
        ("good.py", "def f(): return 1\n"),
    ]
    found = measure(sources, 60)
    assert found[0].why_not is not None
    assert "line 1" in found[0].why_not
    assert found[1].why_not is not None
    assert found[2].why_not is None
    assert [each.name for each in found[4].functions] == ["g"]
    assert [each.name for each in found[5].functions] == ["f"]


@pytest.mark.soak
def test_time_that_is_over_is_said_of_what_was_not_reached():
    began = time.process_time()
    big = "\n".join(f"def f{i}(a):\n    return a if a else {i}" for i in range(20_000))
    found = measure([("a.py", "def f(): ...\n")] + [(f"{i}.py", big) for i in range(20)], 3)
    assert time.process_time() - began < 20
    assert found[-1].why_not == OUT_OF_TIME


def test_nothing_to_measure_starts_nothing():
    assert measure([], 0.001) == []
    assert can_measure("a.ts")
    assert not can_measure("a.md")


PIECES = st.sampled_from(
    [
        "def f(a):",
        "class A:",
        "if a:",
        "\n",
        "\n    ",
        "return",
        " ",
        "a",
        "(",
        ")",
        "'",
        "elif a:",
        "match a:",
        "async ",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
@settings(deadline=None)
def test_python_that_parses_is_measured_within_its_lines(text: str):
    try:
        found = python.functions_of(text)
    except (SyntaxError, ValueError):
        return
    for each in found:
        assert 1 <= each.start <= each.end <= text.count("\n") + 1
        assert each.cyclomatic >= 1


@given(st.text(alphabet="(){}[]=>;:,.?&|ab \nifforunctwhle", max_size=80))
@settings(deadline=None)
def test_any_text_as_typescript_gives_functions_within_it(text: str):
    for each in queried.functions_of(text, "typescript"):
        assert 1 <= each.start <= each.end <= text.count("\n") + 1
