"""Public memory benchmarks, read from a local copy; none of their data is shipped."""
