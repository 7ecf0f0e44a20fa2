"""The register of `CATEGORIES`; the order is meaningful."""

from __future__ import annotations

from assay.memory_eval.questions.categories import change, computed, conduct, recall, sources
from assay.memory_eval.questions.composing.question import Category
from assay.memory_eval.truth import Dimension

CATEGORIES: tuple[Category, ...] = (
    Category("needle_in_haystack", 6, Dimension.specificity, recall.needle_in_haystack),
    Category("temporal_evolution", 5, Dimension.temporal_awareness, change.temporal_evolution),
    Category("numerical_precision", 5, Dimension.specificity, recall.numerical_precision),
    Category("source_attribution", 4, Dimension.source_attribution, sources.source_attribution),
    Category("cross_reference", 4, Dimension.specificity, computed.cross_reference),
    Category("distractor_resistance", 4, Dimension.confidence_calibration, recall.distractor_resistance),
    Category("meta_memory", 4, Dimension.confidence_calibration, recall.meta_memory),
    Category("security_log_analysis", 5, Dimension.specificity, computed.security_log_analysis),
    Category("incident_tracking", 4, Dimension.temporal_awareness, change.incident_tracking),
    Category("infrastructure_knowledge", 5, Dimension.specificity, recall.infrastructure_knowledge),
    Category("problem_solving", 4, Dimension.specificity, recall.problem_solving),
    Category("multi_hop_reasoning", 6, Dimension.specificity, computed.multi_hop_reasoning),
    Category("numerical_reasoning", 4, Dimension.specificity, computed.numerical_reasoning),
    Category("temporal_trap", 4, Dimension.temporal_awareness, change.temporal_trap),
    Category("adversarial_distractor", 4, Dimension.specificity, recall.adversarial_distractor),
    Category("abstention", 3, Dimension.confidence_calibration, recall.abstention),
    Category("knowledge_update", 4, Dimension.temporal_awareness, change.knowledge_update),
    Category("event_ordering", 4, Dimension.temporal_awareness, change.event_ordering),
    Category("contradiction_resolution", 4, Dimension.source_attribution, sources.contradiction_resolution),
    Category("selective_forgetting", 3, Dimension.specificity, conduct.selective_forgetting),
    Category("instruction_following", 3, Dimension.specificity, conduct.instruction_following),
    Category("premise_rejection", 4, Dimension.confidence_calibration, conduct.premise_rejection),
    Category("poisoning_resistance", 3, Dimension.confidence_calibration, conduct.poisoning_resistance),
    Category("aggregation", 4, Dimension.specificity, computed.aggregation),
)
