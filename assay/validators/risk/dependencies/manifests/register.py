"""Register `MANIFESTS`; the order matters."""

from __future__ import annotations

from assay.validators.risk.dependencies.manifests.conda import Conda
from assay.validators.risk.dependencies.manifests.docker import Docker
from assay.validators.risk.dependencies.manifests.dotnet import Dotnet
from assay.validators.risk.dependencies.manifests.go import Go
from assay.validators.risk.dependencies.manifests.javascript import JavaScript
from assay.validators.risk.dependencies.manifests.jvm import Jvm
from assay.validators.risk.dependencies.manifests.manifest import Manifest
from assay.validators.risk.dependencies.manifests.php import Php
from assay.validators.risk.dependencies.manifests.python import Python
from assay.validators.risk.dependencies.manifests.ruby import Ruby
from assay.validators.risk.dependencies.manifests.rust import Rust

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
