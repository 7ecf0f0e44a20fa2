"""Intent, rule and similarity of review comments, without a language model, a store or network access.

rule = canonical_rule(CommentText("Please don't use any here!"))
rule.text  ->  "Rule: use explicit types, not `any`"
compare(CommentText("..."), rule, embedder).same
"""

from __future__ import annotations

from assay.github_app.rule_matching.canonical import CanonicalRule, Polarity, canonical_rule, rule_from
from assay.github_app.rule_matching.comment_text import CommentText
from assay.github_app.rule_matching.decision import Likeness, compare, compare_all, cut, nearest
from assay.github_app.rule_matching.extraction import canonical_rule_by
from assay.github_app.rule_matching.intents import Intent, intent

__all__ = [
    "CanonicalRule",
    "CommentText",
    "Intent",
    "Likeness",
    "Polarity",
    "canonical_rule",
    "canonical_rule_by",
    "compare",
    "compare_all",
    "cut",
    "intent",
    "nearest",
    "rule_from",
]
