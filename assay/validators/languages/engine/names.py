"""Resolution by names: which files declare the names that others mention."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from assay.validators.languages.language import Import, Origin, Sources


class NameIndex:
    """Declared names by namespace. A namespace is whatever the language's resolver gives for a file."""

    def __init__(self) -> None:
        self._declared: dict[str, dict[str, list[str]]] = {}
        self._names: set[str] = set()

    def add(self, namespace: str, path: str, names: Iterable[str]) -> None:
        """Add the names of a file."""
        known = self._declared.setdefault(namespace, {})
        for name in names:
            known.setdefault(name, []).append(path)
            self._names.add(name)

    def __contains__(self, namespace: object) -> bool:
        return namespace in self._declared

    def has(self, name: str) -> bool:
        """Return whether a file of any namespace declares a name."""
        return name in self._names

    def files(self, namespace: str, name: str) -> Sequence[str]:
        """Return the files of a namespace that declare a name."""
        return self._declared.get(namespace, {}).get(name, ())


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
