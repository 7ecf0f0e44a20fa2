"""Meaning of texts as rows of numbers: one that needs nothing from outside, and three that ask a service.

    embedder = EMBEDDERS["bundled"](EmbeddingSettings())
    embedder.embed(["Never use any.", "Use proper types."])  ->  an array of 2 rows, each of length 1

Nothing heavy is loaded before the first text is embedded.
"""
