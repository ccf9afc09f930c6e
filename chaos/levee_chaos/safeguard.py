"""Looks at the steady state while the method runs, says for how long it was lost, and aborts the experiment when that is too long.

Why: Chaos Toolkit looks before and after; what happens between is what an experiment is about, and a topology that does not come
back should not be tormented any longer.
Called by: controls.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Thread, Timer


@dataclass(frozen=True, slots=True)
class Loss:
    since_s: float | None = None  # None: it holds
    longest_s: float = 0.0
    why: str = ""  # of the newest

    def at(self, now_s: float) -> float:
        """For how long it is lost by now."""
        return 0.0 if self.since_s is None else now_s - self.since_s


def looked(loss: Loss, wrong: str, now_s: float) -> Loss:
    """`wrong`: the probe that does not hold; empty where all do."""
    longest_s = max(loss.longest_s, loss.at(now_s))
    if not wrong:
        return Loss(None, longest_s, loss.why)
    return Loss(now_s if loss.since_s is None else loss.since_s, longest_s, wrong)


@dataclass(slots=True)
class Looking:
    """A thread: one look after another, until it is ended."""

    look: Callable[[], str]
    every_s: float
    most_s: float | None  # None: it only says how long it was
    abort: Callable[[Loss], None]
    loss: Loss = Loss()
    over: Event = field(default_factory=Event)
    thread: Thread = field(init=False)

    def __post_init__(self) -> None:
        self.thread = Thread(target=self.run, name="levee-safeguard", daemon=True)
        self.thread.start()

    def run(self) -> None:
        while not self.over.wait(self.every_s):
            wrong = self.look()
            now_s = time.monotonic()
            self.loss = looked(self.loss, wrong, now_s)
            if self.most_s is not None and self.loss.at(now_s) > self.most_s and not self.over.is_set():
                self.abort(self.loss)
                return

    def end(self) -> Loss:
        """A look that is under way is waited for: it must not speak after the method."""
        self.over.set()
        self.thread.join()
        return self.loss


def ending_after(limit_s: float | None, abort: Callable[[float], None]) -> Timer | None:
    """Also of what hangs. None: it may take as long as it likes."""
    if limit_s is None:
        return None
    timer = Timer(limit_s, abort, [limit_s])
    timer.daemon = True
    timer.start()
    return timer
