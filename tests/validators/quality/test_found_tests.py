"""Tests found in source, and where they end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.changes.language_table import suffixes
from assay.validators.languages.source_text import split_source
from assay.validators.quality.test_integrity.test_code import found_tests
from assay.validators.quality.test_integrity.test_code.assertions import assertions_of

WORDS = st.sampled_from(
    [
        "def test_a(",
        "class A:",
        "\n",
        "    ",
        "it('a', ",
        "() => {",
        "}",
        ")",
        "func TestA(",
        "#[test]",
        "fn a(",
        "@Test",
        "void a(",
        "assert x",
        "assert len(x) == ",
        "expect(",
        ").not.toBe",
        "if a != b {",
        "t.Fatal(1)",
        "assert_eq!(",
        "assertEquals(",
        "with pytest.raises(A):",
        "    x = ",
        ", ",
        " == ",
        "!",
        " || ",
        "(",
        "[",
        "'",
        '"',
    ]
)


@given(st.lists(WORDS, max_size=40).map("".join), st.sampled_from(suffixes(*found_tests.COVERED)))
def test_any_text_gives_tests_within_it(text: str, suffix: str):
    source = split_source(text, f"a{suffix}")
    for test in found_tests.tests_in(source, f"a{suffix}"):
        assert 1 <= test.start <= test.end <= len(source.lines)
        assert all(test.start <= each.line <= test.end for each in assertions_of(test, f"a{suffix}"))


def found(path: str, text: str) -> list[tuple[str, int, int, int]]:
    tests = found_tests.tests_in(split_source(text, path), path)
    return [(test.name, test.start, test.end, len(test.asserts)) for test in tests]


def test_python_tests_with_decorators_classes_and_odd_indentation():
    text = '''\
@mark.parametrize(
    "a",
    [1, 2],
)
def test_one(a):
    text = """
not indented
"""
    assert a

class TestTwo:
    async def test_three(
        self,
    ):
        self.assertEqual(1, 2)
        with pytest.raises(ValueError):
            f()

def helper():
    assert 1
'''
    assert found("a.py", text) == [("test_one", 1, 9, 1), ("TestTwo.test_three", 12, 17, 2)]


@pytest.mark.parametrize(
    ("path", "text", "tests"),
    [
        ("a.ts", "it('adds', () => {\n  expect(1).toBe(1);\n});\n", [("adds", 1, 3, 1)]),
        ("a.ts", "it.each([\n  1,\n])('adds %d', n => {\n  expect(n).toBe(1);\n});\n", [("adds %d", 1, 5, 1)]),
        ("a.ts", "obj.it('no');\nsplit('no');\nconst fit = 1;\n", []),
        ("a.ts", "test.skip(`it's`, async () => {})\n", [("it's", 1, 1, 0)]),
        ("a_test.go", "func TestA(t *testing.T) {\n\tt.Fatal(1)\n}\n\nfunc helper() {}\n", [("TestA", 1, 3, 1)]),
        ("a.rs", "#[tokio::test]\nasync fn works() {\n    assert_eq!(1, 1);\n}\n", [("works", 1, 4, 1)]),
        ("A.java", '@Test\n@Tag("x")\nvoid works() throws E {\n  assertTrue(a);\n}\n', [("works", 1, 5, 1)]),
        ("A.cs", "[Fact]\npublic void Works() {\n  Assert.True(a);\n}\n", [("Works", 1, 4, 1)]),
        ("a.md", "def test_a():\n", []),
    ],
)
def test_tests_of_other_languages(path: str, text: str, tests: list[tuple[str, int, int, int]]):
    assert found(path, text) == tests


def test_tests_without_end_are_read_once():
    deep = split_source(f"def test_a():\n    assert {'f(' * 40_000}1\n", "a.py")
    (test,) = found_tests.tests_in(deep, "a.py")
    assert [each.line for each in assertions_of(test, "a.py")] == [2]
    bare = split_source("@Test\n" + "a()=\n" * 100_000 + "void works() {\n}\n", "A.java")
    assert found_tests.tests_in(bare, "A.java")[-1].end <= len(bare.lines)
