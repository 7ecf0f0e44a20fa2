"""Files that import a package: who notices that it moves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.classify import Nature
from assay.validators.languages.register import LANGUAGES, language_reading
from assay.validators.report.model import Evidence
from assay.validators.wording import listed, plural

MOST_FILES = 3000
"""Maximum source files that are searched; a larger tree is left out."""
MOST_NAMED = 3
_LANGUAGES = {"pypi": "python", "npm": "javascript", "cargo": "rust", "golang": "go", "gem": "ruby"}
_WORD = re.compile(r"[-./_]")
_QUOTED = re.compile(r"[\"']([^\"']{1,200})[\"']")
_OTHER_NAMES = {
    "pyyaml": "yaml", "pillow": "pil", "beautifulsoup4": "bs4", "python-dateutil": "dateutil", "pyjwt": "jwt",
    "scikit-learn": "sklearn", "opencv-python": "cv2", "protobuf": "google.protobuf", "pygithub": "github",
    "psycopg2-binary": "psycopg2", "python-dotenv": "dotenv", "attrs": "attr", "gitpython": "git",
    "djangorestframework": "rest-framework", "pycryptodome": "crypto", "python-jose": "jose", "mysqlclient": "mysqldb",
}  # fmt: skip
"""Packages of PyPI that are imported under another name."""


def imported_by(change: ChangeSet, ecosystem: str, names: Collection[str]) -> Iterator[Evidence]:
    """Yield, for each package, how many source files of the head import it, with the first ones."""
    language = _LANGUAGES.get(ecosystem)
    if language is None or not names:
        return
    paths = [path for path in change.head.paths if change.nature_of(path) is Nature.source and _is_in(path, language)]
    if len(paths) > MOST_FILES:
        return
    found: dict[str, list[str]] = {name: [] for name in names}
    words = {name: _forms(ecosystem, name) for name in names}
    hints = {_WORD.split(form.lstrip("@"))[0].encode() for forms in words.values() for form in forms}
    for path, content in change.head.read_many(paths):
        plain = (content or b"").lower()
        # Most files need no parser: they do not even have the first word of a name.
        targets = set(_targets(ecosystem, path, content or b"", language)) if any(map(plain.count, hints)) else ()
        for name, forms in words.items():
            if any(one == form or one.startswith((f"{form}.", f"{form}/")) for one in targets for form in forms):
                found[name].append(path)
    for name, users in found.items():
        if users:
            text = f"{name} is imported by {plural(len(users), 'file')}: {listed(sorted(users), MOST_NAMED)}"
            yield Evidence(text, min(users))


def _is_in(path: str, language: str) -> bool:
    found = language_reading(path)
    return found is not None and found[0] == language


def _forms(ecosystem: str, name: str) -> set[str]:
    """Return the names by which a package may be imported."""
    if ecosystem in ("pypi", "cargo"):
        plain = name.lower().replace("_", "-")
        return {_OTHER_NAMES.get(plain, plain), plain.replace("-", ".")}
    return {name, name.replace("-", "/")} if ecosystem == "gem" else {name}


def _targets(ecosystem: str, path: str, content: bytes, language: str) -> Iterator[str]:
    found = language_reading(path)
    for item in LANGUAGES[language].scan(content, found[1]).imports if found is not None else ():
        if ecosystem in ("pypi", "cargo"):
            yield item.target.lower().replace("_", "-").replace("::", ".")
        else:
            quoted = _QUOTED.search(item.target)
            yield quoted[1] if quoted is not None else item.target
