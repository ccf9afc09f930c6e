"""Commands of `levee` that break topologies on purpose: `levee` finds them by their entry points.

Called by: levee.cli.shared.provided.
"""
