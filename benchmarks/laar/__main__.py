"""Run the LAAR bench: `python -m benchmarks.laar [--quick] [--only NAME]`, or `make bench-laar [QUICK=1] [ARGS="--only NAME"]`.

Results are kept as they come; an interrupted run goes on where it ended, unless --fresh asks for a new one. The page is written from
whatever is there.
"""

import argparse
import os
import sys
from pathlib import Path

from benchmarks.laar import run
from benchmarks.laar.settings import FULL, QUICK

PAGES = {FULL.name: Path("docs/results/laar.md"), QUICK.name: Path("build/laar-quick.md")}  # A sample replaces no evidence.


def main() -> None:
    options = _options()
    mode = QUICK if options.quick else FULL
    page = options.page or PAGES[mode.name]
    run.run(mode, run.Ask(options.data / mode.name, page, options.only or list(run.PARTS), options.jobs, options.fresh, options.page_only))
    print(f"wrote {page}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.laar", description="Measure load-adaptive replication; write a page with figures."
    )
    parser.add_argument("--quick", action="store_true", help="a small sample in a minute, and one application on this machine")
    parser.add_argument("--only", action="append", choices=run.PARTS, help="this part; may be repeated")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured of these parts")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page from what there is")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="simulations at a time (default: one per core)")
    parser.add_argument("--page", type=Path, help="where the page goes; its figures go beside it")
    parser.add_argument("--data", type=Path, default=Path("build/bench/laar"), help="where results are kept as they come")
    return parser.parse_args()


if __name__ == "__main__":
    main()
