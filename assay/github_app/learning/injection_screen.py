"""Detect signs of prompt injection: text that addresses a machine, or that hides its content.

Such comments are quarantined for a maintainer and never learned automatically. Only plain signs are detected; the
quorum is the second barrier.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from assay.validators import as_visible

MOST_LOOKED_AT = 20_000
"""Maximum characters searched; a longer comment counts as suspicious."""

_SECRET = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY|gh[a-z]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\."
    r"|sk-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9-]{8,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}"
    r"|://[^\s/@:]{1,80}:[^\s/@]{1,80}@"
    r"|\b(?:password|passwd|secret|token|api[_-]?key)[\"'`]?\s{0,3}[=:]\s{0,3}[`\"']?(?=[^\s`\"']{0,40}\d)[^\s`\"']{8,}",
    re.IGNORECASE,
)
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|overrule)\b[^.\n]{0,60}"
    r"\b(?:previous|prior|above|earlier|all|any|other|existing|your|these|those|system)\b[^.\n]{0,40}"
    r"\b(?:instructions?|prompts?|guidelines?|directions|directives?|rules?|polic(?:y|ies)|orders|training)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\byou are (?:now|an? (?:ai|assistant|agent|language model|llm|bot))\b"
    r"|\b(?:system|developer) (?:prompt|message)s?\b"
    r"|\bact as (?:an? )?(?:ai|admin|root|system|dan)\b|\bjailbreak|\bnew instructions\b|\bdo anything now\b"
    r"|\b(?:as|dear|hey|hello|attention),? (?:an? )?(?:ai|llm|ai assistant|language model|coding agent)s?\b"
    r"|\b(?:all|any|every|future|other) (?:ai |coding )?(?:agents?|assistants?|bots?|llms?|language models?)"
    r" (?:must|should|shall|have to|may|can|will|need)\b"
    r"|^[^\S\n]*(?:system|assistant|developer)[^\S\n]*:"
    r"|<\|?/?(?:system|assistant|im_start|im_end|endoftext|instructions?|tool_call)\b|\[/?INST\]",
    re.IGNORECASE | re.MULTILINE,
)
_LETTING_PASS = re.compile(
    r"(?P<before>.{0,20})"
    r"(?:\b(?:always|automatically|auto-?|just|must|should(?: be)?)\s{0,3}(?:approved?|lgtm)\b"
    r"|\b(?:auto-?merge|merge)\b[^.\n]{0,30}\b(?:without|unreviewed|no) (?:a )?(?:review|approval|check)"
    r"|\b(?:skip|disable|turn off|bypass|deactivate|switch off|stop running)\b[^.\n]{0,40}"
    r"\b(?:assay|code reviews?|reviewers?|risk (?:check|analysis)|branch protections?|security (?:check|scan|review)s?"
    r"|approvals?|holds?|required checks?|the ci|all (?:tests|checks))\b)",
    re.IGNORECASE,
)
_FORBIDDING = re.compile(
    r"(?:n['\N{RIGHT SINGLE QUOTATION MARK}]?t|\bnot|\bnever|\bno|\bwithout|\bavoid)\s+(?:to\s+)?$", re.IGNORECASE
)
# Leading blanks must not span lines: `^\s*` would try every empty line from every empty line before it.
_COMMAND = re.compile(
    r"(?:^[^\S\n]*(?:\$\s*)?|[`;&|(]\s*(?:\$\s*)?|\b(?:run|execute|exec|type|paste|call|invoke|try|do)\s+`?)(?:sudo\s+)?"
    r"(?:curl|wget|bash|zsh|powershell|pwsh|iex|ncat|netcat|ssh|scp|chmod|chown|rm\s+-|dd\s+if|mkfs|eval\s*\$|base64\s+-"
    r"|npx|pip3?\s+install|pipx\s+run|uvx|npm\s+(?:i|install|exec)|yarn\s+add|go\s+install|cargo\s+install"
    r"|brew\s+install|apt(?:-get)?\s+install|docker\s+run|kubectl|crontab|git\s+(?:push|config|clone|remote|reset)"
    r"|python3?\s+-c|node\s+-e|perl\s+-e|ruby\s+-e|export\s+\w+=|gh\s+(?:pr|auth|secret|api))(?!\w)"
    r"|\|\s*(?:ba|z|da)?sh\b|\$\([^)\n]{1,200}\)|\bsudo\s+\w|(?:^|[\s`])rm\s+-[a-z]{0,5}[rf]|/dev/tcp/|>\s*/etc/",
    re.IGNORECASE | re.MULTILINE,
)
_ASSAY = re.compile(r"(?:^|[\s`>*-])/assay\b|\bassay[- ]managed\b", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(
    r"\b(?:https?|ftps?|wss?|file|ssh|git)\s?:\s?//|\b(?:javascript|vbscript):\S|\bdata:\w{2,20}/|\bmailto:\S|\bwww\.\w"
    r"|(?<![\w.@/`-])(?:[a-z0-9-]{1,40}\.){1,4}(?:com|org|ru|cn|xyz|tk|onion)(?![\w(]|\.\w)"
    r"|(?<![\w.])[\w.+-]{1,60}@[\w-]{1,60}\.[a-z]{2,10}\b",
    re.IGNORECASE,
)
_HTML = re.compile(
    r"<(?:script|iframe|object|embed|form|style|link|meta|svg|img|base|video|audio)\s[^>\n]{0,300}[=>]|<script>"
    r"|\bon(?:error|load|click|mouseover|focus)\s{0,3}=\s{0,3}[\"']",
    re.IGNORECASE,
)
_CODE_SPAN = re.compile(r"`{1,3}[^`]{1,2000}`{1,3}")
_ENCODED = re.compile(
    r"[A-Za-z0-9+/]{80,}={0,2}|(?:\\x[0-9a-f]{2}){8,}|(?:%[0-9a-f]{2}){8,}|(?:&#x?[0-9a-f]{2,6};){4,}", re.IGNORECASE
)
TOO_LONG = "more text than a reviewer reads"


def injection_sign(text: str) -> str | None:
    """Return the first sign of an injection in a text, or None."""
    if len(text) > MOST_LOOKED_AT:
        return TOO_LONG
    return next((what for what, finds in _SIGNS if finds(text)), None)


def _has_unseen(text: str) -> bool:
    """Return whether a text has invisible or reordering characters, which people and machines read differently."""
    # Emoji use a zero-width character for colour, and prose contains other spaces: both are safe.
    lines = (line.replace("\ufe0f", "").replace("\xa0", " ").replace("\t", " ").strip() for line in text.splitlines())
    return any(line != as_visible(line) for line in lines)


def _lets_pass(text: str) -> bool:
    """Return whether a text demands that changes be approved; forbidding it is a normal rule."""
    return any(not _FORBIDDING.search(found["before"]) for found in _LETTING_PASS.finditer(text))


_SIGNS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("a secret", _SECRET.search),
    ("hidden characters", _has_unseen),
    ("a hidden comment", lambda text: "<!--" in text),
    ("a command to Assay", _ASSAY.search),
    ("an order to disregard instructions", _OVERRIDE.search),
    ("words that give a machine a role", _ROLE.search),
    ("an order to let changes pass", _lets_pass),
    ("a command line", _COMMAND.search),
    ("an address", _ADDRESS.search),
    ("active HTML", lambda text: _HTML.search(_CODE_SPAN.sub("", text))),
    ("encoded text", _ENCODED.search),
)
