"""The three steps of a run: fetch, validate, publish."""
