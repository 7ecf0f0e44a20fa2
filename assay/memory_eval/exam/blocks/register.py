"""The register of `BLOCKS`; the order is meaningful."""

from collections.abc import Sequence

from assay.memory_eval.exam.blocks.block import Block
from assay.memory_eval.exam.blocks.callbacks import Callbacks
from assay.memory_eval.exam.blocks.contradictory import Contradictory
from assay.memory_eval.exam.blocks.distractors import Distractors
from assay.memory_eval.exam.blocks.evolving_story import EvolvingStory
from assay.memory_eval.exam.blocks.incidents import Incidents
from assay.memory_eval.exam.blocks.infrastructure import Infrastructure
from assay.memory_eval.exam.blocks.numerical import Numerical
from assay.memory_eval.exam.blocks.people import People
from assay.memory_eval.exam.blocks.problem_solving import ProblemSolving
from assay.memory_eval.exam.blocks.projects import Projects
from assay.memory_eval.exam.blocks.security_logs import SecurityLogs
from assay.memory_eval.exam.blocks.technical import Technical

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
