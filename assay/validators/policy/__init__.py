"""What the configuration of the base decides: the nature of each file and the verdict on the change."""
