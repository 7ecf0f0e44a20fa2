"""How results are read: what is the same for all tools, and the formats that many tools write."""
