"""Register of `ECOSYSTEMS`; the order matters."""

from assay.validators.tools.discovery.dotnet import dotnet
from assay.validators.tools.discovery.go import go
from assay.validators.tools.discovery.java import java
from assay.validators.tools.discovery.javascript import javascript
from assay.validators.tools.discovery.just import just
from assay.validators.tools.discovery.make import make
from assay.validators.tools.discovery.php import php
from assay.validators.tools.discovery.pre_commit import pre_commit
from assay.validators.tools.discovery.python import python
from assay.validators.tools.discovery.ruby import ruby
from assay.validators.tools.discovery.rust import rust
from assay.validators.tools.discovery.taskfile import taskfile
from assay.validators.tools.discovery.workflows import workflows
from assay.validators.tools.tool import Ecosystem

ECOSYSTEMS: tuple[Ecosystem, ...] = (
    javascript,
    python,
    make,
    just,
    taskfile,
    go,
    rust,
    java,
    ruby,
    php,
    dotnet,
    pre_commit,
    workflows,
)
