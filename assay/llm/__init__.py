"""Language model interface, budget, and client of the Anthropic API.

    model = AnthropicModel("claude-haiku-5-5", budget=Budget(max_usd=2.0, max_calls=1_000))
    model.complete("Which of these two notes is newer? …", schema={...}).value

The `anthropic` package is imported when a model is created, not when this package is imported.
"""

from assay.llm.anthropic_model import AnthropicModel
from assay.llm.budget import Budget, Spending
from assay.llm.clients import Provider
from assay.llm.conversing import ConversingModel, Ended, Limits, Tool, Turn, converse_with_tools
from assay.llm.giving_up import GivingUp
from assay.llm.kept_answers import KeptAnswers
from assay.llm.language_model import (
    BatchModel,
    Completion,
    LanguageModel,
    ModelUnavailable,
    Request,
    WhyUnavailable,
)
from assay.llm.prices import Price, price_of
from assay.llm.structured import complete_as, validated

__all__ = [
    "AnthropicModel",
    "BatchModel",
    "Budget",
    "Completion",
    "ConversingModel",
    "Ended",
    "GivingUp",
    "KeptAnswers",
    "LanguageModel",
    "Limits",
    "ModelUnavailable",
    "Price",
    "Provider",
    "Request",
    "Spending",
    "Tool",
    "Turn",
    "WhyUnavailable",
    "complete_as",
    "converse_with_tools",
    "price_of",
    "validated",
]
