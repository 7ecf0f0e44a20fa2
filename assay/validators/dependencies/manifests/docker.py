"""Base images of a Dockerfile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.changes.change import lines_of
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope


def images(text: str) -> Iterator[Declared]:
    """Yield the base images of a Dockerfile, except its own stages."""
    stages: set[str] = set()
    for line in lines_of(text):
        words = [word for word in line.split() if not word.startswith("--")]
        if len(words) < 2 or words[0].upper() != "FROM":
            continue
        image = words[1]
        if image.lower() not in stages and image != "scratch" and "$" not in image:
            name, version = _split(image)
            yield Declared("docker", name, version, Scope.image)
        if len(words) >= 4 and words[2].upper() == "AS":
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
