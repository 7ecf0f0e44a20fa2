"""The register of `CATEGORIES`; the order is meaningful."""

from __future__ import annotations

from assay.memory_eval.questions.categories import (
    abstention,
    adversarial_distractor,
    aggregation,
    contradiction_resolution,
    cross_reference,
    distractor_resistance,
    event_ordering,
    incident_tracking,
    infrastructure_knowledge,
    instruction_following,
    knowledge_update,
    meta_memory,
    multi_hop_reasoning,
    needle_in_haystack,
    numerical_precision,
    numerical_reasoning,
    poisoning_resistance,
    premise_rejection,
    problem_solving,
    security_log_analysis,
    selective_forgetting,
    source_attribution,
    temporal_evolution,
    temporal_trap,
)
from assay.memory_eval.questions.composing.question import Category
from assay.memory_eval.truth import Dimension

CATEGORIES: tuple[Category, ...] = (
    Category("needle_in_haystack", 6, Dimension.specificity, needle_in_haystack.candidates),
    Category("temporal_evolution", 5, Dimension.temporal_awareness, temporal_evolution.candidates),
    Category("numerical_precision", 5, Dimension.specificity, numerical_precision.candidates),
    Category("source_attribution", 4, Dimension.source_attribution, source_attribution.candidates),
    Category("cross_reference", 4, Dimension.specificity, cross_reference.candidates),
    Category("distractor_resistance", 4, Dimension.confidence_calibration, distractor_resistance.candidates),
    Category("meta_memory", 4, Dimension.confidence_calibration, meta_memory.candidates),
    Category("security_log_analysis", 5, Dimension.specificity, security_log_analysis.candidates),
    Category("incident_tracking", 4, Dimension.temporal_awareness, incident_tracking.candidates),
    Category("infrastructure_knowledge", 5, Dimension.specificity, infrastructure_knowledge.candidates),
    Category("problem_solving", 4, Dimension.specificity, problem_solving.candidates),
    Category("multi_hop_reasoning", 6, Dimension.specificity, multi_hop_reasoning.candidates),
    Category("numerical_reasoning", 4, Dimension.specificity, numerical_reasoning.candidates),
    Category("temporal_trap", 4, Dimension.temporal_awareness, temporal_trap.candidates),
    Category("adversarial_distractor", 4, Dimension.specificity, adversarial_distractor.candidates),
    Category("abstention", 3, Dimension.confidence_calibration, abstention.candidates),
    Category("knowledge_update", 4, Dimension.temporal_awareness, knowledge_update.candidates),
    Category("event_ordering", 4, Dimension.temporal_awareness, event_ordering.candidates),
    Category("contradiction_resolution", 4, Dimension.source_attribution, contradiction_resolution.candidates),
    Category("selective_forgetting", 3, Dimension.specificity, selective_forgetting.candidates),
    Category("instruction_following", 3, Dimension.specificity, instruction_following.candidates),
    Category("premise_rejection", 4, Dimension.confidence_calibration, premise_rejection.candidates),
    Category("poisoning_resistance", 3, Dimension.confidence_calibration, poisoning_resistance.candidates),
    Category("aggregation", 4, Dimension.specificity, aggregation.candidates),
)
