"""One run of the LAAR bench: what is simulated, what runs on this machine, the page.

Called by: __main__.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from benchmarks.laar import live, pipeline, planned, report, simulated
from benchmarks.laar.settings import STRETCH_S, Mode
from benchmarks.planning.store import Store, code_of
from benchmarks.streams.runner import Bench

PARTS = ("simulated", "live")
FILES = {"simulated": simulated.NAME, "live": "live"}
PATIENCE_S = 60  # to wait for a quiet machine before each run on it


@dataclass(frozen=True, slots=True)
class Ask:
    """The flags."""

    folder: Path
    page: Path
    parts: list[str]
    jobs: int
    fresh: bool
    page_only: bool


def run(mode: Mode, ask: Ask) -> None:
    for part in ask.parts if ask.fresh else []:
        (ask.folder / f"{FILES[part]}.jsonl").unlink(missing_ok=True)
    try:
        measure(mode, ask, [] if ask.page_only else ask.parts)
    finally:  # also of what there is when it is interrupted
        write(mode, ask)


def measure(mode: Mode, ask: Ask, parts: Sequence[str]) -> None:
    if "simulated" in parts:
        simulated.run(mode, planned.planned(mode, ask.folder, ask.jobs).chosen, ask.folder, ask.jobs)
    if "live" in parts:
        with tempfile.TemporaryDirectory(prefix="levee-laar-", ignore_cleanup_errors=True) as work:
            Bench(ask.folder, Path(work) / "run", PATIENCE_S, package="benchmarks.laar").measure("live", live.keys(mode))


def write(mode: Mode, ask: Ask) -> None:
    figure_3 = [pipeline.simulated(variant, STRETCH_S) for variant in pipeline.VARIANTS]
    rows = report.Rows(simulated.known(ask.folder), figure_3, Bench(ask.folder, ask.folder, 0).known("live"), drawn(mode, ask.folder))
    report.write(mode, rows, ask.page)


def drawn(mode: Mode, folder: Path) -> planned.Drawn:
    """As far as it has come."""
    rows = Store(folder / "plans.jsonl", code_of(planned.row)).read()[0].values()
    return planned.counted(sorted(rows, key=itemgetter("index")), mode.applications)
