"""Rules learned from review comments: extraction, confirmation, repeats, delivery to agents, expiry."""
