"""Files of Python modules: which hold code, where a module's name leads, and which name a file has."""

from __future__ import annotations

from assay.validators.changes.language_table import suffixes

_MODULES = tuple(suffix for suffix in suffixes("python") if suffix != ".pyi")
PACKAGE_FILE = "__init__.py"


def is_module(path: str) -> bool:
    """Return whether a file is a module with code: stubs declare one."""
    return path.endswith(_MODULES)


def is_package(path: str) -> bool:
    """Return whether a file is the `__init__.py` of a package."""
    return path.rpartition("/")[2] == PACKAGE_FILE


def files_of(stem: str) -> tuple[str, str]:
    """Return the paths of the module and of the package of a path without suffix: `a/b.py`, `a/b/__init__.py`."""
    return f"{stem}.py", f"{stem}/{PACKAGE_FILE}"


def dotted_name(path: str) -> str:
    """Return the full name of a module from the tree's root: `a.b` for `a/b.py` and `a/b/__init__.py`."""
    stem = path.rpartition(".")[0]
    return stem.removesuffix("/__init__").replace("/", ".")
