"""Projects of C#: which files see each other, and the namespaces that all files of a project use.

Rules: https://learn.microsoft.com/visualstudio/msbuild/common-msbuild-project-items. A file belongs to the project in
the nearest folder, which sees those that it refers to, and theirs. Conditions are not evaluated.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from functools import cache

from assay.validators.languages.language import Import, Sources

_BUILD = re.compile(r"(?:^|/)(?:[^/]+\.csproj|Directory\.Build\.(?:props|targets))$", re.IGNORECASE)
_REFERENCE = re.compile(r"<(ProjectReference|Compile)\s[^<>]{0,500}?\bInclude\s*=\s*\"([^\"<>]{1,500})\"")
_USING = re.compile(r"<Using\s([^<>]{1,500})>")
_ATTRIBUTE = re.compile(r"\b(Include|Alias)\s*=\s*\"([^\"<>]{1,300})\"")
_HERE = re.compile(r"^\$\(MSBuildThisFileDirectory\)/?", re.IGNORECASE)
MOST_PROJECTS = 2000


class Projects:
    """Projects of one tree by their folders."""

    def __init__(self, sources: Sources) -> None:
        self._texts: dict[str, list[str]] = defaultdict(list)
        """Folder -> its build files."""
        self._folders: set[str] = set()
        for path in [path for path in sources.paths if _BUILD.search(path)][:MOST_PROJECTS]:
            folder = posixpath.dirname(path)
            self._texts[folder].append((sources.read(path) or b"").decode("utf-8", "replace"))
            self._folders |= {folder} if path.lower().endswith(".csproj") else set()
        self.of = cache(self._of)
        self._seen = cache(self._find_seen)
        self.usings = cache(self._usings)

    def _of(self, folder: str) -> str | None:
        """Return the project of a folder; None for code that no project holds."""
        around = _around(folder)
        return next((one for one in around if one in self._folders), None)

    def sees(self, path: str, other: str) -> bool:
        """Return whether a file can use what another one declares."""
        own, its = self.of(posixpath.dirname(path)), self.of(posixpath.dirname(other))
        seen = self._seen(own) if own is not None and own != its and its is not None else None
        return seen is None or its in seen

    def _find_seen(self, project: str) -> frozenset[str | None] | None:
        """Return the projects that one sees; None if a reference is computed."""
        seen: set[str | None] = {project}
        left = [project]
        while left:
            here = left.pop()
            for folder in _around(here):
                for kind, written in (
                    pair for text in self._texts.get(folder, ()) for pair in _REFERENCE.findall(text)
                ):
                    target = written.replace("\\", "/")
                    base = folder if _HERE.match(target) else here
                    where = posixpath.normpath(posixpath.join(base, _HERE.sub("", target)))
                    if "$(" in where or "@(" in where:
                        if kind == "ProjectReference":
                            return None
                        continue
                    found = self.of(posixpath.dirname(where.partition("*")[0]))
                    if found is not None and found not in seen:
                        seen.add(found)
                        left += [found] if kind == "ProjectReference" else []
        return frozenset(seen)

    def _usings(self, project: str | None) -> tuple[Import, ...]:
        """Return what the build files of a project make all its files use."""
        texts = (
            (text for folder in _around(project) for text in self._texts.get(folder, ())) if project is not None else ()
        )
        found = [dict(_ATTRIBUTE.findall(said)) for text in texts for said in _USING.findall(text)]
        return tuple(
            Import(1, one["Include"], () if "Alias" in one else (("*", ""),), one.get("Alias", ""), "global")
            for one in found
            if "Include" in one
        )


def _around(folder: str) -> list[str]:
    """Return a folder and those around it, the top one last."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:end]) for end in range(len(parts), -1, -1)]
