"""Lookup of paths without suffix, as in bundlers and TypeScript."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.languages.language import Sources

ENDINGS = tuple(".ts .tsx .mts .cts .js .jsx .mjs .cjs .d.ts .json .vue .svelte .d.mts .d.cts".split())
"""Suffixes an import may omit, in order: TypeScript before build output, code before types."""

_WRITTEN_FOR = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
"""Suffix of the build output, which TypeScript imports name -> suffixes of its sources."""

_PLATFORMS = (".native", ".web", ".ios", ".android", ".browser", ".server", ".client")
BUILT = frozenset(
    "dist lib build out output es esm cjs umd esnext module modern bundles types typings dts _esm _cjs lib-esm node "
    "browser".split()
)
"""Folders of build output, which a tree usually does not contain."""


class Paths:
    """File lookup in one tree."""

    def __init__(self, sources: Sources) -> None:
        self._files = frozenset(sources.paths)
        self._endings: dict[str, list[str]] = {}
        """Path without suffix -> its suffixes in the tree, in the order of `ENDINGS`."""
        for path in sources.paths:
            for ending in _endings_of(path):
                self._endings.setdefault(path.removesuffix(ending), []).append(ending)
        for endings in self._endings.values():
            endings.sort(key=ENDINGS.index)

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def file(self, path: str) -> str | None:
        """Return the file at `path`, or with a suffix added or replaced; no folders."""
        if not path or path in self._files:
            return path or None
        stem, dot, last = path.rpartition(".")
        written = self._endings.get(stem, ())
        for ending in _WRITTEN_FOR.get(dot + last, ()):
            if ending in written:
                return stem + ending
        endings = self._endings.get(path)
        return path + endings[0] if endings else None

    def index(self, folder: str) -> str | None:
        """Return the index file of a folder."""
        return self.file(joined(folder, "index"))

    def platform_files(self, path: str) -> list[str]:
        """Return the platform files of `path` (`path.ios.tsx`) if there is no common one."""
        return [found for platform in _PLATFORMS if (found := self.file(path + platform)) and found != path + platform]

    def written(self, folder: str, target: str) -> str | None:
        """Return the file of the package in `folder` from which `target` (as in `dist/esm/index.js`) is built.

        By convention, output folders (`dist`, `lib`, `esm`, …) correspond to `src` or to no folder.
        """
        parts = target.removeprefix("./").split("/")
        while len(parts) > 1 and parts[0] in BUILT:
            del parts[0]
            for start in (["src"], []):
                found = self._stemmed(joined(folder, *start, *parts))
                if found is not None:
                    return found
        return None

    def _stemmed(self, path: str) -> str | None:
        for built in (".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".umd", ".esm", ".min", ".prod", ".global"):
            if path.endswith(built):
                path = path.removesuffix(built)
        return self.file(path) or self.index(path)


def joined(*parts: str) -> str:
    """Return a path from parts with `.` and `..` resolved; "" is the top. Raises `AboveTop` outside the tree."""
    found: list[str] = []
    for part in "/".join(parts).split("/"):
        if part == "..":
            if not found:
                raise AboveTop
            found.pop()
        elif part and part != ".":
            found.append(part)
    return "/".join(found)


def folders_above(folder: str) -> Iterator[str]:
    """Yield the folder itself and each above it, up to the top ("")."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


class AboveTop(Exception):
    """Path outside the tree."""


def _endings_of(path: str) -> Iterator[str]:
    """Yield the entries of `ENDINGS` that a path ends with: `.d.ts` and `.ts` for a declaration."""
    _, _, name = path.rpartition("/")
    stem, _, last = name.rpartition(".")
    if stem and f".{last}" in ENDINGS:
        yield f".{last}"
        if stem.endswith(".d") and f".d.{last}" in ENDINGS:
            yield f".d.{last}"
