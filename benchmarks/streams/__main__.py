"""Run the streams bench: `python -m benchmarks.streams [--quick] [--only NAME]`, or `make bench-streams [QUICK=1] [ARGS="--only NAME"]`.

Results are kept as they come; an interrupted run goes on where it ended, unless --fresh asks for a new one. The page is written from
whatever is there.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.streams import density, epochs, recovery, report, requests, throughput
from benchmarks.streams.runner import Bench
from benchmarks.streams.settings import FULL, QUICK

PAGES = {FULL.name: Path("docs/results/streams.md"), QUICK.name: Path("build/streams-quick.md")}  # A sample replaces no evidence.
KEYS = {
    "epochs": epochs.keys,
    "throughput": throughput.keys,
    "requests": requests.keys,
    "density": density.keys,
    "recovery": recovery.keys,
}


def main() -> None:
    options = _options()
    mode = QUICK if options.quick else FULL
    folder, page = options.data / mode.name, options.page or PAGES[mode.name]
    parts = options.only or list(KEYS)
    for part in parts if options.fresh else []:
        (folder / f"{part}.jsonl").unlink(missing_ok=True)
    work = Path(tempfile.mkdtemp(prefix="levee-bench-"))
    try:
        bench = Bench(folder, work, mode.patience_s if options.patience is None else options.patience)
        if not options.page_only:
            subprocess.run([sys.executable, "-m", "levee_spark.worker.prepare"], check=False)  # workers start as on any prepared machine
        for part in [] if options.page_only else parts:
            bench.measure(part, KEYS[part](mode))
        report.write(mode, {part: bench.known(part) for part in KEYS}, page)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"wrote {page}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description="Measure the data plane; write a page with figures.")
    parser.add_argument("--quick", action="store_true", help="a small sample in some minutes instead of everything in hours")
    parser.add_argument("--only", action="append", choices=sorted(KEYS), help="this part; may be repeated")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured of these parts")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page from what there is")
    parser.add_argument("--patience", type=float, metavar="S", help="how long to wait for a quiet machine before each measurement")
    parser.add_argument("--page", type=Path, help="docs/results/streams.md, or with --quick one in build/, when left out")
    parser.add_argument("--data", type=Path, default=Path("build/bench/streams"), help="where results are kept as they come")
    return parser.parse_args()


if __name__ == "__main__":
    main()
