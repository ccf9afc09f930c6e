"""Levee's extension for Chaos Toolkit: faults at will, named in Levee's nouns, checked before, verified after, and undone.

Why: an experiment that a topology survived proves something only if its fault has happened and has ended.
Called by: `chaos run` (actions, probes, controls), and `chaos discover --no-install levee-chaos`, which asks `discover` what there is.
"""

from typing import Any

__version__ = "0.1.0"  # Levee's own
__all__ = ["__version__", "discover"]


def discover(discover_system: bool = True) -> dict[str, Any]:  # noqa: ARG001  (Chaos Toolkit says it)
    """What this extension can do, as Chaos Toolkit writes it down."""
    from chaoslib.discovery.discover import discover_actions, discover_probes, initialize_discovery_result  # noqa: PLC0415

    found: dict[str, Any] = initialize_discovery_result("levee-chaos", __version__, "levee")
    found["activities"] += discover_actions("levee_chaos.actions")
    found["activities"] += discover_actions("levee_chaos.triggers")
    found["activities"] += discover_probes("levee_chaos.probes")
    return found
