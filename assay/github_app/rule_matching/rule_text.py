"""Rule in a review comment: the reviewer's own words, cleaned.

"nit: Please don't use any here!" -> StatedRule("Rule: Don't use any here", ...)
"Thanks, done." -> None
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from assay.github_app.rule_matching.comment_text import CommentText, prose
from assay.github_app.rule_matching.intents import Intent, intent_of_sentence, is_answer, is_one_off, sentences
from assay.github_app.rule_matching.languages import language_said
from assay.github_app.rule_matching.negation import sides_of

PREFIX = "Rule: "
"""Beginning of the text of a rule that comes from a comment."""
SHORT = 240
"""Maximum length of a comment used whole; of a longer one, the first sentence that asks for something is used."""
MOST_TEXT = 500
MOST_SAID = 700
_PERSONAL = re.compile(r"(?i)\W*(?:i|i'm|i've|i'll|my|me|you|we were|we had|hope|hmm|hi|hey|sorry|moving|adding)\b")
_COURTESY = re.compile(r"(?i)^(?:please|pls|nit|hey|hi)\b[\s,:!-]*")
_CODE = re.compile(r"`[^`]{3,}`|[a-z]_[a-z]|\w\.\w|[a-z][A-Z]|\w\(\)|=\w|[=!<>&|]{2}|\w-\w")
_ENGLISH = re.compile(
    r"(?i)\b(?:the|a|an|is|are|be|to|of|in|for|not|this|that|it|use|please|we|you|should|no|don'?t|never|instead|with|and"
    r"|or|missing|avoid|add|here|on|by|always|must|need|needs)\b"
)


@dataclass(frozen=True, slots=True)
class StatedRule:
    """Rule of a comment, or as a person worded it; `said` is the comment's sentence, "" without a comment.

    `key` is a hash of its words, 12 hex digits.
    """

    text: str
    language: str | None
    paths: tuple[str, ...]
    key: str
    said: str = ""

    def as_mapping(self) -> dict[str, Any]:
        """Return the rule as JSON data; `rule_from` reads it back."""
        return asdict(self)


def asked_for(comment: CommentText) -> StatedRule | None:
    """Return what a comment asks for; None for questions, praise, answers and corrections of one place.

    A comment in another language than English is not read, and counts unless it is a question.
    """
    body = prose(comment.body)
    parts = sentences(body)
    if not parts or not re.search(r"[^\W\d_]{2}", body):
        return None
    whole = " ".join(parts)
    if is_foreign(whole):
        asking = [] if whole.rstrip().endswith("?") else parts
    else:
        asking = [part for part in parts if _may_advise(part)]
    if not asking or is_one_off(whole) or not _says_enough(whole):
        return None
    said = whole if len(whole) <= SHORT else asking[0]
    return rule_of(said[:MOST_SAID], comment.path, worded(said))


def worded(said: str) -> str:
    """Return a reviewer's words as the text of a rule: without courtesies, and without a full stop."""
    text = _COURTESY.sub("", " ".join(said.split()))[:MOST_TEXT].rstrip(" .!")
    return text[:1].upper() + text[1:]


def stated(text: str) -> StatedRule:
    """Return a rule that a person worded, without a comment."""
    return rule_of("", None, text.strip().rstrip("."))


def rule_of(said: str, path: str | None, text: str) -> StatedRule:
    """Return the rule with this text; its language is what its words name, else that of the path."""
    if said and not text.startswith(PREFIX):
        text = PREFIX + text
    return StatedRule(text, language_said(said or text, path), (), key_of(text), said)


def key_of(text: str) -> str:
    """Return the key of a rule with this text."""
    return hashlib.sha256(same_words(text).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def same_words(text: str) -> str:
    """Return a text without case, punctuation and courtesies, for comparing."""
    plain = _COURTESY.sub("", text.lower().removeprefix("rule:").strip())
    words = (word.rstrip(".-") for word in re.findall(r"[^\W_][\w.+#=-]*|[=!<>&|]{2,3}", plain))
    return " ".join(word for word in words if word not in ("please", "here", "the", "a", "an"))


def rule_from(mapping: Mapping[str, Any]) -> StatedRule:
    """Parse the result of `as_mapping`, also after a JSON round trip; raises `ValueError` if it is not a rule."""
    known = {field.name for field in fields(StatedRule)}
    try:
        values = {name: value for name, value in mapping.items() if name in known}
        return StatedRule(**{**values, "paths": tuple(str(one) for one in values["paths"])})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a rule: {type(error).__name__}") from None


def is_foreign(text: str) -> bool:
    """Return whether a text of several words has hardly a common word of English."""
    num = len(re.findall(r"[^\W\d_]{2,}", text))
    return num >= 4 and len(_ENGLISH.findall(text)) < max(1, num // 10)


def _says_enough(text: str) -> bool:
    """Return whether a text has two content words, or one that looks like code: not "redundant", "same here"."""
    return len(sides_of(text)) >= 2 or _CODE.search(text) is not None


def _may_advise(sentence: str) -> bool:
    """Return whether a sentence asks for a change, or only names a problem: "a div isn't a button", "no timeout"."""
    kind = intent_of_sentence(sentence)
    if kind is not Intent.other:
        return kind is Intent.asks
    return not is_answer(sentence) and not _PERSONAL.match(sentence)
