"""Signs of secrets and of instructions to the agent in the texts of a memory.

Only plain signs are detected. A false alarm costs a look; the patterns therefore prefer known forms to guesses.
"""

from __future__ import annotations

import re

from assay.secret_forms import CERTAIN, IN_PROSE

MOST_SEARCHED = 20_000
"""Characters of an entry that are searched; longer entries are split when they are read."""

_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,60}"
    r"\b(?:previous|prior|above|earlier|all|any|other|existing|your|these|those|system)\b[^.\n]{0,40}"
    r"\b(?:instructions?|prompts?|guidelines?|directives?|rules?|polic(?:y|ies)|safety|restrictions?)\b",
    re.IGNORECASE,
)
_DIRECTS = re.compile(
    r"\b(?:do not|don't|never) (?:tell|inform|mention (?:this|it) to|show (?:this|it) to|reveal (?:this|it) to)"
    r" (?:the )?(?:user|human|owner|operator)s?\b"
    r"|\bwhen(?:ever)? (?:the )?(?:user|human|someone) (?:asks?|mentions?|says?|requests?)\b[^.\n]{0,100}"
    r"\b(?:reply|respond|answer|say|send|forward|recommend|include|insert|run|execute|call)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\byou are (?:now|no longer)\b|\bnew (?:system )?(?:instructions|prompt)\b|\bsystem prompt\b|\bjailbreak"
    r"|\bdo anything now\b"
    r"|\b(?:any|every|all|future|other) (?:ai |coding )?(?:agents?|assistants?|llms?|language models?)"
    r" (?:must|should|shall|have to)\b"
    r"|<\|?/?(?:system|im_start|im_end|endoftext|instructions?|tool_call)\b|\[/?INST\]|<<SYS>>"
    r"|^[^\S\n]*(?:system|assistant)[^\S\n]*:[^\S\n]*\S",
    re.IGNORECASE | re.MULTILINE,
)
_SENDING = re.compile(
    r"\b(?:send|post|upload|forward|exfiltrate|transmit|copy)\b[^.\n]{0,80}"
    r"\b(?:secrets?|passwords?|tokens?|keys?|credentials?|memor(?:y|ies)|conversations?|history)\b[^.\n]{0,80}"
    r"(?:https?://|\bto \S{1,80}@\S{1,80})",
    re.IGNORECASE,
)
_UNSEEN = re.compile("[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_SIGNS = (
    ("overrides instructions", _OVERRIDE),
    ("directs the agent's answers", _DIRECTS),
    ("addresses the agent", _ROLE),
    ("sends data away", _SENDING),
    ("has invisible characters", _UNSEEN),
)


def has_secret(text: str) -> bool:
    """Return whether a text contains something in the form of a password, a key or a token."""
    return CERTAIN.search(text) is not None


def secrets_in(text: str) -> tuple[str, ...]:
    """Return the distinct secrets that `has_secret` finds, in order."""
    return tuple(dict.fromkeys(match[0] for match in CERTAIN.finditer(text)))


def redacted(text: str) -> str:
    """Replace what `has_secret` finds, and whatever else could be one."""
    return IN_PROSE.sub("[secret]", text)


def instruction_sign(text: str) -> str | None:
    """Return the first sign that a text instructs the agent, or None."""
    searched = text[:MOST_SEARCHED]
    return next((what for what, pattern in _SIGNS if pattern.search(searched)), None)
