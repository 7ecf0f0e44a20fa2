"""Go's manifest: go.mod, direct requirements."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.change import lines_of
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, is_called


def _required(text: str) -> Iterator[Declared]:
    is_inside = False
    for line in lines_of(text):
        said, _, comment = line.partition("//")
        words = said.split()
        if words[:1] == [")"]:
            is_inside = False
        elif words == ["require", "("]:
            is_inside = True
        elif (
            len(words) == (2 if is_inside else 3) and (is_inside or words[0] == "require") and "indirect" not in comment
        ):
            yield Declared("golang", words[-2], words[-1])


GO = Manifest("go", is_called("go.mod"), lambda _, text: _required(text))
