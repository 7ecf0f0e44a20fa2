"""Register `LANGUAGES`; the order matters."""

from __future__ import annotations

from assay.validators.languages.javascript.language import JavaScript
from assay.validators.languages.language import Language
from assay.validators.languages.python.language import Python
from assay.validators.languages.tabled.language import TABLED

LANGUAGES: dict[str, Language] = {member.name: member for member in (Python(), JavaScript(), *TABLED)}
