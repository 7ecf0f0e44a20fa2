"""The seeded world: what there is, what can be said of it, and how it is put."""
