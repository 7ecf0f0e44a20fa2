"""Report types, verdict inputs and the JSON reader."""
