"""Register `MANIFESTS`; the order matters."""

from __future__ import annotations

from assay.validators.risk.dependencies.manifests.conda import CONDA
from assay.validators.risk.dependencies.manifests.docker import DOCKER
from assay.validators.risk.dependencies.manifests.dotnet import DOTNET
from assay.validators.risk.dependencies.manifests.go import GO
from assay.validators.risk.dependencies.manifests.javascript import JAVASCRIPT
from assay.validators.risk.dependencies.manifests.jvm import JVM
from assay.validators.risk.dependencies.manifests.manifest import Manifest
from assay.validators.risk.dependencies.manifests.php import PHP
from assay.validators.risk.dependencies.manifests.python import PYTHON
from assay.validators.risk.dependencies.manifests.ruby import RUBY
from assay.validators.risk.dependencies.manifests.rust import RUST

MANIFESTS: tuple[Manifest, ...] = (PYTHON, CONDA, JAVASCRIPT, GO, RUST, JVM, RUBY, PHP, DOTNET, DOCKER)
