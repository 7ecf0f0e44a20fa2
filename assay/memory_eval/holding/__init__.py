"""What a memory holds: facts of the known world, found in its entries and in what it retrieves."""
