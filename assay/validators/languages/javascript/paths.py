"""Lookup of paths without suffix, as in bundlers and TypeScript."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
_BUILT_ENDINGS = (".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".umd", ".esm", ".min", ".prod", ".global")


class Paths:
    """File lookup in one tree. A path that is None leads above the tree, where nothing is found."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._files = frozenset(paths)

    def __contains__(self, path: str | None) -> bool:
        return path in self._files

    def file(self, path: str | None) -> str | None:
        """Return the file at `path`, or with a suffix added or replaced; no folders."""
        if not path or path in self._files:
            return path or None
        stem, dot, last = path.rpartition(".")
        written = (stem + ending for ending in _WRITTEN_FOR.get(dot + last, ()))
        return next((found for found in (*written, *(path + one for one in ENDINGS)) if found in self._files), None)

    def index(self, folder: str | None) -> str | None:
        """Return the index file of a folder."""
        return self.file(joined(folder, "index"))

    def at(self, path: str | None) -> str | None:
        """Return the file at a path, or the index file of a folder there."""
        return self.file(path) or self.index(path)

    def platform_files(self, path: str | None) -> list[str]:
        """Return the platform files of `path` (`path.ios.tsx`) if there is no common one."""
        found = (self.file(f"{path}{platform}") for platform in _PLATFORMS if path)
        return [one for one in found if one is not None and not one.endswith(_PLATFORMS)]

    def written(self, folder: str, target: str) -> str | None:
        """Return the file of the package in `folder` from which `target` (as in `dist/esm/index.js`) is built.

        By convention, output folders (`dist`, `lib`, `esm`, …) correspond to `src` or to no folder.
        """
        parts = target.removeprefix("./").split("/")
        while len(parts) > 1 and parts[0] in BUILT:
            del parts[0]
            for start in (["src"], []):
                path = joined(folder, *start, *parts)
                for ending in _BUILT_ENDINGS:
                    path = path.removesuffix(ending) if path else None
                if found := self.at(path):
                    return found
        return None


def joined(*parts: str | None) -> str | None:
    """Return a path from parts with `.` and `..` resolved; "" is the top, None is outside the tree."""
    found: list[str] = []
    for each in parts:
        if each is None:
            return None
        for part in each.split("/"):
            if part == "..":
                if not found:
                    return None
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
