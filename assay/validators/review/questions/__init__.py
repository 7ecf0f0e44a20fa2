"""Questions to the model: their schemas, and the checks of its answers."""
