"""The room that teaches an agent a long dialogue, then examines its memory. Not built yet."""
