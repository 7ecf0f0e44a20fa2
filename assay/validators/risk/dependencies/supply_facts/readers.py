"""Readers of supply chain and deployment facts, one per kind of file."""

from __future__ import annotations

from assay.validators.risk.dependencies.supply_facts.columns import Models
from assay.validators.risk.dependencies.supply_facts.deployment import Containers, Docker, Terraform
from assay.validators.risk.dependencies.supply_facts.fact import Reader
from assay.validators.risk.dependencies.supply_facts.packages import Hooks, Promises, RunOnInstall
from assay.validators.risk.dependencies.supply_facts.registries import Registries
from assay.validators.risk.dependencies.supply_facts.returned import Returned

READERS: tuple[Reader, ...] = (
    RunOnInstall(),
    Registries(),
    Hooks(),
    Promises(),
    Docker(),
    Terraform(),
    Containers(),
    Models(),
    Returned(),
)
