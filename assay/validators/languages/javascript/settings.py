"""What the settings files of JavaScript projects say: JSON with comments, read with suspicion."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

LARGEST_SETTINGS = 1024 * 1024
_NOISE = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)')
_COMMAS = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|,(?=\s*+[}\]])')


def json_object(content: bytes | None) -> dict[str, Any]:
    """The object in a JSON file, comments and trailing commas allowed; empty where it is none."""
    if content is None or len(content) > LARGEST_SETTINGS:
        return {}
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for attempt in (text, None):
        try:
            found = json.loads(_without_comments(text) if attempt is None else attempt)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def yaml_object(content: bytes | None) -> dict[str, Any]:
    """The mapping in a YAML file; empty where it is none."""
    if content is None or len(content) > LARGEST_SETTINGS // 10:
        return {}
    try:
        found = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def strings(value: object) -> list[str]:
    """The strings of a list, or of one string; nothing for anything else."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def mapping(value: object) -> dict[str, Any]:
    """The value where it is an object, else nothing."""
    return value if isinstance(value, dict) else {}


def matched(pattern: str, name: str) -> str | None:
    """What `*` stands for where `name` fits a pattern with at most one `*`; "" where it has none and is equal."""
    start, star, end = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    if len(name) >= len(start) + len(end) and name.startswith(start) and name.endswith(end):
        return name[len(start) : len(name) - len(end)]
    return None


def _without_comments(text: str) -> str:
    bare = _NOISE.sub(lambda match: match[1] or " ", text)
    return _COMMAS.sub(lambda match: match[1] or "", bare)
