"""Write docs/results/streams.md and its figures from whatever has been measured.

Called by: __main__.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.streams import figures, machine, report_recovery, report_rest
from benchmarks.streams.rows import Row
from benchmarks.streams.settings import CORES_USED_MAX, Mode

HEAD = """\
# Streams: what was measured

Written by `make bench-streams`; nothing here is typed by hand. A run may be interrupted and go on later with what it has measured; this
page does not record how often.

- Machine: {machine}.
- Run: {mode}.
- Every measurement is a process of its own, one after another. Right before each it is seen how many cores others use, after waiting
  at most {patience:.0f} s for that to fall to {cores}: {used}
- p50 and p95 are over all epochs of all repetitions; a ± is half the distance between the smallest and the largest median of a repetition.
"""


def write(mode: Mode, parts: Mapping[str, Sequence[Row]], page: Path) -> None:
    pictures = page.parent / page.stem
    pictures.mkdir(parents=True, exist_ok=True)
    draw(parts, pictures)
    head = HEAD.format(machine=machine.describe(), mode=mode.describe(), patience=mode.patience_s, cores=CORES_USED_MAX, used=used(parts))
    sections = [head, *report_rest.sections(parts, page.stem), *report_recovery.sections(parts["recovery"], page.stem)]
    page.write_text("\n".join(sections), encoding="utf-8")


def used(parts: Mapping[str, Sequence[Row]]) -> str:
    rows = [row for found in parts.values() for row in found]
    busy = [row for row in rows if row["busy"]]
    if not rows:
        return "nothing was measured."
    said = f"largest {max(row['cores_used'] for row in rows):.2f}, above the limit in {len(busy)} of {len(rows)} measurements"
    return f"{said}. **These figures are not to be trusted where marked (busy).**" if busy else f"{said}."


def draw(parts: Mapping[str, Sequence[Row]], pictures: Path) -> None:
    if parts["epochs"]:
        figures.epochs(parts["epochs"], pictures / "epochs.svg")
    if parts["density"]:
        figures.density(parts["density"], pictures / "density.svg")
    rows = parts["recovery"]
    if rows:
        figures.recovery(rows, "single", pictures / "recovery-single.svg")
        figures.recovery(rows, "all", pictures / "recovery-all.svg")
        longest = max(row["window_s"] for row in rows)
        rates = sorted({row["rate"] for row in rows})
        figures.checkpoints(lambda rate: report_recovery.shares(rows, longest, rate), rates, pictures / "checkpoints.svg")
