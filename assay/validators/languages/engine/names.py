"""Which files declare the names that others mention: the index of one tree, for resolvers by names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.validators.languages.language import Import

_VERSION = re.compile(r"[/.]v\d+$")


class NameIndex:
    """Declared names by namespace. A namespace is whatever the language's resolver gives for a file."""

    def __init__(self) -> None:
        self._declared: dict[str, dict[str, list[str]]] = {}

    def add(self, namespace: str, path: str, names: Iterable[str]) -> None:
        """Add the names of a file."""
        known = self._declared.setdefault(namespace, {})
        for name in names:
            known.setdefault(name, []).append(path)

    def __contains__(self, namespace: object) -> bool:
        return namespace in self._declared

    def files(self, namespace: str, name: str) -> Sequence[str]:
        """Return the files of a namespace that declare a name."""
        return self._declared.get(namespace, {}).get(name, ())


def bound_names(item: Import) -> list[str]:
    """Return the names by which code uses an import that captures found; none if they are unknown.

    A package of Go is named like the end of its path, without a version: `yaml` for `gopkg.in/yaml.v3`.
    """
    if item.names or item.target.startswith("java.lang."):
        return [local for _, local in item.names if local]
    path = _VERSION.sub("", item.target)
    name = item.alias or path.rpartition("/")[2].rpartition(".")[2]
    return [name] if name.isidentifier() and name != "_" else []
