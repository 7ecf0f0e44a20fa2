"""Languages as tables: a query file and a row each, read by one engine."""
