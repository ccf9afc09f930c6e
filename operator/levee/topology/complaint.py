"""What is wrong with a user's input or with a claim, where, and what to write instead.

Why: the condition, the Event and the command line must say the same.
Called by: topology.check, and the verifiers beside the optimisers.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Complaint:
    where: str
    wrong: str
    fix: str
