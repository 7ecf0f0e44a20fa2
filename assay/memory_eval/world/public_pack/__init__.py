"""The public pack: productions of statements and questions, as data; see docs/memory/packs.md."""
