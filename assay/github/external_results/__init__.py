"""Results that Assay did not produce: checks, uploaded tool results, memory reports."""
