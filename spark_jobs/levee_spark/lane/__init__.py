"""Lanes: streaming queries that turn input epochs into output epochs."""
