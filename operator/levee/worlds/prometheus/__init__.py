"""The rates of sources as a Prometheus has them: the question, how its answer is read, and who asks.

Why: a Prometheus that is there has seen all workers all the time, also while the operator was away.
Called by: serve, where one is named; worlds take their rates from it.
"""
