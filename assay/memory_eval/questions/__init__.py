"""The categories of questions. One file each; `CATEGORIES` is the register, the seed's twelve first."""

from __future__ import annotations

from assay.memory_eval.questions.abstention import Abstention
from assay.memory_eval.questions.adversarial_distractor import AdversarialDistractor
from assay.memory_eval.questions.aggregation import Aggregation
from assay.memory_eval.questions.contradiction_resolution import ContradictionResolution
from assay.memory_eval.questions.cross_reference import CrossReference
from assay.memory_eval.questions.distractor_resistance import DistractorResistance
from assay.memory_eval.questions.event_ordering import EventOrdering
from assay.memory_eval.questions.incident_tracking import IncidentTracking
from assay.memory_eval.questions.infrastructure_knowledge import InfrastructureKnowledge
from assay.memory_eval.questions.instruction_following import InstructionFollowing
from assay.memory_eval.questions.knowledge_update import KnowledgeUpdate
from assay.memory_eval.questions.meta_memory import MetaMemory
from assay.memory_eval.questions.multi_hop_reasoning import MultiHopReasoning
from assay.memory_eval.questions.needle_in_haystack import NeedleInHaystack
from assay.memory_eval.questions.numerical_precision import NumericalPrecision
from assay.memory_eval.questions.numerical_reasoning import NumericalReasoning
from assay.memory_eval.questions.poisoning_resistance import PoisoningResistance
from assay.memory_eval.questions.premise_rejection import PremiseRejection
from assay.memory_eval.questions.problem_solving import ProblemSolving
from assay.memory_eval.questions.question import Category
from assay.memory_eval.questions.security_log_analysis import SecurityLogAnalysis
from assay.memory_eval.questions.selective_forgetting import SelectiveForgetting
from assay.memory_eval.questions.source_attribution import SourceAttribution
from assay.memory_eval.questions.temporal_evolution import TemporalEvolution
from assay.memory_eval.questions.temporal_trap import TemporalTrap

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

__all__ = ["CATEGORIES"]
