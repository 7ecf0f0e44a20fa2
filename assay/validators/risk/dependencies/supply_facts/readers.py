"""Readers of supply chain facts, one per kind of file."""

from __future__ import annotations

from assay.validators.risk.dependencies.supply_facts.columns import MODELS
from assay.validators.risk.dependencies.supply_facts.environment import ENVIRONMENT
from assay.validators.risk.dependencies.supply_facts.fact import Reader
from assay.validators.risk.dependencies.supply_facts.packages import HOOKS, PROMISES, RUN_ON_INSTALL
from assay.validators.risk.dependencies.supply_facts.registries import REGISTRIES
from assay.validators.risk.dependencies.supply_facts.returned import RETURNED

READERS: tuple[Reader, ...] = (
    RUN_ON_INSTALL,
    REGISTRIES,
    HOOKS,
    PROMISES,
    MODELS,
    RETURNED,
    ENVIRONMENT,
)
