"""How answers are graded."""
