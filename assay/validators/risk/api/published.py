"""Published Python packages of a tree: those with a manifest next to them that publishes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.validators.changes.change import SourceTree, decoded
from assay.validators.changes.classify import Nature, nature_of
from assay.validators.changes.language_table import suffixes
from assay.validators.configuration.settings_files import table
from assay.validators.dependencies.manifests.setup_py import setup_arguments
from assay.validators.io.structured_files import Unreadable, ini, toml

_PRIVATE = "Private ::"
"""Prefix of a classifier that keeps a package off the index."""
_NOT_SHIPPED = frozenset(
    "test tests testing docs doc examples example scripts tools benchmarks benchmark samples demo conftest setup "
    "tasks".split()
)

_TEST_HELPERS = frozenset("test tests testutil testutils test_util test_utils test_helpers conftest".split())
_DEPLOYED = ("manage.py", "Procfile", "wsgi.py", "asgi.py", "app.yaml", "fly.toml", "render.yaml", "serverless.yml")
"""Files next to a manifest that mark a project as deployed, not installed by users."""
_PUBLISHES = re.compile(r"\b(twine upload|pypi-publish|(poetry|uv|hatch|flit|pdm) publish)\b")
_SOURCE_ROOTS = frozenset(("src", "lib", "python"))
MOST_WORKFLOWS = 50


@dataclass(frozen=True, slots=True)
class Package:
    """Top-level package: import name with its namespace, folder of it ("" for the root), and the project's folder."""

    name: str
    folder: str
    project: str

    @property
    def path(self) -> str:
        name = self.name.replace(".", "/")
        return f"{self.folder}/{name}" if self.folder else name


def package_of(tree: SourceTree, path: str) -> Package | None:
    """Return the published package of a Python file; None for tests, scripts, applications and loose modules."""
    if not path.endswith(suffixes("python")) or nature_of(path) is not Nature.source:
        return None
    folders = path.split("/")[:-1]
    top = len(folders)
    while top > 0 and any("/".join((*folders[:top], f"__init__{suffix}")) in tree for suffix in suffixes("python")):
        top -= 1
    if top == len(folders) or folders[top] in _NOT_SHIPPED or not all(part.isidentifier() for part in folders[top:]):
        return None
    if folders[top].startswith("_") or _TEST_HELPERS & {*folders[top:], path.rpartition("/")[2].partition(".")[0]}:
        return None
    for depth in range(top, -1, -1):
        project = "/".join(folders[:depth])
        published = _is_published(tree, project)
        if published is not None:
            root = _root(tree, folders, depth, top)
            found = Package(".".join(folders[root : top + 1]), "/".join(folders[:root]), project)
            return found if published and not _is_deployed(tree, found) else None
    return None


def _root(tree: SourceTree, folders: Sequence[str], depth: int, top: int) -> int:
    """Return the index of the outermost folder of a package's name: `top`, or that of the namespace around it.

    Folders without `__init__` between a project and its package are a namespace below a folder of sources, or if the
    project's name begins with theirs: `google/cloud/storage` in `google-cloud-storage`.
    """
    between = folders[depth:top]
    if not between or not all(part.isidentifier() for part in between):
        return top
    if between[0] in _SOURCE_ROOTS:
        return depth + 1
    said = re.compile(rf"\bname\s*=\s*[\"']?{re.escape(between[0])}[-_.]", re.IGNORECASE)
    manifests = ("/".join((*folders[:depth], name)) for name in _MANIFESTS)
    return depth if any(said.search(decoded(tree.read(path) or b"")) for path in manifests if path in tree) else top


def _is_deployed(tree: SourceTree, package: Package) -> bool:
    """Return whether a project is an application that no workflow publishes to an index."""
    places = (package.project, package.folder, package.path)
    if not any((f"{place}/{name}" if place else name) in tree for place in places for name in _DEPLOYED):
        return False
    workflows = [path for path in tree.paths if path.startswith(".github/workflows/")][:MOST_WORKFLOWS]
    return not any(_PUBLISHES.search(decoded(content or b"")) for _, content in tree.read_many(workflows))


def _is_published(tree: SourceTree, folder: str) -> bool | None:
    """Return whether a manifest in this folder publishes a package; None without a manifest."""
    found: list[bool] = []
    for name, read in _MANIFESTS.items():
        path = f"{folder}/{name}" if folder else name
        content = tree.read(path) if path in tree else None
        if content is None:
            continue
        try:
            said = read(decoded(content))
        except Unreadable:
            said = None
        if said is not None:
            found.append(said)
    return all(found) if found else None


def _by_pyproject(text: str) -> bool | None:
    """Return whether it follows PEP 621 with a build backend, or Poetry; a bare project table only pins tools."""
    document = toml(text)
    project, poetry = table(document, "project"), table(document, "tool", "poetry")
    if "name" in project:
        is_kept_off = table(document, "tool", "uv").get("package") is False
        is_kept_off |= table(document, "tool", "pdm").get("distribution") is False
        if is_kept_off or _is_private(project.get("classifiers")):
            return False
        return "build-system" in document or None
    return poetry.get("package-mode") is not False if "name" in poetry else None


def _by_setup_cfg(text: str) -> bool | None:
    settings = ini(text)
    if not settings.has_option("metadata", "name"):
        return None
    return _PRIVATE not in settings.get("metadata", "classifiers", fallback="")


def _by_setup_py(text: str) -> bool | None:
    arguments = setup_arguments(text)
    if not arguments:
        return None
    return not _is_private(arguments.get("classifiers"))


def _is_private(classifiers: object) -> bool:
    return isinstance(classifiers, list) and any(str(one).startswith(_PRIVATE) for one in classifiers)


_MANIFESTS = {"pyproject.toml": _by_pyproject, "setup.cfg": _by_setup_cfg, "setup.py": _by_setup_py}
