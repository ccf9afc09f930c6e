"""What a notebook is told when it does not work: what happened, where, and what to do.

Called by: everything beside it.
"""

from levee.topology.complaint import Complaint


class CannotUse(Exception):
    """A stream that cannot be read or written as it was asked for."""

    def __init__(self, where: str, wrong: str, fix: str) -> None:
        super().__init__(f"{where}: {wrong}\n  Fix: {fix}")
        self.complaint = Complaint(where, wrong, fix)
