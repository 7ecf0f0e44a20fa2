"""What is proposed to check a rule by: it finds what reviewers pointed at, the mistake again, and no fine code."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from assay.github_app.learning.checks.examples import Example, example_of
from assay.github_app.learning.checks.linter_table import linter_rules
from assay.github_app.learning.checks.past import past_of
from assay.github_app.learning.checks.proposals import Past, Proposal, Way, propose
from assay.validators import CheckKind, LearnedCheck, path_matcher, run_checks_on, where_check_matches
from tests.conftest import ROOT
from tests.examples import sampled
from tests.repositories import RealRepository
from tests.tables import read_yaml

CASES = read_yaml(ROOT / "tests/cases/learning/checks.yaml")
MISTAKES = read_yaml(ROOT / "tests/cases/learning/rules_in_code.yaml")
EXAMPLES = {"python": "a.py", "typescript": "a.tsx", "go": "a.go", "rust": "a.rs", "ruby": "a.rb", "php": "a.php"}
PRINTING = Example("a.py", "print(1)\n", frozenset({1}), 1)


def first(rule: str, hunks: dict[str, str]) -> Proposal:
    found = (example_of(path, hunk) for path, hunk in hunks.items())
    return propose([rule], [one for one in found if one is not None])[0]


@pytest.mark.parametrize("case", sampled(CASES, 12), ids=lambda case: case["rule"])
def test_the_first_proposal_finds_what_is_meant(case: dict[str, Any]):
    one = first(case["rule"], case["hunks"])
    check = None if one.check is None else " ".join(filter(None, (one.check.kind, one.check.pattern)))
    assert (one.way, check) == (case["way"], case.get("check"))
    if "finds" not in case or one.check is None:
        return
    texts = [(path, "\n".join(lines) + "\n") for path, lines in case["finds"].items()]
    found: dict[str, list[int]] = {}
    for index, start, _ in where_check_matches(one.check, texts):
        found.setdefault(texts[index][0], []).append(start)
    assert {path: sorted(set(lines)) for path, lines in found.items()} == case["lines"]


@pytest.mark.parametrize("case", sampled(MISTAKES, 6), ids=lambda case: case["id"])
def test_after_one_acceptance_the_mistake_is_found_and_fine_code_is_not(case: dict[str, Any]):
    hunk = "@@ -0,0 +1,9 @@\n" + "".join(f"+{line}\n" for line in case["commented"].splitlines())
    example = example_of(case["path"], hunk.rstrip("\n"))
    assert example is not None
    one = propose([case["wording"], *case["comments"]], [example])[0]
    assert one.check is not None
    assert path_matcher(one.paths)(case["path"])
    texts = [(f"{name}/{case['path']}", case[name]) for name in ("again", "fine")]
    (answer,) = run_checks_on([one.check], texts, 10.0)
    assert {index for index, _, _ in answer.places} == {0}


def test_each_search_of_the_table_runs():
    tried = [rule for rule in linter_rules() if rule.check is not None and rule.check.kind is not CheckKind.ruff]
    texts = [(path, "x\n") for path in EXAMPLES.values()]
    answers = run_checks_on([rule.check for rule in tried if rule.check is not None], texts, 60.0)
    assert [(rule.name, answer.why_not) for rule, answer in zip(tried, answers, strict=True) if answer.why_not] == []
    codes = [rule.check for rule in linter_rules() if rule.check is not None and rule.check.kind is CheckKind.ruff]
    assert [answer.why_not for answer in run_checks_on(codes, [("a.py", "x\n")], 60.0)] == [None] * len(codes)


def test_without_a_check_there_are_a_question_to_a_model_and_advice():
    assert [one.way for one in propose(["be kind"], [PRINTING])] == [Way.review, Way.advice]


def test_a_check_is_not_proposed_for_what_stands_beside_the_commented_line():
    beside = Example("a.py", "print(1)\nx = 1\n", frozenset({2}), 2)
    assert propose(["do not `print`"], [beside])[0].check is None


def test_a_rule_for_tests_holds_there_and_one_for_the_rest_does_not():
    in_tests = first("Do not sleep in tests", {"tests/test_a.py": "@@ -0,0 +1 @@\n+    sleep(3)"})
    assert [path_matcher(in_tests.paths)(path) for path in ("tests/test_b.py", "app/b.py")] == [True, False]
    elsewhere = first("Do not use assert for validation", {"app/a.py": "@@ -0,0 +1 @@\n+assert x"})
    assert [path_matcher(elsewhere.paths)(path) for path in ("tests/test_b.py", "app/b.py")] == [False, True]


def test_the_effect_counts_the_base_and_the_last_changes():
    past = Past(
        [("a.py", "print(1)\nprint(2)\n"), ("b.py", "x = 1\n")],
        [[("a.py", "x\nprint(3)\n", frozenset({2}))], [("a.py", "print(4)\ny\n", frozenset({2}))]],
    )
    one = propose(["do not `print`"], [PRINTING], past)[0]
    told = "would have matched 2 places of the base, 1 of the commented code, 1 of the last 2 changes"
    assert one.effect_text == told


def test_the_past_is_read_from_a_repository(repository: RealRepository):
    for files in ({"a.py": "print(1)\n", "b.md": "x\n"}, {"a.py": "print(1)\nprint(2)\n"}):
        repository.write_all(files)
        repository.commit("a change")
    past = past_of(repository.path, ["*.py"])
    assert past is not None
    assert past.base == [("a.py", "print(1)\nprint(2)\n")]
    assert [(path, sorted(lines)) for path, _, lines in past.changes[0]] == [("a.py", [2])]
    assert past_of(Path("/nowhere"), ["*.py"]) is None


@pytest.mark.parametrize(
    "text",
    [
        "`" * 1500,
        "a." * 750,
        "never " * 250,
        "never use x" + " " * 1400,
        "_" * 1500,
        "=" * 1500,
        "x=" * 700,
        "/." * 700,
    ],
)
def test_hostile_words_are_read_in_time(text: str):
    began = time.process_time()
    propose([text], [PRINTING])
    assert time.process_time() - began < 2


def test_a_check_from_hostile_code_is_bounded():
    check = LearnedCheck(CheckKind.named, "a.b")
    began = time.process_time()
    where_check_matches(check, [("a.ts", "a." * 20_000 + "b\n" + "const {" * 5_000 + "b}\n" + " " * 20_000)])
    assert time.process_time() - began < 2


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
