"""The register of `CATEGORIES`; the order is meaningful."""

from __future__ import annotations

from assay.memory_eval.questions.categories.abstention import Abstention
from assay.memory_eval.questions.categories.adversarial_distractor import AdversarialDistractor
from assay.memory_eval.questions.categories.aggregation import Aggregation
from assay.memory_eval.questions.categories.contradiction_resolution import ContradictionResolution
from assay.memory_eval.questions.categories.cross_reference import CrossReference
from assay.memory_eval.questions.categories.distractor_resistance import DistractorResistance
from assay.memory_eval.questions.categories.event_ordering import EventOrdering
from assay.memory_eval.questions.categories.incident_tracking import IncidentTracking
from assay.memory_eval.questions.categories.infrastructure_knowledge import InfrastructureKnowledge
from assay.memory_eval.questions.categories.instruction_following import InstructionFollowing
from assay.memory_eval.questions.categories.knowledge_update import KnowledgeUpdate
from assay.memory_eval.questions.categories.meta_memory import MetaMemory
from assay.memory_eval.questions.categories.multi_hop_reasoning import MultiHopReasoning
from assay.memory_eval.questions.categories.needle_in_haystack import NeedleInHaystack
from assay.memory_eval.questions.categories.numerical_precision import NumericalPrecision
from assay.memory_eval.questions.categories.numerical_reasoning import NumericalReasoning
from assay.memory_eval.questions.categories.poisoning_resistance import PoisoningResistance
from assay.memory_eval.questions.categories.premise_rejection import PremiseRejection
from assay.memory_eval.questions.categories.problem_solving import ProblemSolving
from assay.memory_eval.questions.categories.security_log_analysis import SecurityLogAnalysis
from assay.memory_eval.questions.categories.selective_forgetting import SelectiveForgetting
from assay.memory_eval.questions.categories.source_attribution import SourceAttribution
from assay.memory_eval.questions.categories.temporal_evolution import TemporalEvolution
from assay.memory_eval.questions.categories.temporal_trap import TemporalTrap
from assay.memory_eval.questions.composing.question import Category

CATEGORIES: tuple[Category, ...] = (
    NeedleInHaystack(),
    TemporalEvolution(),
    NumericalPrecision(),
    SourceAttribution(),
    CrossReference(),
    DistractorResistance(),
    MetaMemory(),
    SecurityLogAnalysis(),
    IncidentTracking(),
    InfrastructureKnowledge(),
    ProblemSolving(),
    MultiHopReasoning(),
    NumericalReasoning(),
    TemporalTrap(),
    AdversarialDistractor(),
    Abstention(),
    KnowledgeUpdate(),
    EventOrdering(),
    ContradictionResolution(),
    SelectiveForgetting(),
    InstructionFollowing(),
    PremiseRejection(),
    PoisoningResistance(),
    Aggregation(),
)
