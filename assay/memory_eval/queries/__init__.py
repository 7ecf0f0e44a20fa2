"""One engine for answers: a query over told facts finds the right answer and the turns that hold it.

The same engine is run over all facts, which gives the gold, and over the facts of the evidence alone, which must give
the same: so answers and evidence are right by how they are made, and not by care.
"""
