"""What one topology needs next: observe, decide, act, without clocks, I/O or a word about where it runs.

Why: the same rules must hold on a laptop, on Kubernetes and in a simulation; so a world hands in what it saw, and is told what to do.
Called by: `worlds`, whose loop observes, decides and acts.
"""
