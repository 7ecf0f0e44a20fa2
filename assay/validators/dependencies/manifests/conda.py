"""Conda's manifests: environment.yml, with the pip packages inside it, and pixi.toml."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from assay.validators.configuration.settings_files import table
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, Unclear, is_for_work
from assay.validators.dependencies.manifests.pep508 import declared
from assay.validators.io.structured_files import toml, yaml_document

_ENVIRONMENT = re.compile(r"environment[\w.-]*\.ya?ml|pixi\.toml")
_NAME = re.compile(r"(?:[\w.-]+::)?([A-Za-z0-9_.-]+)\s*(.*)")


def _pixi(document: Mapping[str, Any]) -> Iterator[Declared]:
    features = {"": document, **table(document, "feature")}
    for feature, holder in features.items():
        scope = Scope.dev if feature else Scope.runtime
        for part in (holder, *table(holder, "target").values()):
            for name, said in table(part, "pypi-dependencies").items():
                yield Declared("pypi", name.lower().replace("_", "-"), _version(said), scope)
            for name, said in table(part, "dependencies").items():
                if name != "python":
                    yield Declared("conda", name.lower(), _version(said), scope)


def _version(said: object) -> str | None:
    if isinstance(said, dict):
        place = next((f"@ {said[key]}" for key in ("git", "url", "path") if key in said), None)
        said = place or said.get("version")
    return said if isinstance(said, str) and said != "*" else None


def _packages(path: str, text: str) -> Iterator[Declared | Unclear]:
    if path.endswith(".toml"):
        yield from _pixi(toml(text))
        return
    scope = Scope.dev if is_for_work(PurePosixPath(path).stem) else Scope.runtime
    for item in yaml_document(text).at("dependencies").items:
        if item.text:
            match = _NAME.fullmatch(item.text.strip())
            if match is not None and match[1] != "python":
                yield Declared("conda", match[1].lower(), match[2].strip() or None, scope)
        for line in item.at("pip").items:
            yield declared(line.text, scope)


CONDA = Manifest("conda", lambda path: _ENVIRONMENT.fullmatch(PurePosixPath(path).name) is not None, _packages)
