"""Run the lifecycle bench: `python -m benchmarks.lifecycle [--quick]`, or `make bench-lifecycle [QUICK=1] [ARGS="--only NAME"]`.

It needs the test cluster (`python -m hack.cluster up`, as root), and brings simulated nodes up in it. Results are kept as they come; an
interrupted run goes on where it ended, unless --fresh asks for a new one. The page is written from whatever is there.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from benchmarks.cluster import nodes
from benchmarks.cluster.waiting import Unfinished
from benchmarks.lifecycle import failover, jobs, report, turn
from benchmarks.lifecycle.runner import LifecycleBench
from benchmarks.lifecycle.settings import FULL, QUICK, Mode
from benchmarks.lifecycle.take import KUBECONFIG

KEYS = {"turn": turn.keys, "failover": failover.keys, "jobs": jobs.keys}  # in this order: the largest row is the last
WITHOUT_CLUSTER = {"turn"}
PAGES = {"full": Path("docs/results/lifecycle.md"), "quick": Path("build/lifecycle-quick.md")}


def main() -> int:
    options = parsed()
    mode, parts = QUICK if options.quick else FULL, options.only or list(KEYS)
    if not options.page_only and not WITHOUT_CLUSTER.issuperset(parts) and (wrong := unable()):
        print(f"{wrong} (ARGS='--only turn' needs no cluster.)", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it so wants it to clean up, too
    page, folder = options.page or PAGES[mode.name], options.data / mode.name
    work = Path(tempfile.mkdtemp(prefix="levee-bench-"))
    try:
        bench = LifecycleBench(folder, work, mode.patience_s if options.patience is None else options.patience, folder / "failed")
        for part in [] if options.page_only else parts:
            measure(bench, mode, part, fresh=options.fresh)
        write(bench, mode, page)
    except KeyboardInterrupt:
        print("interrupted; what was measured is kept", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if "jobs" in parts and not options.page_only:
            remove_nodes()
    print(f"wrote {page}")
    return 0


def unable(target: str = "bench-lifecycle") -> str:
    """Why it cannot be measured here; empty: it can."""
    if not KUBECONFIG.exists():
        return "No test cluster is up: sudo make cluster-up."
    return "" if os.geteuid() == 0 else f"Nodes are root's to make, and to break: sudo make {target}."


def remove_nodes() -> None:
    """The simulated ones: with them a real one that is silent is noticed late."""
    with suppress(Unfinished, KeyboardInterrupt):
        nodes.simulate(0)


def measure(bench: LifecycleBench, mode: Mode, part: str, *, fresh: bool) -> None:
    if fresh:
        bench.forget(part)
    bench.measure(part, KEYS[part](mode))


def write(bench: LifecycleBench, mode: Mode, page: Path) -> None:
    wanted = {part: keys(mode) for part, keys in KEYS.items()}
    unfinished = [row for part, keys in wanted.items() for row in bench.unfinished(part, keys)]
    report.write(mode, {part: bench.of(part, keys) for part, keys in wanted.items()}, unfinished, page)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.lifecycle", description="Measure the controller; write a page with figures."
    )
    parser.add_argument("--quick", action="store_true", help="the smallest rows in some minutes instead of everything in an hour")
    parser.add_argument("--only", action="append", choices=sorted(KEYS), help="this part; may be repeated")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured of these parts")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page from what there is")
    parser.add_argument("--patience", type=float, metavar="S", help="how long to wait for a quiet machine before each measurement")
    parser.add_argument("--page", type=Path, help="docs/results/lifecycle.md, or with --quick one in build/, when left out")
    parser.add_argument("--data", type=Path, default=Path("build/bench/lifecycle"), help="where results are kept as they come")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
