"""The register of `BLOCKS`; the order is meaningful."""

from collections.abc import Sequence

from assay.memory_eval.exam.blocks.block import Block
from assay.memory_eval.exam.blocks.callbacks import Callbacks
from assay.memory_eval.exam.blocks.contradictory import Contradictory
from assay.memory_eval.exam.blocks.distractors import Distractors
from assay.memory_eval.exam.blocks.incidents import Incidents
from assay.memory_eval.exam.blocks.problem_solving import ProblemSolving
from assay.memory_eval.exam.blocks.profiles import (
    EvolvingStory,
    Infrastructure,
    Numerical,
    People,
    Projects,
    Technical,
)
from assay.memory_eval.exam.blocks.security_logs import SecurityLogs

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
