"""PHP's manifest: composer.json."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.configuration.settings_files import table
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, is_called
from assay.validators.io.structured_files import Unreadable, json_document


def _packages(document: object) -> Iterator[Declared]:
    if not isinstance(document, dict):
        raise Unreadable("not an object")
    for section, scope in (("require", Scope.runtime), ("require-dev", Scope.dev)):
        for name, version in table(document, section).items():
            # Without a slash it is PHP itself or one of its extensions.
            if "/" in name and isinstance(version, str):
                yield Declared("composer", name.lower(), None if version == "*" else version, scope)


PHP = Manifest("php", is_called("composer.json"), lambda _, text: _packages(json_document(text)))
