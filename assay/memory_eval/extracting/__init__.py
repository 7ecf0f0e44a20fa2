"""Answers picked out of what was kept, without a model and without knowing what is right."""
