"""What a fault is in each world: what is seen, the means, the deed, its effect, and how it is undone.

Called by: inflicting, deadman, streams, probes and controls.
"""
