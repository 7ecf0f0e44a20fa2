"""The themes of the dialogue, in the order told."""

from collections.abc import Sequence

from assay.memory_eval.blocks.block import Block
from assay.memory_eval.blocks.people import People

BLOCKS: Sequence[Block] = (People(),)
"""Every block, in the order of the dialogue."""

__all__ = ["BLOCKS"]
