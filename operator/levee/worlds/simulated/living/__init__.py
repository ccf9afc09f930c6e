"""Whole lives in the simulated world: the lifecycle's runner, its methods by the controller's own rules, and a user who changes his mind.

Why: the lifecycle is swept on a world of values, and the rules in a world without a lifecycle; what happens between them, such as a stop
while a node is away, only shows where both are.
Called by: `levee.fit`, tests of many lives.
"""
