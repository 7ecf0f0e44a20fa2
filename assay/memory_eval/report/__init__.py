"""Results of an evaluation, their statistics and comparison."""
