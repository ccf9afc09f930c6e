"""The command line's clock and its Ctrl-C: the one place that turns them into the planners' `Stop`.

Why: planning is pure; time, interruption and progress come from outside.
Called by: cli.commands.plan, once per command.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from levee.planning.result import Progress, Stop

Now = Callable[[], float]  # seconds on a clock that never goes back


def monotonic_s() -> float:
    return time.monotonic()


def _silent(_: Progress | None) -> None:
    return None


@dataclass(slots=True)
class Clock:
    """Counts one command's time, knows whether it was interrupted, and hands both to the planners."""

    now: Now = monotonic_s
    limit_s: float = 30.0
    interrupted: bool = False
    tell: Callable[[Progress | None], None] = _silent  # None: nothing new, only time has passed
    doing: str = ""  # for people: which of several searches is on ...
    unit: str = "cores"  # ... and what its objective counts
    began_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Each topology has the whole time limit."""
        self.began_s = self.now()

    def elapsed_s(self) -> float:
        return self.now() - self.began_s

    def remaining_s(self) -> float:
        return max(0.0, self.limit_s - self.elapsed_s())

    def stop(self, share: float = 1.0) -> Stop:
        """For one search: it may use this share of the time that is left."""
        until_s = self.elapsed_s() + share * self.remaining_s()

        def asked() -> bool:
            self.tell(None)
            return self.interrupted or self.elapsed_s() >= until_s

        return Stop(asked, lambda: max(0.0, until_s - self.elapsed_s()), self.tell)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """The first Ctrl-C asks for the best so far; the second ends the process, whatever it is doing."""

        def interrupt(_signal: int, _frame: FrameType | None) -> None:
            self.interrupted = True
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # The default needs no Python: it works inside a solver, too.

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
