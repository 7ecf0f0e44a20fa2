"""Resolution by names: which files declare the names that others mention."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from assay.validators.languages.language import Import, Origin, Sources


class NameIndex:
    """Files by the names they declare, and by namespace. A namespace is whatever the language's resolver gives."""

    def __init__(self) -> None:
        self._declared: dict[str, dict[str, list[str]]] = {}
        self._namespaces: set[str] = set()

    def add(self, namespace: str, path: str, names: Iterable[str]) -> None:
        """Add the names of a file."""
        self._namespaces.add(namespace)
        for name in names:
            self._declared.setdefault(name, {}).setdefault(namespace, []).append(path)

    def __contains__(self, namespace: object) -> bool:
        return namespace in self._namespaces

    def where(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the files that declare a name, by namespace."""
        return self._declared.get(name, {})

    def files(self, namespace: str, name: str) -> Sequence[str]:
        """Return the files of a namespace that declare a name."""
        return self.where(name).get(namespace, ())


class ByNames:
    """Resolver of one tree in which names lead to files: the parts that are the same in each language."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._index = NameIndex()

    def implied(self, path: str) -> Iterable[str]:
        """Return the files whose names a file mentions."""
        return (file for mention in self._sources.scan(path).mentions for file in self.named(path, mention))

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""
        raise NotImplementedError

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:
        """Return whether a mention may name what no file of the tree declares.

        `before` are targets of imports that led to files of this repository before the change.
        """
        raise NotImplementedError

    def extended(self, path: str) -> Iterator[str]:
        """Yield the files whose functions a file may call as members of types that do not define them."""
        members = (one[1:] for one in self._sources.scan(path).mentions if one.startswith("."))
        return (file for name in members for file in self.extending(path, name))

    def extending(self, path: str, name: str) -> Iterable[str]:  # noqa: ARG002 - most languages have none
        """Yield the files with a function of this name that code may call as a member of any value."""
        return ()

    def may_extend(self, path: str, name: str) -> bool:  # noqa: ARG002 - most languages have none
        """Return whether a member of this name may be a function from elsewhere."""
        return False

    def may_be_foreign_import(self, path: str, item: Import, before: Collection[str]) -> bool:
        """Return whether an import may name what no file of the tree declares."""
        return self.may_be_foreign(path, item.target.rpartition(".")[2], before)

    def parts(self, path: str) -> Iterable[str]:  # noqa: ARG002 - most types are in one file
        """Return further files that define members of the types of a file."""
        return ()

    def trail(self, file: str, name: str) -> Sequence[Origin]:
        """Return the name itself: nothing is re-exported."""
        return (Origin(file, name),)
