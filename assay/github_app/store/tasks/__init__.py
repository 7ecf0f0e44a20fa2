"""Tasks, traces, evaluations, experiments and insights."""
