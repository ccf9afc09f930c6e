"""What `levee run` shows while it runs: a live view on a terminal, plain lines elsewhere.

Called by: cli.local.start, at every turn.
"""

from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Protocol, Self

from rich import live
from rich.console import Console

from levee.cli.local.picture import line_of, picture
from levee.control.actions import Reason
from levee.topology.wording import count
from levee.worlds.local.rows import rows_of, summary_of
from levee.worlds.local.run import LocalRun, Turn

SUMMARY_MS = 5_000
EVENTS_SHOWN = 10
GOES_ON = "ends; the streams stay, and levee run goes on where they end"
FAILED = "has failed; the streams stay, and levee run goes on with them once it is mended: {}"
DONE = "is completed; the streams stay, and running it again changes nothing"


class Show(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    def begin(self, run: LocalRun) -> None:
        """Before the first turn."""

    def turn(self, turn: Turn) -> None: ...


@dataclass(slots=True)
class Lines:
    """A line for each event, and now and then one for the whole."""

    out: IO[str]
    told_ms: int = 0
    topology: str = ""
    ending: str = GOES_ON

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.write(f"{self.topology}: {self.ending}")

    def begin(self, run: LocalRun) -> None:
        self.topology, workers = run.blank.topology, count(len(run.world.wanted.workers), "worker")
        self.write(f"{self.topology}: {workers} on {count(len(run.world.nodes), 'node')}, in {run.folder.path}")

    def turn(self, turn: Turn) -> None:
        self.ending = ending_of(turn)
        for one in turn.news:
            self.write(line_of(one))
        if turn.seen.anchored and turn.now - self.told_ms >= SUMMARY_MS:
            self.told_ms = turn.now
            self.write(summary_line(turn))

    def write(self, line: str) -> None:
        self.out.write(f"{line}\n")
        self.out.flush()


def ending_of(turn: Turn) -> str:
    if turn.failing:
        return FAILED.format(", ".join(turn.failing))
    return DONE if turn.decision.reason is Reason.COMPLETED else GOES_ON


def summary_line(turn: Turn) -> str:
    summary = summary_of(turn.table, rows_of(turn.table, turn.seen))
    working = f"{summary.working} of {summary.replicas} replicas work"
    how = f"lag {summary.lag_epochs}, {working}, {summary.rows_per_s:.0f} rows/s"
    return f"epoch {summary.epoch}, {how}, configuration {turn.table.configuration}"


@dataclass(slots=True)
class Live:
    """Redrawn at every turn; it stays on the screen when the run has ended."""

    console: Console = field(default_factory=Console)
    view: live.Live = field(init=False)
    topology: str = ""
    ending: str = GOES_ON

    def __post_init__(self) -> None:
        self.view = live.Live(console=self.console, auto_refresh=False)

    def __enter__(self) -> Self:
        self.view.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.view.__exit__(kind, error, trace)
        self.console.print(f"{self.topology}: {self.ending}", highlight=False)

    def begin(self, run: LocalRun) -> None:
        self.topology = run.blank.topology

    def turn(self, turn: Turn) -> None:
        self.ending = ending_of(turn)
        rows = rows_of(turn.table, turn.seen)
        room = max(3, min(EVENTS_SHOWN, self.console.height - len(rows) - 8))
        self.view.update(picture(turn.table, rows, summary_of(turn.table, rows), room), refresh=True)
