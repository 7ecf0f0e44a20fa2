"""The register of `BLOCKS`; the order is meaningful."""

from collections.abc import Sequence

from assay.memory_eval.blocks.block import Block
from assay.memory_eval.blocks.callbacks import Callbacks
from assay.memory_eval.blocks.contradictory import Contradictory
from assay.memory_eval.blocks.distractors import Distractors
from assay.memory_eval.blocks.evolving_story import EvolvingStory
from assay.memory_eval.blocks.incidents import Incidents
from assay.memory_eval.blocks.infrastructure import Infrastructure
from assay.memory_eval.blocks.numerical import Numerical
from assay.memory_eval.blocks.people import People
from assay.memory_eval.blocks.problem_solving import ProblemSolving
from assay.memory_eval.blocks.projects import Projects
from assay.memory_eval.blocks.security_logs import SecurityLogs
from assay.memory_eval.blocks.technical import Technical

BLOCKS: Sequence[type[Block]] = (
    People,
    Projects,
    Technical,
    EvolvingStory,
    Numerical,
    Contradictory,
    Callbacks,
    Distractors,
    SecurityLogs,
    Incidents,
    Infrastructure,
    ProblemSolving,
)
"""Every block, in the order of the dialogue."""
