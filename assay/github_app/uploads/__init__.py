"""Results posted by workflows."""
