"""Facts about a change for its review: hunks, and what the code around them says, without a model."""
