"""Labelled review comments, and what each way of comparing them makes of them."""
