"""Claims, dates, numbers and names read from an answer."""
