"""Register `SIGNALS`; the order matters."""

from __future__ import annotations

from assay.validators.risk.api.public_api import PublicApiSignal
from assay.validators.risk.ci.ci import CiSignal
from assay.validators.risk.ci.gates import GatesSignal
from assay.validators.risk.coverage import CoverageSignal
from assay.validators.risk.dependencies.new_dependencies import NewDependenciesSignal
from assay.validators.risk.dependencies.supply_chain import SupplyChainSignal
from assay.validators.risk.dependents import DependentsSignal
from assay.validators.risk.found import FoundSignal
from assay.validators.risk.guards.guards import GuardsSignal
from assay.validators.risk.infrastructure.shared_infrastructure import SharedInfrastructureSignal
from assay.validators.risk.left_links import LeftLinksSignal
from assay.validators.risk.likelihood.assess import LikelihoodSignal
from assay.validators.risk.line_facts import LineFactsSignal
from assay.validators.risk.schema import SchemaSignal
from assay.validators.risk.security_sensitive import SecuritySensitiveSignal
from assay.validators.risk.signal import Signal
from assay.validators.risk.surface import SurfaceSignal
from assay.validators.risk.unreadable_source import UnreadableSourceSignal

SIGNALS: tuple[Signal, ...] = (
    LikelihoodSignal(),
    SurfaceSignal(),
    UnreadableSourceSignal(),
    NewDependenciesSignal(),
    CiSignal(),
    GatesSignal(),
    SchemaSignal(),
    SupplyChainSignal(),
    GuardsSignal(),
    LineFactsSignal(),
    LeftLinksSignal(),
    SecuritySensitiveSignal(),
    FoundSignal(),
    SharedInfrastructureSignal(),
    DependentsSignal(),
    PublicApiSignal(),
    CoverageSignal(),
)
