"""The mode `memory-report` of the Action."""
