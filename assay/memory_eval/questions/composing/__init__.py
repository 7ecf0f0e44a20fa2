"""Material and wording that question categories share."""
