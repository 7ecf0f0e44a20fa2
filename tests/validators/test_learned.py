"""Learned rules as data: what goes into a file comes out of it, and what is no rule is said so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.quality.inputs.learned_model import (
    MOST_RULES,
    CheckKind,
    LearnedCheck,
    LearnedRule,
    NotARule,
    Where,
    learned_file,
    read_learned_file,
    rule_from,
)
from assay.validators.run.isolated import ValidationOptions, ValidationRequest

CHECKS = st.one_of(
    st.none(),
    st.builds(
        LearnedCheck,
        st.just(CheckKind.regex),
        st.sampled_from([r"\bprint\(", "TODO: .*", "# '\" \\\\", "yes", "1"]),
        st.sampled_from(list(Where)),
    ),
    st.builds(
        lambda pattern: LearnedCheck(CheckKind.ast_grep, language="Python", rule={"any": [{"pattern": pattern}]}),
        st.sampled_from(["print($$$)", "true", "~", "- a: b"]),
    ),
    st.just(LearnedCheck(CheckKind.semgrep, "eval(...)", language="python")),
)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=60)
RULES = st.builds(
    LearnedRule,
    st.from_regex("[0-9a-f]{12}", fullmatch=True),
    TEXTS,
    CHECKS,
    st.sampled_from([("**",), ("*.py", "src/**/*.ts")]),
    TEXTS | st.just(""),
    TEXTS | st.just(""),
)


@given(st.lists(RULES, max_size=5, unique_by=lambda rule: rule.rule_id))
def test_what_is_written_is_read_again(rules: list[LearnedRule]):
    assert set(map(repr, read_learned_file(learned_file(rules).encode()))) == set(map(repr, rules))
    assert learned_file(rules) == learned_file(rules[::-1])


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"rules: [{text}]".encode()))
def test_a_file_of_anything_is_read_or_refused(content: bytes):
    said = ""
    try:
        read_learned_file(content)
    except NotARule as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "`id`"),
        ({"id": "../x", "text": "t"}, "`id`"),
        ({"id": "a"}, "`text`"),
        ({"id": "a", "text": " "}, "`text`"),
        ({"id": "a", "text": "t" * 501}, "`text`.* at most 500"),
        ({"id": "a", "text": "t", "paths": []}, "`paths`"),
        ({"id": "a", "text": "t", "paths": ["../x"]}, "leads out of the repository"),
        ({"id": "a", "text": "t", "run": "rm"}, "`run`"),
        ({"id": "a", "text": "t", "check": {"kind": "shell"}}, "`check.kind`"),
        ({"id": "a", "text": "t", "check": {"kind": "regex", "pattern": "("}}, "not a regular expression"),
        ({"id": "a", "text": "t", "check": {"kind": "regex", "pattern": "x", "where": "there"}}, "`check.where`"),
        ({"id": "a", "text": "t", "check": {"kind": "ast-grep", "rule": {"pattern": "x"}}}, "needs a `language`"),
        ({"id": "a", "text": "t", "check": {"kind": "ast-grep", "language": "Python"}}, "needs a `rule`"),
        ({"id": "a", "text": "t", "check": {"kind": "semgrep", "language": "a b", "pattern": "x"}}, "`check.language`"),
    ],
)
def test_what_is_no_rule_is_said_in_words(data: dict[str, Any], said: str):
    with pytest.raises(NotARule, match=said):
        rule_from(data)


def test_more_rules_than_anybody_keeps_are_refused():
    rules = [LearnedRule(f"r{number}", "t") for number in range(MOST_RULES + 1)]
    with pytest.raises(NotARule, match=f"more than {MOST_RULES}"):
        read_learned_file(learned_file(rules).encode())


def test_a_request_to_judge_carries_them():
    rule = LearnedRule("a", "t", LearnedCheck(CheckKind.ast_grep, language="Python", rule={"pattern": "x"}), ("*.py",))
    request = ValidationRequest("r", "b", "h", options=ValidationOptions(learned_rules=(rule,)))
    assert ValidationRequest.from_data(json.loads(json.dumps(request.to_data()))) == request
