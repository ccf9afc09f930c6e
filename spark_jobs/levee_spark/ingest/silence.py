"""Whether a source answers.

Why: Spark waits for a source for as long as that takes, and says nothing; a topology would stand still, and look as if all were well.
Called by: query, for each second in which nothing has come; assembly says to whom it is told.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Silence:
    patience_s: float = math.inf  # after which it is told
    tell: Callable[[str], object] = str  # what is waited for; empty: nothing any more

    def lasts(self, for_s: int) -> None:
        """A second more."""
        if self.is_long(for_s) and not self.is_long(for_s - 1):
            self.tell(f"its source has not answered for {self.patience_s:g} s; see that it can be reached")

    def ends(self, after_s: int) -> None:
        if self.is_long(after_s):
            self.tell("")

    def is_long(self, seconds: int) -> bool:
        return seconds >= self.patience_s
