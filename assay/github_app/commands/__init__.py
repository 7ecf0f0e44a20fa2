"""What people can say to Assay in a comment, and the buttons. `COMMANDS` is the register, in the order `help` shows."""
