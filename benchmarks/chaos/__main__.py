"""Run the chaos bench: `python -m benchmarks.chaos [--quick]`, or `make bench-chaos [QUICK=1] [ARGS="--only active --fault pod"]`.

It needs the test cluster (`python -m hack.cluster up`, as root) with three nodes, and breaks them. Results are kept as they come; an
interrupted run goes on where it ended, unless --fresh asks for a new one. The page is written from whatever is there.
"""

import argparse
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from benchmarks.chaos import golden, report
from benchmarks.chaos.faults import BY_NAME, keys
from benchmarks.chaos.runner import ChaosBench
from benchmarks.chaos.settings import FULL, QUICK, WAYS, Mode
from benchmarks.cluster.rows import Key
from benchmarks.lifecycle.__main__ import unable

PAGES = {"full": Path("docs/results/chaos.md"), "quick": Path("build/chaos-quick.md")}


def main() -> int:
    options = parsed()
    mode = QUICK if options.quick else FULL
    if not options.page_only and (wrong := unable("bench-chaos")):
        print(wrong, file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it so wants it to clean up, too
    page, folder = options.page or PAGES[mode.name], options.data / mode.name
    work = Path(tempfile.mkdtemp(prefix="levee-bench-"))
    try:
        bench = ChaosBench(folder, work, mode.patience_s, folder / "failed", golden.Golden(golden.place(options.data, mode.golden_epochs)))
        if not options.page_only:
            measure(bench, mode, options)
        write(bench, mode, page)
    except KeyboardInterrupt:
        print("interrupted; what was measured is kept", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"wrote {page}")
    return 0


def measure(bench: ChaosBench, mode: Mode, options: argparse.Namespace) -> None:
    golden.make(options.data, mode.golden_epochs)
    for way in options.only or WAYS:
        if options.fresh:
            bench.forget(way)
        bench.measure(way, chosen(mode, way, options.fault))


def chosen(mode: Mode, way: str, faults: list[str] | None) -> list[Key]:
    return [key for key in keys(mode, way) if not faults or key[0] in faults]


def write(bench: ChaosBench, mode: Mode, page: Path) -> None:
    wanted = {way: keys(mode, way) for way in WAYS}
    unfinished = [row for way, mine in wanted.items() for row in bench.unfinished(way, mine)]
    report.write(mode, {way: bench.of_faults(way, mine) for way, mine in wanted.items()}, unfinished, page)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description="Break a topology in every way; write a page.")
    parser.add_argument("--quick", action="store_true", help="each fault once instead of twice")
    parser.add_argument("--only", action="append", choices=list(WAYS), help="this way of going on; may be repeated")
    parser.add_argument("--fault", action="append", choices=list(BY_NAME), help="this fault; may be repeated")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured of these ways")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page from what there is")
    parser.add_argument("--page", type=Path, help="docs/results/chaos.md, or with --quick one in build/, when left out")
    parser.add_argument("--data", type=Path, default=Path("build/bench/chaos"), help="where results are kept as they come")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
