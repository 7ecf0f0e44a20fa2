"""Numbers in an answer, with their units, in digits or words."""
