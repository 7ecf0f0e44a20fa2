"""Readers of supply chain facts, one per kind of file."""

from __future__ import annotations

from assay.validators.risk.dependencies.supply_facts.fact import Reader
from assay.validators.risk.dependencies.supply_facts.packages import HOOKS, PROMISES, RUN_ON_INSTALL
from assay.validators.risk.dependencies.supply_facts.registries import REGISTRIES

READERS: tuple[Reader, ...] = (
    RUN_ON_INSTALL,
    REGISTRIES,
    HOOKS,
    PROMISES,
)
