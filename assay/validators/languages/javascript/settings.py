"""Defensive readers of JavaScript projects' settings files, which are JSON with comments, and YAML."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

LARGEST_SETTINGS = 1024 * 1024
_NOISE = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)|,(?=\s*+[}\]])')


def json_object(content: bytes | None) -> dict[str, Any]:
    """Return the object in a JSON file with comments and trailing commas; empty for anything else."""
    if content is None or len(content) > LARGEST_SETTINGS:
        return {}
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for _ in range(2):  # a comment may follow the last comma
        text = _NOISE.sub(lambda match: match[1] or " ", text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def yaml_object(content: bytes | None) -> dict[str, Any]:
    """Return the mapping in a YAML file; empty for anything else."""
    try:
        found = yaml.safe_load(content) if content is not None and len(content) < LARGEST_SETTINGS // 10 else None
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def matched(pattern: str, name: str) -> str | None:
    """Return the text of `*` if `name` matches a pattern with at most one `*` ("" without one), else None."""
    start, star, end = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    is_match = len(name) >= len(start) + len(end) and name.startswith(start) and name.endswith(end)
    return name[len(start) : len(name) - len(end)] if is_match else None
