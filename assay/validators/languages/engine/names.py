"""Which files declare the names that others mention: the index of one tree, for resolvers by names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
