"""The operators and the made-up data of the topologies in `examples/`: plain Spark functions, and generators for the `replay` source.

Why: they are what a user would write, so they show how, and tests, the demo and campaigns run them.
Called by: the topologies in `examples/`, by name.
"""
