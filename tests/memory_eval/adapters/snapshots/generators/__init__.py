"""Programs that fill a store with the system itself; each writes into the folder it is given."""
