"""Public names of a package that are loaded on first use, so that importing the package is cheap."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


def lazy_exports(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a package.

    Its public names are what its `__init__.py`, the file, imports below `if TYPE_CHECKING:`.
    """

    @cache
    def homes() -> dict[str, tuple[str, str]]:
        blocks = [node for node in ast.parse(Path(file).read_text("utf-8")).body if isinstance(node, ast.If)]
        imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
        return {alias.asname or alias.name: (node.module or "", alias.name) for node in imports for alias in node.names}

    def load(name: str) -> Any:
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, inner = homes()[name]
        return getattr(importlib.import_module(module), inner)

    return load, lambda: sorted(homes())
