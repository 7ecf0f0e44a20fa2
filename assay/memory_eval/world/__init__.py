"""The seeded world: entities, attributes and wording."""
