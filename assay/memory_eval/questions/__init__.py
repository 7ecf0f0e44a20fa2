"""The categories of questions."""
