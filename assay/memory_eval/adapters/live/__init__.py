"""Live adapters of real memory systems: turns are written and searched by the system, Assay's reader answers."""
