"""Words without which Assay's semgrep rules find nothing: a change with none of them needs no semgrep.

For each rule, regular expressions that all have to match somewhere in a file. semgrep skips rules in the same way, by
the names in their patterns, once it has started and read the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import yaml

from assay.validators.tools.scanners.semgrep_rules import OUR_RULES

_SUFFIXES = {
    "python": frozenset((".py", ".pyi", ".pyw")),
    "javascript": frozenset((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue")),
}
_REQUEST = r"\brequest\b"
_JS_REQUEST = r"\breq(?:uest)?\b"
_STATEMENTS = r"(?i)\b(?:select|insert|update|delete|create|alter|drop|truncate|merge|replace|with)\b"
_HASHED = r"(?i)password|passwd|passphrase|\bpwd\b"
_CREDENTIAL = (
    r"(?i)password|passwd|passphrase|secret|api[_-]?key|private[_-]?key|signing[_-]?key|token",
    # A literal of 16 characters or more with a digit, as the rule's own expression has it.
    "|".join(rf"{q}(?=[^{q}]*\d)[^\s{q}<>{{}}$%*/\\]{{16,}}{q}" for q in "\"'`"),
)
_GUESSABLE = r"(?i)token|password|passwd|secret|nonce|otp|session_?id|csrf|salt|verification_?code|reset_?code|api_?key"
_JS_QUERY = r"\b(?:query|execute|raw)\b|RawUnsafe"

WORDS: Mapping[str, tuple[str, ...]] = {
    "python-sql-from-request": (_REQUEST, r"\b(?:execute|executemany|executescript|raw|text)\b"),
    "python-path-from-request": (_REQUEST, r"\b(?:open|send_file|remove|rmtree)\b"),
    "python-address-from-request": (_REQUEST, r"\b(?:requests|httpx|urlopen)\b"),
    "python-eval": (r"\b(?:eval|exec)\b",),
    "python-subprocess-shell": (r"\b(?:shell|system|popen|getoutput|create_subprocess_shell)\b",),
    "python-sql-formatted": (r"\b(?:execute|executemany|executescript|raw)\b", _STATEMENTS),
    "python-yaml-unsafe-load": (r"\byaml\b", r"\bload|_load|Loader"),
    "python-unpickle": (r"\b(?:pickle|dill|marshal|shelve|jsonpickle|read_pickle)\b",),
    "python-tls-verification-off": (
        r"\b(?:verify|_create_unverified_context|check_hostname|CERT_NONE|ssl|verify_ssl)\b",
    ),
    "python-mktemp": (r"\b(?:mktemp|tempnam)\b",),
    "python-weak-password-hash": (r"\bhashlib\b", _HASHED),
    "python-hardcoded-credential": _CREDENTIAL,
    "python-hardcoded-password": (
        r"(?i)password|passwd|passphrase",
        "|".join(rf"{q}(?=[^{q}]*[\d!@#^&])[^\s{q}<>{{}}$%*]{{8,64}}{q}" for q in "\"'"),
    ),
    "python-flask-debug": (r"\bflask\b", r"(?i)\bdebug\b"),
    "python-jinja-autoescape-off": (r"\b(?:autoescape|render_template_string)\b",),
    "python-jwt-unverified": (r"\b(?:jwt|jose)\b", r"verify|none|unverified"),
    "python-tar-extractall": (r"\b(?:extractall|unpack_archive)\b",),
    "python-guessable-token": (r"\brandom\b", _GUESSABLE),
    "python-unescaped-html": (r"\b(?:mark_safe|Markup)\b",),
    "python-xml-entities": (r"\b(?:XMLParser|setFeature)\b",),
    "javascript-sql-from-request": (_JS_REQUEST, _JS_QUERY),
    "javascript-path-from-request": (_JS_REQUEST, r"\b(?:fs|sendFile)\b"),
    "javascript-address-from-request": (_JS_REQUEST, r"\b(?:fetch|axios|got|https?)\b"),
    "javascript-redirect-from-request": (_JS_REQUEST, r"\bredirect\b"),
    "javascript-regex-from-request": (_JS_REQUEST, r"\bRegExp\b"),
    "javascript-eval": (r"\b(?:eval|Function)\b|\bset(?:Timeout|Interval)\s*\(\s*`",),
    "javascript-shell-command": (r"\bchild_process\b",),
    "javascript-sql-template": (_JS_QUERY, _STATEMENTS),
    "javascript-inner-html": (r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment)\b",),
    "javascript-dangerously-set-inner-html": (r"\bdangerouslySetInnerHTML\b",),
    "javascript-document-write": (r"\bdocument\b", r"\bwrite(?:ln)?\b"),
    "javascript-tls-verification-off": (r"\b(?:rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED)\b",),
    "javascript-guessable-token": (r"\bMath\b", _GUESSABLE),
    "javascript-post-message-any-origin": (r"\bpostMessage\b",),
    "javascript-jwt-none": (r"(?i)jwt|jsonwebtoken|jose", r"\b(?:verify|sign)\b"),
    "javascript-hardcoded-credential": _CREDENTIAL,
    "javascript-weak-password-hash": (r"\bcreateHash\b", _HASHED),
    "javascript-cors-any-origin": (r"\bcors\b", r"\bcredentials\b"),
}
"""Rule -> what a file needs for a match. Rules of regular expressions are their own words."""


def may_match(path: str, text: str) -> bool:
    """Return whether one of Assay's rules could find something in a file; `path` has the suffix of its language."""
    suffix = PurePosixPath(path).suffix.lower()
    return any(
        all(word.search(text) for word in words)
        for language, rules in _compiled().items()
        if language == "any" or suffix in _SUFFIXES[language]
        for words in rules.values()
    )


def rules_that_may_match(language: str, text: str) -> set[str]:
    """Return the rules of one file of rules (`python`) that could find something in a text."""
    return {rule for rule, words in _compiled()[language].items() if all(word.search(text) for word in words)}


@cache
def _compiled() -> Mapping[str, Mapping[str, tuple[re.Pattern[str], ...]]]:
    """Return language -> rule -> its words. A rule without any could always match."""
    found: dict[str, dict[str, tuple[re.Pattern[str], ...]]] = {}
    for path in sorted(OUR_RULES.glob("*.yaml")):
        for rule in yaml.safe_load(path.read_text("utf-8"))["rules"]:
            words = WORDS.get(rule["id"]) or ("|".join(f"(?:{one})" for one in _expressions(rule)),)
            found.setdefault(path.stem, {})[rule["id"]] = tuple(re.compile(word) for word in words)
    return found


def _expressions(rule: Mapping[str, Any]) -> Iterator[str]:
    for key, value in rule.items():
        if key == "pattern-regex":
            yield value
        elif key in ("patterns", "pattern-either"):
            children: Iterable[Mapping[str, Any]] = value
            for child in children:
                yield from _expressions(child)
