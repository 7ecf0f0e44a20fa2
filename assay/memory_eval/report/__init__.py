"""Results of an evaluation, their measures and comparison."""
