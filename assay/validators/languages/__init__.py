"""The languages whose imports Assay follows."""

from __future__ import annotations

from assay.validators.languages.javascript import JavaScript
from assay.validators.languages.language import Language
from assay.validators.languages.python import Python

LANGUAGES: dict[str, Language] = {member.name: member for member in (Python(), JavaScript())}

__all__ = ["LANGUAGES"]
