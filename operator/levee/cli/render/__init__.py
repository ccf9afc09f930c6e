"""A planned topology as a table, a document or a picture. Nothing is computed here that a reader could disagree with."""
