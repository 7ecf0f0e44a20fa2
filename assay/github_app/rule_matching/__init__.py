"""Intent, rule and similarity of review comments, without a language model, a store or network access.

rule = canonical_rule(CommentText("Please don't use any here!"))
rule.text  ->  "Rule: use explicit types, not `any`"
Comparer(embedder).compare(CommentText("..."), rule).same
"""

from __future__ import annotations

from assay.github_app.rule_matching.canonical import (
    CanonicalRule,
    Polarity,
    asked_for,
    canonical_rule,
    rule_from,
    starts_rule,
    stated,
)
from assay.github_app.rule_matching.comment_text import CommentText
from assay.github_app.rule_matching.decision import Comparer, Likeness
from assay.github_app.rule_matching.extraction import Assignment, assign, assign_all
from assay.github_app.rule_matching.index import RuleIndex
from assay.github_app.rule_matching.intents import Intent, intent
from assay.github_app.rule_matching.weights import Rarity

__all__ = [
    "Assignment",
    "CanonicalRule",
    "CommentText",
    "Comparer",
    "Intent",
    "Likeness",
    "Polarity",
    "Rarity",
    "RuleIndex",
    "asked_for",
    "assign",
    "assign_all",
    "canonical_rule",
    "intent",
    "rule_from",
    "starts_rule",
    "stated",
]
