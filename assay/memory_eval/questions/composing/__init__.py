"""Material and wording shared by question categories."""
