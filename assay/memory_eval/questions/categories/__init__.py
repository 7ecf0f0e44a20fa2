"""One module per question category."""
