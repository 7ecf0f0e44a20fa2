"""Register `MANIFESTS`; the order matters."""

from __future__ import annotations

from assay.validators.dependencies.manifests.conda import CONDA
from assay.validators.dependencies.manifests.docker import DOCKER
from assay.validators.dependencies.manifests.dotnet import DOTNET
from assay.validators.dependencies.manifests.go import GO
from assay.validators.dependencies.manifests.javascript import JAVASCRIPT
from assay.validators.dependencies.manifests.jvm import JVM
from assay.validators.dependencies.manifests.manifest import Manifest
from assay.validators.dependencies.manifests.php import PHP
from assay.validators.dependencies.manifests.python import PYTHON
from assay.validators.dependencies.manifests.ruby import RUBY
from assay.validators.dependencies.manifests.rust import RUST

MANIFESTS: tuple[Manifest, ...] = (PYTHON, CONDA, JAVASCRIPT, GO, RUST, JVM, RUBY, PHP, DOTNET, DOCKER)
