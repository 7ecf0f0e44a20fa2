"""Words without which Assay's semgrep rules find nothing: a change with none of them needs no semgrep.

For each rule, regular expressions that all have to match somewhere in a file. They are names in the rule's patterns,
never a part of a value: semgrep computes that of `"hun" + "ter2"`, of a constant, and of adjacent strings. Names can be
in pieces too (`options["api" + "_key"]`), so the pieces are joined before the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from assay.validators.changes.language_table import suffix_of, suffixes
from assay.validators.tools.scanners.semgrep_rules import our_rules

_SUFFIXES = {
    "python": suffixes("python"),
    "javascript": suffixes("javascript", "jsx", "typescript", "tsx", "vue"),
}
_JOINT = re.compile(r"""(["'`])\s*(?:\+\s*)?\1""")
"""Where one string ends and the next begins: `"pass" "word"`, `'pass' + 'word'`."""
_REQUEST = r"\brequest\b"
_JS_REQUEST = r"\breq(?:uest)?\b"
_HASHED = r"(?i)password|passwd|passphrase|\bpwd\b"
_CREDENTIAL = r"(?i)password|passwd|passphrase|secret|api[_-]?key|private[_-]?key|signing[_-]?key|token"
_GUESSABLE = r"(?i)token|password|passwd|secret|nonce|otp|session_?id|csrf|salt|verification_?code|reset_?code|api_?key"
_JS_QUERY = r"\b(?:query|execute|raw)\b|RawUnsafe"

WORDS: Mapping[str, tuple[str, ...]] = {
    "python-sql-from-request": (_REQUEST, r"\b(?:execute|executemany|executescript|raw|text)\b"),
    "python-path-from-request": (_REQUEST, r"\b(?:open|send_file|remove|rmtree)\b"),
    "python-address-from-request": (_REQUEST, r"\b(?:requests|httpx|urlopen)\b"),
    "python-sql-formatted": (r"\b(?:execute|executemany|executescript|raw)\b",),
    "python-tls-verification-off": (
        r"\b(?:verify|_create_unverified_context|check_hostname|CERT_NONE|ssl|verify_ssl)\b",
    ),
    "python-mktemp": (r"\b(?:mktemp|tempnam)\b",),
    "python-weak-password-hash": (r"\bhashlib\b", _HASHED),
    "python-hardcoded-credential": (_CREDENTIAL,),
    "python-hardcoded-password": (r"(?i)password|passwd|passphrase",),
    "python-flask-debug": (r"\bflask\b", r"(?i)\bdebug\b"),
    "python-jinja-autoescape-off": (r"\b(?:autoescape|render_template_string)\b",),
    "python-jwt-unverified": (r"\b(?:jwt|jose)\b",),
    "python-tar-extractall": (r"\b(?:extractall|unpack_archive)\b",),
    "python-guessable-token": (r"\brandom\b", _GUESSABLE),
    "python-unescaped-html": (r"\b(?:mark_safe|Markup)\b",),
    "python-xml-entities": (r"\b(?:XMLParser|setFeature)\b",),
    "javascript-sql-from-request": (_JS_REQUEST, _JS_QUERY),
    "javascript-path-from-request": (_JS_REQUEST, r"\b(?:fs|sendFile)\b"),
    "javascript-address-from-request": (_JS_REQUEST, r"\b(?:fetch|axios|got|https?)\b"),
    "javascript-redirect-from-request": (_JS_REQUEST, r"\bredirect\b"),
    "javascript-regex-from-request": (_JS_REQUEST, r"\bRegExp\b"),
    "javascript-sql-template": (_JS_QUERY,),
    "javascript-inner-html": (r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment)\b",),
    "javascript-dangerously-set-inner-html": (r"\bdangerouslySetInnerHTML\b",),
    "javascript-document-write": (r"\bdocument\b", r"\bwrite(?:ln)?\b"),
    "javascript-tls-verification-off": (r"\b(?:rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED)\b",),
    "javascript-guessable-token": (r"\bMath\b", _GUESSABLE),
    "javascript-post-message-any-origin": (r"\bpostMessage\b",),
    "javascript-jwt-none": (r"(?i)jwt|jsonwebtoken|jose", r"\b(?:verify|sign)\b"),
    "javascript-hardcoded-credential": (_CREDENTIAL,),
    "javascript-weak-password-hash": (r"\bcreateHash\b", _HASHED),
    "javascript-cors-any-origin": (r"\bcors\b", r"\bcredentials\b"),
}
"""Rule -> what a file needs for a match."""


def may_match(path: str, text: str) -> bool:
    """Return whether one of Assay's rules could find something in a file; `path` has the suffix of its language."""
    suffix = suffix_of(path)
    languages = [language for language in _compiled() if suffix in _SUFFIXES[language]]
    return any(any(True for _ in rules_that_may_match(language, text)) for language in languages)


def rules_that_may_match(language: str, text: str) -> Iterator[str]:
    """Yield the rules of one file of rules (`python`) that could find something in a text."""
    texts = {text, _JOINT.sub("", text)}
    for rule, words in _compiled()[language].items():
        if all(any(map(word.search, texts)) for word in words):
            yield rule


@cache
def _compiled() -> Mapping[str, Mapping[str, tuple[re.Pattern[str], ...]]]:
    """Return language -> rule -> its words."""
    return {
        language: {rule["id"]: tuple(map(re.compile, WORDS[rule["id"]])) for rule in our_rules()[language]}
        for language in _SUFFIXES
    }
