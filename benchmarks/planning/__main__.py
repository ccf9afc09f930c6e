"""Run the planning bench: `python -m benchmarks.planning [--quick]`, or `make bench-planning [QUICK=1]`.

Results are kept as they come; an interrupted run goes on where it ended, unless --fresh asks for a new one.
"""

import argparse
import os
import shutil
from pathlib import Path

from benchmarks.planning import completeness, fidelity, report
from benchmarks.planning.settings import FULL, QUICK


def main() -> None:
    options = _options()
    mode = QUICK if options.quick else FULL
    folder = options.data / f"planning-{mode.name}-{mode.seed}"
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    jobs: int = options.jobs
    rows = report.Rows(
        exact=completeness.run_exact(mode, folder, jobs),
        search=completeness.run_search(mode, folder, jobs),
        fidelity=fidelity.run(mode, folder, jobs),
        models=completeness.run_models(mode, folder, jobs),
        joint=completeness.run_joint(mode, folder, jobs),
    )
    report.write(mode, jobs, rows, options.page)
    print(f"wrote {options.page}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planning", description="Measure the planners; write a page with figures.")
    parser.add_argument("--quick", action="store_true", help="a small sample in some minutes instead of everything in hours")
    parser.add_argument("--fresh", action="store_true", help="forget what an interrupted run measured")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="measurements at a time (default: one per core)")
    parser.add_argument("--page", type=Path, default=Path("docs/results/planning.md"))
    parser.add_argument("--data", type=Path, default=Path("build/bench"), help="where results are kept as they come")
    return parser.parse_args()


if __name__ == "__main__":
    main()
