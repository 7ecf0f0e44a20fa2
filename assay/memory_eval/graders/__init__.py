"""How answers are graded: one grader for each type of answer, and what surrounds them."""
