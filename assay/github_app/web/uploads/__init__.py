"""Results that workflows upload."""
