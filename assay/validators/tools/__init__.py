"""Tier 1: the repository's own commands, and scanners that run none of its code. Imported lazily."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.validators.tools.run import run_tools

__all__ = ["run_tools"]


def __getattr__(name: str) -> Any:
    if name == "run_tools":
        from assay.validators.tools.run import run_tools

        return run_tools
    raise AttributeError(name)
