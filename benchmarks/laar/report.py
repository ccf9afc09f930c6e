"""Write docs/results/laar.md and its figures from whatever has been measured.

Called by: __main__.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.laar import report_live, report_simulated, simulated
from benchmarks.laar.planned import Drawn
from benchmarks.laar.settings import QUICK, Mode
from benchmarks.planning import machine
from benchmarks.planning.store import Row

HEAD = """\
# Load-adaptive replication: what was measured

Written by `{command}`; nothing here is typed by hand. A run may be interrupted and go on later with what it has measured; this page does
not record how often. The figures are those of Bellavista et al., Adaptive Fault-Tolerance for Dynamic Resource Provisioning in Distributed
Stream Processing Systems (LAAR), section 5; what the paper says in words stands beside ours, what it only draws does not.

- Machine: {machine}.
- Code: {code} (the hash of planners, control, simulated world and what measures them); what other code has measured is not on this page.
- Run: {mode}.
"""


@dataclass(frozen=True, slots=True)
class Rows:
    simulated: Sequence[Row]
    pipeline: Sequence[Row]
    live: Sequence[Row]
    drawn: Drawn


def write(mode: Mode, rows: Rows, page: Path) -> None:
    pictures = page.parent / page.stem
    pictures.mkdir(parents=True, exist_ok=True)
    command = "make bench-laar" + (" QUICK=1" if mode is QUICK else "")
    parts = [HEAD.format(command=command, machine=machine.describe(), code=simulated.code(), mode=mode.describe())]
    parts += report_live.sections(rows.pipeline, rows.live, page.stem, pictures)
    if rows.simulated:
        report_simulated.draw(rows.simulated, pictures)
        parts += report_simulated.sections(mode, rows.simulated, rows.drawn, page.stem)
    page.write_text("\n".join(parts), encoding="utf-8")
