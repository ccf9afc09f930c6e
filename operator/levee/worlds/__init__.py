"""Where a topology runs: one protocol, and an implementation for each place.

Why: everything that differs between a laptop, Kubernetes and a simulation is behind `world.World`; what is decided is the same.
Called by: the command line, the operator.
"""
