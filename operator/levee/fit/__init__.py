"""Faults at exact moments of a lifecycle: documents that name a moment and a fault, and the campaigns that try them.

Why: whoever wants to know what a crash between two methods does must be able to say between which, and not wait for chance. A document of
faults makes a new lifecycle document; the code that lives by it is the same, and whoever runs topologies cannot call what is added.
Called by: `levee fit`. Nothing that runs topologies knows of it.
"""
