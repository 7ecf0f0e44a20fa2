"""Manifests of dependencies, by ecosystem. One file each; `MANIFESTS` is the register."""

from __future__ import annotations

from assay.validators.risk.manifests.conda import Conda
from assay.validators.risk.manifests.docker import Docker
from assay.validators.risk.manifests.dotnet import Dotnet
from assay.validators.risk.manifests.go import Go
from assay.validators.risk.manifests.javascript import JavaScript
from assay.validators.risk.manifests.jvm import Jvm
from assay.validators.risk.manifests.manifest import Manifest
from assay.validators.risk.manifests.php import Php
from assay.validators.risk.manifests.python import Python
from assay.validators.risk.manifests.ruby import Ruby
from assay.validators.risk.manifests.rust import Rust

MANIFESTS: tuple[Manifest, ...] = (
    Python(),
    Conda(),
    JavaScript(),
    Go(),
    Rust(),
    Jvm(),
    Ruby(),
    Php(),
    Dotnet(),
    Docker(),
)

__all__ = ["MANIFESTS"]
