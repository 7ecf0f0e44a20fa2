"""Register `CONTRACTS`; the order matters."""

from __future__ import annotations

from assay.validators.contracts.contract import Contract
from assay.validators.contracts.javascript.reader import JavaScriptContract
from assay.validators.contracts.python.reader import PythonContract

CONTRACTS: tuple[Contract, ...] = (PythonContract(), JavaScriptContract())
