"""Sweep the crash points: `python -m benchmarks.sweep`, or `make sweep [SAMPLE=20] [ARGS="--only api/edit"]`.

It needs neither root nor a cluster: each job starts an API server of its own, from the program of the test cluster, which is built
the first time. Results are kept as they come, so an interrupted sweep goes on where it ended; rows count for the code that they
were found with.
"""

import argparse
import math
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.sweep import points, report
from benchmarks.sweep.campaign import Campaign, CannotSweep, golden_of, say
from benchmarks.sweep.journal import Journal, code_hash
from benchmarks.sweep.points import Point, Trial

PAGE, SAMPLE_PAGE = Path("docs/results/sweep.md"), Path("build/sweep-sample.md")
S_PER_MINUTE = 60


def main() -> int:
    options = parsed()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    journal = Journal(options.data, code_hash())
    if options.fresh:
        journal.forget()
    try:
        golden = golden_of(journal)
        found = points.points(golden["counts"])
        wanted = chosen(options, found)
        limit_s = math.inf if options.minutes is None else S_PER_MINUTE * options.minutes
        campaign = Campaign(journal, options.jobs, limit_s)
        if not options.page_only:
            campaign.run(wanted if options.point else journal.left(wanted))
    except CannotSweep as why:
        say(str(why))
        return 1
    except KeyboardInterrupt:
        say("interrupted; what was found is kept")
        return 130
    page = options.page or (SAMPLE_PAGE if options.sample or options.point else PAGE)
    report.write(page, report.Found(found, journal.rows(), golden, journal.code, options.seed))
    print(f"wrote {page}")
    return 1 if campaign.failed else 0


def chosen(options: argparse.Namespace, found: Sequence[Point]) -> list[Trial]:
    if options.point:
        return options.point  # type: ignore[no-any-return]  # argparse knows no types
    wanted = points.trials(found, options.seed)
    if options.pairs:
        wanted += [one for one in points.exhaustive(found) if one not in wanted]
    if options.only:
        wanted = [one for one in wanted if any(str(one).startswith(only) for only in options.only)]
    return points.sampled(wanted, options.sample, options.seed) if options.sample else wanted


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description="Kill whoever writes at each write of a whole life.")
    parser.add_argument(
        "--jobs",
        type=int,
        default=2,
        help="lives at the same time (default: 2; each has an API server, and needs a gigabyte of memory and a quarter of a core)",
    )
    parser.add_argument("--only", action="append", metavar="PREFIX", help="points that begin so (api, store/edit, ...); may be repeated")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of them, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1, help="of the sample, of second crashes and of the order (default: 1)")
    parser.add_argument("--point", action="append", type=points.parse, help="this one again, such as api/edit/3/before+2/after")
    parser.add_argument("--pairs", action="store_true", help="each point with each second crash, not with one that is drawn")
    parser.add_argument("--minutes", type=float, help="begin no life after so long")
    parser.add_argument("--fresh", action="store_true", help="forget what was found")
    parser.add_argument("--page-only", action="store_true", help="live no life, write the page from what there is")
    parser.add_argument("--page", type=Path, help=f"{PAGE}, or of a sample {SAMPLE_PAGE}, when left out")
    parser.add_argument("--data", type=Path, default=Path("build/bench/sweep"), help="where results are kept as they come")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
