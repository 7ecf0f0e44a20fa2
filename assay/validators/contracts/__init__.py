"""Contracts between the files of a tree, by language. `CONTRACTS` is the register."""

from __future__ import annotations

from assay.validators.contracts.contract import Contract
from assay.validators.contracts.javascript import JavaScriptContract
from assay.validators.contracts.python import PythonContract

CONTRACTS: tuple[Contract, ...] = (PythonContract(), JavaScriptContract())

__all__ = ["CONTRACTS"]
