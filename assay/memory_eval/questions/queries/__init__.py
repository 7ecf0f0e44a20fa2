"""The query engine: a query over stated facts returns the answer and the turns that hold it.

The same engine runs over all facts, which gives the gold answer, and over the facts of the evidence alone, which must
give the same. Answers and evidence are thus correct by construction.
"""
