"""Benchmarks: what Levee promises about speed and quality, measured; each writes a page into docs/results."""
