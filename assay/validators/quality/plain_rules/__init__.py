"""Rules in plain sentences that are checked without a model."""
