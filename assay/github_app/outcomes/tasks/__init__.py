"""Tasks, traces and failure classification reported by agents."""
