"""The twelve blocks of a dialogue."""
