"""Comments as rules: what is asked for, instead of what, on which side; and comments that hold none."""

from __future__ import annotations

import json

import pytest

from assay.github_app.rule_matching import CanonicalRule, CommentText, Polarity, canonical_rule, rule_from
from tests.github_app.advice.conftest import labelled


def rule_in(body: str, path: str | None = None) -> CanonicalRule | None:
    return canonical_rule(CommentText(body, path))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("don't use any", "Rule: use explicit types, not `any`"),
        ("please use proper TypeScript types instead of any", "Rule: use explicit types, not `any`"),
        ("third copy of this code, DRY it up please", "Rule: Extract duplicated code into one shared function"),
        ("**nit:** no magic numbers please", "Rule: Give literal values a named constant"),
        (
            "Never swallow exceptions :bomb: see https://example.com/style",
            "Rule: Never swallow errors silently; handle them or let them propagate",
        ),
        ("put this behind a flag", "Rule: Put new behavior behind a feature flag"),
        ("no Lombok in new code", "Rule: No Lombok in new code"),
        ("please don't log the URL", "Rule: Don't log the URL"),
        ("please use a context manager", "Rule: Close files and connections, with the language's construct for it"),
        (
            "use `Frobnicator.spin()` rather than `Widget.turn()`",
            "Rule: Use `Frobnicator.spin()` rather than `Widget.turn()`",
        ),
    ],
)
def test_a_comment_becomes_a_rule_in_one_wording(body, text):
    rule = rule_in(body)
    assert rule is not None
    assert rule.text == text


def test_what_is_preferred_to_what_is_told_apart():
    rule = rule_in("use Frobnicator rather than Gizmo")
    assert rule is not None
    assert (rule.polarity, rule.action, rule.objects, rule.over) == (Polarity.prefer, "use", ("frobnic",), ("gizmo",))


def test_advice_against_something_has_it_as_its_object():
    rule = rule_in("don't use Gizmo here")
    assert rule is not None
    assert (rule.polarity, rule.objects, rule.over) == (Polarity.dont, ("gizmo",), ())


def test_the_key_is_that_of_the_normal_form():
    one, same = rule_in("Use Frobnicator rather than Gizmo."), rule_in("please use Frobnicator, rather than Gizmo")
    turned = rule_in("use Gizmo rather than Frobnicator")
    assert one is not None
    assert same is not None
    assert turned is not None
    assert one.key == same.key != turned.key
    assert len(one.key) == 12


@pytest.mark.parametrize(
    ("body", "path", "language"),
    [
        ("no magic numbers", "src/app.tsx", "typescript"),
        ("no magic numbers", "Dockerfile", None),
        ("use explicit TypeScript types, not any", None, "typescript"),
        ("no magic numbers", None, None),
    ],
)
def test_the_language_is_named_or_that_of_the_file(body, path, language):
    rule = rule_in(body, path)
    assert rule is not None
    assert rule.language == language


@pytest.mark.parametrize(
    "body",
    [
        "nit: this is redundant",
        "why?",
        "LGTM",
        "typo: recieve -> receive",
        "this should be 5, not 6",
        "ditto",
        "please rebase",
        "Can you resolve the conflicts?",
        "> don't use any\n\nDone, thanks!",
        '```suggestion\n  "version": "2.4.1",\n```',
        "",
        "\N{THINKING FACE}",
    ],
)
def test_a_comment_without_a_lasting_rule_holds_none(body):
    assert rule_in(body) is None


def test_at_most_one_in_twenty_of_the_labelled_comments_without_a_rule_is_taken_for_one():
    rows = [row for row in labelled("no_rule_tuning.jsonl") if not row["holds_rule"]]
    taken = [row["body"] for row in rows if rule_in(row["body"]) is not None]
    assert len(rows) >= 60
    assert len(taken) / len(rows) <= 0.05, taken


def test_most_labelled_comments_with_a_rule_hold_one():
    rows = [row for row in labelled("no_rule_tuning.jsonl") if row["holds_rule"]]
    missed = [row["body"] for row in rows if rule_in(row["body"]) is None]
    assert len(missed) / len(rows) <= 0.2, missed


def test_a_rule_survives_being_stored():
    rule = rule_in("Prefer composition over inheritance.", "a.py")
    assert rule is not None
    assert rule_from(json.loads(json.dumps(rule.as_mapping()))) == rule


@pytest.mark.parametrize("mapping", [{}, {"text": "x"}, {"polarity": "maybe", "objects": [], "over": [], "paths": []}])
def test_what_is_no_stored_rule_is_refused(mapping):
    with pytest.raises(ValueError, match="not a canonical rule"):
        rule_from(mapping)
