"""Settings of files that are read line by line: images, and the inputs of a flake."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import lines_of
from assay.validators.dependencies.manifests.docker import images
from assay.validators.risk.infrastructure.settings import MOST_VALUE, Setting

_URL = re.compile(r"(?:([\w.-]{1,100})\.)?\burl\s{0,9}=\s{0,9}\"([^\"\n]{1,300})\"")
_NAMED = re.compile(r"^\s*([\w.-]{1,100})\s*=\s*\{")
_SHORT = re.compile(r"(?:github|gitlab|sourcehut):")


def dockerfile(text: str) -> Iterator[Setting]:
    """Yield the images that it builds on, and the user of its last stage: root where it sets none."""
    rows = list(lines_of(text))
    for one in images(text):
        written = one.name + (
            "" if one.version is None else one.version if one.version[0] == "@" else f":{one.version}"
        )
        line = next((at for at, row in enumerate(rows, 1) if written in row), 1)
        yield Setting("image", (f"FROM {one.name}",), written[:MOST_VALUE], line)
    user, line, base = "root", 1, ""
    for at, row in enumerate(rows, 1):
        words = row.split()
        if len(words) > 1 and words[0].upper() == "FROM":
            user, line, base = "root", at, row
        elif len(words) > 1 and words[0].upper() == "USER":
            user, line = words[1], at
    if rows and "nonroot" not in base:
        yield Setting("image", ("USER",), user[:MOST_VALUE], line)


def flake(text: str) -> Iterator[Setting]:
    """Yield the address of every input, without branch and commit."""
    name = ""
    for at, row in enumerate(lines_of(text), 1):
        code = row[:2000].partition("#")[0] if '"' not in row.partition("#")[0] else row[:2000]
        if opened := _NAMED.match(code):
            name = opened[1]
        if found := _URL.search(code):
            yield Setting("inputs", (_input(found[1] or name),), _place(found[2]), at)


def _input(name: str) -> str:
    return name.removeprefix("inputs.")


def _place(address: str) -> str:
    """Return an address up to its repository."""
    if _SHORT.match(address):
        return "/".join(re.split(r"[/?#]", address)[:2])
    return re.split(r"[?#]", address)[0]
