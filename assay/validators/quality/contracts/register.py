"""Register `CONTRACTS`; the order matters."""

from __future__ import annotations

from assay.validators.quality.contracts.contract import Contract
from assay.validators.quality.contracts.javascript.reader import JavaScriptContract
from assay.validators.quality.contracts.python.reader import PythonContract

CONTRACTS: tuple[Contract, ...] = (PythonContract(), JavaScriptContract())
