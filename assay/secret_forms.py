r"""Forms of credentials in text: private keys, tokens of known services, passwords by their context.

`IN_LOGS`   for redacting a log line, in which text may be escaped as JSON
`IN_PROSE`  for redacting text of people and agents: plain words after `token` or `basic` stay
`CERTAIN`   for counting texts with a secret: a value after `password:` must have a digit

Every pattern takes linear time: text is hostile. A repetition is either bounded, or possessive and begins at a
character that ends the one before it.
"""

from __future__ import annotations

import re

# In a log line, `\n` or `\u200b` may precede a token.
_ESCAPED = r"(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4})"
_START = rf"(?:(?<![A-Za-z0-9])|{_ESCAPED})"
_KEY = r"[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_KNOWN = (
    # Without an end, the rest of the text is the key. Of a key that was split, the last part has only the end.
    rf"-----BEGIN {_KEY}(?s:.*?)(?:-----END {_KEY}|\Z)"
    rf"|(?<![\w+/=\s\\])[\w+/=\s\\]{{16,}}+-----END {_KEY}"
    rf"|(?:(?<![\w-])|{_ESCAPED})(?:[\w-]{{0,30}}[_-])?eyJ[\w-]{{5,}}+\.[\w-]{{5,}}+\.[\w-]*+"
    r"|(?<=://)[^/@:\s\"'\\]*+:[^/@\s\"'\\]++(?=@)"
    rf"|{_START}(?:"
    r"gh[a-z]_[A-Za-z0-9_.-]{10,}+|github_pat_\w{10,}+|v1\.[0-9a-f]{40}|glpat-[\w-]{16,}+"
    r"|sk-[A-Za-z0-9_-]{16,}+|[rs]k_live_[A-Za-z0-9]{16,}+|xox[a-z]-[A-Za-z0-9-]{8,}+"
    r"|A[KS]IA[0-9A-Z]{16}(?![0-9A-Z])|AIza[\w-]{30,}+|hf_[A-Za-z0-9]{20,}+|npm_[A-Za-z0-9]{30,}+"
    r"|assay_[A-Za-z0-9_-]{43}[0-9a-f]{0,8})"
)
_NAMED = (
    r"|(?i:access_token|client_secret|private_key|webhook_secret|password|api_key)"
    r"\\?[\"']?\s*+[=:]\s*+\\?[\"']?[^\s\"'\\&,}]{4,}+"
)
_NAMED_WITH_DIGIT = (
    r"|(?<![A-Za-z0-9])(?i:password|passwd|passphrase|secret|token|api[ _-]?key|access[ _-]?key|pin)(?![A-Za-z0-9])"
    r"[\"'`]?\s{0,3}(?:is|[=:])\s{0,3}[\"'`]?(?=[^\s\"'`]{0,60}\d)[^\s\"'`]{4,120}"
)
_AUTHORIZATION = r"|\b(?i:bearer|basic|token)\s++[A-Za-z0-9._~+/=-]{8,}+"
# Prose has "basic authentication" and "the token endpoint", so there only a long word with a digit counts.
_AUTHORIZATION_WITH_DIGIT = r"|\b(?i:bearer|basic|token)\s++(?=[^\s\d]{0,80}\d)[A-Za-z0-9._~+/=-]{16,}+"

IN_LOGS = re.compile(_KNOWN + r"|sha256=[0-9a-f]{64}" + _NAMED + _AUTHORIZATION)
IN_PROSE = re.compile(_KNOWN + _NAMED + _NAMED_WITH_DIGIT + _AUTHORIZATION_WITH_DIGIT)
CERTAIN = re.compile(_KNOWN + _NAMED_WITH_DIGIT)
