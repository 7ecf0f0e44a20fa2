"""Register `CONTRACTS`; the order matters."""

from __future__ import annotations

from assay.validators.languages.tabled.language import TABLED
from assay.validators.quality.contracts.contract import Contract
from assay.validators.quality.contracts.javascript.reader import JavaScriptContract
from assay.validators.quality.contracts.named import NamedContract
from assay.validators.quality.contracts.python.reader import PythonContract

CONTRACTS: tuple[Contract, ...] = (
    PythonContract(),
    JavaScriptContract(),
    *map(NamedContract, TABLED),
)
