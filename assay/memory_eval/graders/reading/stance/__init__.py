"""How an answer takes a named value: asserted, denied, doubted, reported, only related, or not known."""
