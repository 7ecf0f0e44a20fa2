"""Contracts between the files of a tree, by language. `CONTRACTS` is the register."""

from __future__ import annotations

from assay.validators.contracts.contract import Contract
from assay.validators.contracts.python import PythonContract

CONTRACTS: tuple[Contract, ...] = (PythonContract(),)

__all__ = ["CONTRACTS"]
