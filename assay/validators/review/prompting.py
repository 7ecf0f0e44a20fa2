"""Prompts of the review, from versioned files in `prompts`.

A prompt file begins with `version: N`; raise N with every change of its text. Reports name version and hash of each
prompt used, and rates of findings are kept by version.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

NAMES = ("system", "correctness", "contract", "security", "design", "refute", "test", "risk", "rules")
_VERSION = re.compile(r"version: ([1-9][0-9]{0,3})\n\n")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt; `digest` is the hash of its text, 12 hex digits."""

    name: str
    version: int
    text: str
    digest: str

    @property
    def label(self) -> str:
        """Name, version and hash, as reports have them: `correctness v1 3f2a…`."""
        return f"{self.name} v{self.version} {self.digest}"


@cache
def prompt(name: str) -> Prompt:
    """Return a prompt by name. Raises `ValueError` if its file does not begin with a version."""
    content = files("assay.validators.review").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    found = _VERSION.match(content)
    if found is None:
        raise ValueError(f"{name}.md does not begin with `version: N` and an empty line")
    text = content[found.end() :].strip()
    return Prompt(name, int(found[1]), text, hashlib.sha256(text.encode()).hexdigest()[:12])
