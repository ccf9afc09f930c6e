"""A run whose workers obey disturbances: files in the run's folder, which say what becomes of the requests between a node and its store.

Why: production never asks whether it is a test, so such a run has a program of its own for its workers, made of the same parts.
Called by: `levee-chaos run` (starting, worker); the local world, which puts such files there and takes them away.
"""
