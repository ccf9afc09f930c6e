"""Tell people how far a long search is: one live line on a terminal, a plain line every few seconds elsewhere.

Why: a planner that is silent for half a minute looks dead; what it has found is known all along.
Called by: cli.commands.plan, which hands `Reporter.tell` to the clock.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from levee.planning.result import Progress

PATIENCE_S = 1.0  # Before that nobody wonders.
LIVE_EVERY_S = 0.1
PLAIN_EVERY_S = 5.0


@dataclass(slots=True)
class Reporter:
    """Keeps the newest progress and writes it now and then; `what` names the search, `unit` its objective."""

    out: IO[str]
    elapsed_s: Callable[[], float]
    live: bool
    what: Callable[[], str]
    unit: Callable[[], str] = lambda: "cores"
    latest: Progress = field(default_factory=lambda: Progress(None, None))
    written_s: float = 0.0
    open_line: bool = False

    def tell(self, progress: Progress | None) -> None:
        if progress is not None:
            self.latest = progress
        now_s = self.elapsed_s()
        if now_s >= PATIENCE_S and now_s - self.written_s >= (LIVE_EVERY_S if self.live else PLAIN_EVERY_S):
            self.written_s = now_s
            self.write(line(self.what(), self.unit(), self.latest, now_s))

    def write(self, text: str) -> None:
        self.out.write(f"\r\x1b[K{text}" if self.live else f"{text}\n")
        self.out.flush()
        self.open_line = self.live

    def clear(self) -> None:
        """Take the live line away, so that the plan stands alone."""
        if self.open_line:
            self.out.write("\r\x1b[K")
            self.out.flush()
            self.open_line = False


def line(what: str, unit: str, progress: Progress, elapsed_s: float) -> str:
    parts = [f"{what}: {elapsed_s:.0f} s"]
    parts.append("no plan yet" if progress.objective is None else f"best so far {progress.objective:.6g} {unit}")
    if progress.bound is not None:
        parts.append(f"bound {progress.bound:.6g}")
    if progress.objective is not None and progress.bound is not None:
        gap = abs(progress.objective - progress.bound) / max(abs(progress.objective), 1e-12)
        parts.append(f"gap {100 * gap:.2f} %")
    return ", ".join(parts)
