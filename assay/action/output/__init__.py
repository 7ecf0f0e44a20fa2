"""Log, annotations, outputs and summary of a run."""
