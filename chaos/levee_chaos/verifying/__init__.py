"""`levee verify`: the faults that a topology's own plan promises to survive, done one after another, and held against the promise.

Why: what an optimiser has promised should be seen by whoever relies on it, on the topology that they run.
Called by: levee_chaos.commands.
"""
