"""How long things take in the simulated world, and how much its sources vary.

Called by: `world`; whoever simulates may say otherwise.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """In milliseconds. `jitter`: what takes time takes that much more or less of it, drawn anew each time."""

    step_ms: int = 100
    turn_ms: int = 500  # of the controller, as on this machine
    period_ms: int = 250  # of an epoch
    start_ms: int = 8_000  # from the order to start a worker until it is ready: mostly a JVM
    resync_ms: int = 2_000  # from becoming active until a replica has forked the state and caught up
    jitter: float = 0.25
    noise: float = 0.02  # of rates, from second to second
