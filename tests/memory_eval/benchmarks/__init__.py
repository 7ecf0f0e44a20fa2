"""Public benchmarks, read from tiny files of their forms."""
