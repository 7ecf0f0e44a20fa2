"""Tier 1's cache folder, separate from the caches of the user's own tools."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE_CACHES = {
    "UV_CACHE_DIR": "uv",
    "UV_PYTHON_INSTALL_DIR": "python",
    "npm_config_cache": "npm",
    "npm_config_store_dir": "pnpm",
    "YARN_CACHE_FOLDER": "yarn",
    "YARN_GLOBAL_FOLDER": "yarn-global",
    "BUN_INSTALL_CACHE_DIR": "bun",
}
"""The variable with a package manager's cache folder -> the folder of Assay's cache it is set to."""


def cache_folder() -> Path | None:
    """Return Assay's cache folder of this user; None where there is no place for one."""
    named, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    base = Path(named) if named.startswith("/") else Path(home, ".cache")
    folder = base / "assay"
    if not folder.is_absolute():
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def shown_to_commands() -> tuple[str, ...]:
    """Return the parts commands must see: an environment refers to the Python that uv installed."""
    folder = cache_folder()
    return () if folder is None else (str(folder / PACKAGE_CACHES["UV_PYTHON_INSTALL_DIR"]),)
