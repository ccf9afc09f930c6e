"""The simulated world: virtual time, nodes of so many cores, queues that fill up, and whatever fails; no I/O, no clock.

Why: what a plan does on a day like no other can be seen in a second, and the control plane can be tried under faults by the thousand.
Called by: `levee simulate`, and the tests of the control plane.
"""
