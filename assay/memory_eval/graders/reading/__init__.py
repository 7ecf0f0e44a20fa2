"""Claims, dates, numbers and names parsed from an answer."""
