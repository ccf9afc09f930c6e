"""What will happen in virtual time, in its order.

Called by: `ground` and `world`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush

Do = Callable[[], None]


@dataclass(slots=True)
class Agenda:
    entries: list[tuple[int, int, Do]] = field(default_factory=list)
    added: int = 0  # what is due at the same time happens as it was added

    def at(self, when_ms: int, do: Do) -> None:
        heappush(self.entries, (when_ms, self.added, do))
        self.added += 1

    def carry_out(self, now_ms: int) -> bool:
        """All that is due by now; whether there was anything."""
        anything = False
        while self.entries and self.entries[0][0] <= now_ms:
            heappop(self.entries)[2]()
            anything = True
        return anything
