"""Tools that read both trees: what they find, and that nothing else can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.llm import Tool
from assay.validators.graph.import_graph import Graphs
from assay.validators.review.lookup.tools import MOST_LINES, MOST_MATCHES, lookup_tools
from assay.validators.review.trees import Trees
from tests.repositories import RealRepository
from tests.validators.review.conftest import MakeChange

BASE = {
    "a.py": "def f():\n    return 1\n\n\nclass C:\n    def m(self):\n        return f()\n",
    "b.py": "from a import f\n\nf()\n",
    "tests/test_a.py": "from a import f\n\n\ndef test_f():\n    assert f() == 1\n",
    "data.bin": "\0\0",
    "long.txt": "line\n" * 900,
    "note.md": "secret \u202e text\n",
}
HEAD = {"a.py": BASE["a.py"].replace("return 1", "return 2")}
Run = Callable[..., str]


@pytest.fixture
def run(make_change: MakeChange) -> Run:
    change = make_change(BASE, HEAD)
    tools: Mapping[str, tuple[Tool, Any]] = lookup_tools(Trees(change), Graphs(change))
    return lambda tool, /, **given: tools[tool][1](given)


def test_lines_of_both_sides_are_read_with_numbers(run: Run):
    assert run("read_lines", side="base", path="a.py", start=2, end=2).split("\n")[1] == "     2 |     return 1"
    assert run("read_lines", side="head", path="a.py", start=2, end=2).split("\n")[1] == "     2 |     return 2"
    assert run("read_lines", side="head", path="note.md", start=1, end=9).endswith("secret \\u202e text")


def test_a_result_has_a_maximum_of_lines(run: Run):
    text = run("read_lines", side="head", path="long.txt", start=1, end=10**9)
    assert text.startswith("head long.txt, lines 1 to 200 of 900")
    assert len(text.split("\n")) == MOST_LINES + 1
    assert len(run("search", side="head", text="line").split("\n")) == MOST_MATCHES + 1


@pytest.mark.parametrize(
    "path", ["../a.py", "/etc/passwd", ".git/config", "", "a.py/", "./a.py", "a.py\0", "none.py", "tests", "data.bin"]
)
@pytest.mark.parametrize("tool", ["read_lines", "blame", "history", "who_uses", "tests_of"])
def test_what_is_not_a_text_file_of_the_tree_is_an_error(run: Run, tool: str, path: str):
    given = {"path": path} | ({"start": 1, "end": 2} if tool in ("read_lines", "blame") else {})
    with pytest.raises(ValueError, match=r"."):
        run(tool, **given, **({"side": "head"} if tool == "read_lines" else {}))


def test_a_link_is_not_followed(make_change: MakeChange, repository: RealRepository):
    repository.write("a.py", "x = 1\n")
    repository.link("passwd", "/etc/passwd")
    change = make_change({}, {"b.py": "y = 1\n"})
    tools = lookup_tools(Trees(change), Graphs(change))
    with pytest.raises(ValueError, match="not a file"):
        tools["read_lines"][1]({"side": "head", "path": "passwd", "start": 1, "end": 1})


def test_search_is_literal_and_limited_by_a_glob(run: Run):
    assert run("search", side="head", text="return f()") == "a.py:7 | return f()"
    assert run("search", side="head", text="f() ==", glob="tests/**") == "tests/test_a.py:5 | assert f() == 1"
    assert run("search", side="head", text=".*") == "no line of 6 files contains it"


def test_definitions_users_and_tests_are_found(run: Run):
    assert run("definition", side="head", name="C.m") == "a.py:6 to 7 | method C.m"
    assert run("definition", side="head", name="nothing").startswith("no definition")
    assert run("who_uses", path="a.py", symbol="f") == "b.py: f\ntests/test_a.py: f"
    assert run("who_uses", path="a.py") == "b.py\ntests/test_a.py"
    assert run("tests_of", path="a.py") == "tests/test_a.py (distance 1)"
    assert run("tests_of", path="b.py") == "no test file depends on it"


def test_blame_and_history_are_those_before_the_change(run: Run):
    assert run("blame", path="a.py", start=2, end=2).endswith("base |     return 1")
    (commit,) = run("history", path="a.py").split("\n")
    assert commit.endswith("| base")
    assert run("blame", path="a.py", start=900, end=901) == "these lines have no history"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    tool=st.sampled_from(["read_lines", "search", "definition", "who_uses", "tests_of", "blame", "history"]),
    path=st.text(max_size=20) | st.sampled_from(sorted(BASE)),
    text=st.text(min_size=2, max_size=20),
    start=st.integers(1, 10**6),
    end=st.integers(1, 10**6),
)
def test_any_input_has_a_bounded_result_or_one_line(run: Run, tool: str, path: str, text: str, start: int, end: int):
    given = {"side": "head", "path": path, "text": text, "name": text, "symbol": text, "start": start, "end": end}
    try:
        result = run(tool, **given)
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is fine
    else:
        assert len(result) < 200_000
