"""Register of `ECOSYSTEMS`; the order matters."""

from assay.validators.tools.discovery.javascript import javascript
from assay.validators.tools.discovery.make import make
from assay.validators.tools.discovery.plain import PLAIN
from assay.validators.tools.discovery.pre_commit import pre_commit
from assay.validators.tools.discovery.python import python
from assay.validators.tools.discovery.workflows import workflows
from assay.validators.tools.tool import Ecosystem

ECOSYSTEMS: tuple[Ecosystem, ...] = (
    javascript,
    python,
    make,
    *PLAIN,
    pre_commit,
    workflows,
)
