"""Conda's manifest: environment.yml, with the pip packages inside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, Unclear, is_for_work
from assay.validators.dependencies.manifests.pep508 import declared
from assay.validators.io.structured_files import yaml_document

_ENVIRONMENT = re.compile(r"environment[\w.-]*\.ya?ml")
_NAME = re.compile(r"(?:[\w.-]+::)?([A-Za-z0-9_.-]+)\s*(.*)")


def _packages(path: str, text: str) -> Iterator[Declared | Unclear]:
    scope = Scope.dev if is_for_work(PurePosixPath(path).stem) else Scope.runtime
    for item in yaml_document(text).at("dependencies").items:
        if item.text:
            match = _NAME.fullmatch(item.text.strip())
            if match is not None and match[1] != "python":
                yield Declared("conda", match[1].lower(), match[2].strip() or None, scope)
        for line in item.at("pip").items:
            yield declared(line.text, scope)


CONDA = Manifest("conda", lambda path: _ENVIRONMENT.fullmatch(PurePosixPath(path).name) is not None, _packages)
