"""The local world: nodes are process groups on this machine, workers are processes in them.

Why: what Levee does for a topology can be tried, shown and tested without a cluster.
Called by: `levee run` and the commands that speak to what it started; `make demo`.
"""
