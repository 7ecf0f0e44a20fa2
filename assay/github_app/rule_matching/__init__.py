"""Intent, rule and similarity of review comments, without a store or network access.

rule = asked_for(CommentText("Please don't use any here!"))
Nearest(embedder).scores(rule.text, [row.text for row in known])
"""

from __future__ import annotations

from assay.github_app.rule_matching.comment_text import CommentText
from assay.github_app.rule_matching.extraction import Assignment, assign, assign_all
from assay.github_app.rule_matching.intents import Intent, intent
from assay.github_app.rule_matching.nearest import Nearest, is_nearly_equal
from assay.github_app.rule_matching.rule_text import StatedRule, asked_for, rule_from, stated

__all__ = [
    "Assignment",
    "CommentText",
    "Intent",
    "Nearest",
    "StatedRule",
    "asked_for",
    "assign",
    "assign_all",
    "intent",
    "is_nearly_equal",
    "rule_from",
    "stated",
]
