"""Text embeddings: one offline embedder and three clients of services.

    embedder = EMBEDDERS["bundled"](EmbeddingSettings())
    embedder.embed(["Never use any.", "Use proper types."])  ->  an array of 2 rows, each of length 1

Heavy packages are imported when the first text is embedded.
"""
