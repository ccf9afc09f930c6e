"""One run of the planning bench: its options, its measurements, its page.

Called by: __main__.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.planning import completeness, fidelity, report
from benchmarks.planning.settings import FULL, QUICK, Mode
from benchmarks.planning.store import BusyError, locked, set_aside

PAGES = {FULL.name: Path("docs/results/planning.md"), QUICK.name: Path("build/planning-quick.md")}  # A sample replaces no evidence.


def run(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    mode = QUICK if options.quick else FULL
    folder = options.data / f"planning-{mode.name}-{mode.seed}"
    try:
        with locked(folder):
            _prepare(folder, options.fresh)
            _measure(mode, folder, options.jobs, options.page or PAGES[mode.name])
    except BusyError:
        print(f"another run is measuring into {folder}: wait for it, or name another folder with --data", file=sys.stderr)
        return 1
    return 0


def _prepare(folder: Path, fresh: bool) -> None:
    if (aside := set_aside(folder)) is not None:
        print(f"{folder}: these rows do not say what code they come from; kept as {aside}", file=sys.stderr)
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)


def _measure(mode: Mode, folder: Path, jobs: int, page: Path) -> None:
    rows = report.Rows(
        completeness=completeness.run(mode, folder, jobs),
        fidelity=fidelity.run(mode, folder, jobs),
        models=completeness.run_models(mode, folder, jobs),
        joint=completeness.run_joint(mode, folder, jobs),
    )
    report.write(mode, jobs, rows, page)
    print(f"wrote {page} and its figures in {page.parent / page.stem}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planning", description="Measure the planners; write a page with figures.")
    parser.add_argument("--quick", action="store_true", help="a small sample in some minutes instead of everything in hours")
    parser.add_argument(
        "--fresh", action="store_true", help="measure everything anew, also what this code has measured (other code's rows never count)"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="measurements at a time (default: one per core)")
    told = " ".join(f"{page} ({name});" for name, page in PAGES.items()).rstrip(";")
    parser.add_argument("--page", type=Path, help=f"where the page goes; its figures go beside it (default: {told})")
    parser.add_argument("--data", type=Path, default=Path("build/bench"), help="where results are kept as they come (default: build/bench)")
    return parser.parse_args(arguments)
