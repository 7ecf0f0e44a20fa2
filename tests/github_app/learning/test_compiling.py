"""Rules in words become checks where that is possible, and only where the check finds what reviewers pointed at."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest

from assay.github_app.learning.checks.compiling import Example, compiled, example_of, forbidden_by
from assay.github_app.rule_matching.languages import globs_of, language_of
from assay.validators import CouldNotRun, LearnedCheck, LearnedRule, where_check_matches
from assay.validators.tools.scanners.scanning import NO_TIME
from tests.conftest import ROOT
from tests.examples import sampled
from tests.tables import read_yaml

CASES = read_yaml(ROOT / "tests/cases/learning/checks.yaml")


def examples_of(case: dict[str, Any]) -> list[Example]:
    """What the reviewers of a case commented on."""
    found = [example_of(path, hunk) for path, hunk in case["hunks"].items()]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("case", sampled([case for case in CASES if "kind" in case], 10), ids=lambda case: case["rule"])
def test_a_rule_becomes_a_check_that_finds_what_is_meant(case: dict[str, Any]):
    made = compiled(forbidden_by(case["rule"]), examples_of(case))
    assert made.check is not None, made.why
    assert (made.check.kind, made.num_found) == (case["kind"], made.num_examples)
    texts = [(path, "\n".join(lines) + "\n") for path, lines in case["finds"].items()]
    found: dict[str, list[int]] = {}
    for index, start, _ in where_check_matches(made.check, texts):
        found.setdefault(texts[index][0], []).append(start)
    assert {path: sorted(set(lines)) for path, lines in found.items()} == case["lines"]


@pytest.mark.parametrize("case", [case for case in CASES if "why" in case], ids=lambda case: case["rule"])
def test_a_rule_that_cannot_be_looked_for_says_why(case: dict[str, Any]):
    made = compiled(forbidden_by(case["rule"]), examples_of(case))
    assert made.check is None
    assert case["why"] in made.why


def test_a_check_must_find_half_of_what_was_commented_on():
    rule = forbidden_by("do not `print`", "python")
    printing, other = (Example("a.py", text, frozenset({1})) for text in ("print(1)\n", "x = 1\n"))
    assert compiled(rule, [printing, other]).check is not None
    assert compiled(rule, [printing, other, other]).check is None


@pytest.mark.soak
def test_lines_of_blanks_keep_no_check_and_no_reading_busy():
    began = time.process_time()
    forbidden_by("use it" + "\n" * 60_000 + "not `print`")
    assert time.process_time() - began < 2
    rule = forbidden_by("Catch specific exceptions, not everything.", "python")
    check = compiled(rule, [Example("a.py", "except:\n", frozenset({1}))]).check
    assert check is not None
    assert where_check_matches(check, [("a.py", "# words\n" * 30_000 + "    except:\n")]) == ((0, 30_001, 30_001),)


@pytest.mark.soak
def test_a_match_beside_what_was_commented_on_proves_nothing():
    rule = forbidden_by("do not `print`", "python")
    assert compiled(rule, [Example("a.py", "print(1)\nx = 1\n", frozenset({2}))]).check is None


@pytest.mark.soak
def test_a_check_that_cannot_be_held_against_what_is_wanted_is_not_given_up_for_good(monkeypatch: pytest.MonkeyPatch):
    def no_time_for_more(check: LearnedCheck, texts: Sequence[tuple[str, str]], timeout_s: float) -> object:
        if any(text == "log\n" for _, text in texts):
            raise CouldNotRun(NO_TIME)
        return where_check_matches(check, texts, timeout_s)

    monkeypatch.setattr("assay.github_app.learning.checks.compiling.where_check_matches", no_time_for_more)
    made = compiled(forbidden_by("use `log`, not `print`", "python"), [Example("a.py", "print(1)\n", frozenset({1}))])
    assert made.check is None
    assert NO_TIME in made.why
    assert not made.is_final


def test_an_example_is_the_new_side_near_the_comment():
    hunk = "@@ -1,3 +1,12 @@ def f():\n     a\n-    b\n" + "".join(f"+    line{i}\n" for i in range(10)) + "     end"
    example = example_of("a.py", hunk)
    assert example is not None
    assert example.text.splitlines()[0] == "a"
    assert "b" not in example.text.splitlines()
    assert [example.text.splitlines()[line - 1] for line in sorted(example.lines)] == [
        "line3", "line4", "line5", "line6", "line7", "line8", "line9",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "hunk", "side"),
    [
        (None, "+x", None),
        ("a.py", None, None),
        ("a.py", " x", None),
        ("a.py", "+x", "LEFT"),
        ("a.py", "@@ -1 +1 @@", None),
    ],
)
def test_a_comment_on_nothing_that_was_added_is_no_example(path: str | None, hunk: str | None, side: str | None):
    assert example_of(path, hunk, side) is None


def test_languages_have_their_files():
    assert language_of("src/a.tsx") == "typescript"
    assert language_of("Makefile") is None
    assert "*.tsx" in globs_of("typescript")
    assert globs_of(None) == globs_of("klingon") == ("**",)


def test_names_that_mean_something_to_a_pattern_are_taken_literally():
    rule = forbidden_by("do not use `$foo.bar`", "javascript")
    made = compiled(rule, [Example("a.js", "$foo.bar(1)\n", frozenset({1}))])
    assert made.check is not None
    assert LearnedRule("a", "t", made.check).to_data()["check"]["kind"] == "regex"
    assert where_check_matches(made.check, [("b.js", "xfoo.bar(1)\n$fooxbar(1)\n")]) == ()
