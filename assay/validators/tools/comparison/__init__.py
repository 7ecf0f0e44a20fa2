"""Results of the change compared with results of the base."""
