"""What the house promises, tried out."""
