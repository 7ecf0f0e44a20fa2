"""Images of a Dockerfile: those it builds on, and those it copies from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.changes.change import lines_of
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope

_COPIED = re.compile(r"--from=(\S{1,300})")
_NAMED = re.compile(r"[/:@]")
"""Sign of an image: a plain word may be a build context or a stage with a name that is computed."""


def images(text: str) -> Iterator[Declared]:
    """Yield the images that a Dockerfile builds on or copies from, except its own stages."""
    stages: set[str] = set()
    for line in lines_of(text):
        words = [word for word in line.split() if not word.startswith("--")]
        instruction = words[0].upper() if words else ""
        copied = _COPIED.search(line) if instruction == "COPY" else None
        if copied is None and (instruction != "FROM" or len(words) < 2):
            continue
        image = copied[1] if copied is not None else words[1]
        is_stage = image.lower() in stages or image.isdecimal() or (copied is not None and not _NAMED.search(image))
        if not is_stage and image != "scratch" and "$" not in image:
            name, version = _split(image)
            yield Declared("docker", name, version, Scope.image)
        if instruction == "FROM" and len(words) >= 4 and words[2].upper() == "AS":
            stages.add(words[3].lower())


def _split(image: str) -> tuple[str, str | None]:
    """Return (name, tag and digest); a colon before the last slash separates a registry's port."""
    name, at, digest = image.partition("@")
    slash = name.rfind("/")
    colon = name.find(":", slash + 1)
    tag = name[colon + 1 :] if colon >= 0 else ""
    return (name[:colon] if colon >= 0 else name), (tag + at + digest) or None


def _is_dockerfile(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.startswith(("Dockerfile", "Containerfile")) or name.endswith((".Dockerfile", ".dockerfile"))


DOCKER = Manifest("docker", _is_dockerfile, lambda _, text: images(text))
