"""What runs beside Spark: the epoch log (`log`), and what is built on it.

Why: the data plane is one package, so that a worker's image needs no more than this and its dependencies.
Called by: workers, notebooks and tests.
"""
