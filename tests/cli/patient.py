"""`levee` with a planner that has a plan at once and never proves it: run by test_interruption as a process of its own.

LEVEE_TEST_FINDS=nothing: it never even has a plan.
"""

import os
import sys
import time

from levee.cli.main import run
from levee.cli.plan_run import Tools
from levee.planning.case import Case, Found, Kind, Strategy
from levee.planning.completeness import baselines
from levee.planning.completeness.model import Model, cost_cores
from levee.planning.result import Progress, Result, Status, Stop


def endless(case: Case, stop: Stop) -> Found:
    plan = baselines.greedy(case.problem)
    cores = cost_cores(Model(case.problem), plan.active)
    print("searching", file=sys.stderr, flush=True)
    while not stop.asked():
        stop.report(Progress(cores, cores / 2))
        time.sleep(0.01)
    if os.environ.get("LEVEE_TEST_FINDS") == "nothing":
        return Found(Result(None, None, None, Status.UNKNOWN))
    return Found(Result(plan, cores, cores / 2, Status.FEASIBLE))


def deaf(case: Case, stop: Stop) -> Found:
    del case, stop
    print("searching", file=sys.stderr, flush=True)
    while True:
        time.sleep(0.01)


if __name__ == "__main__":
    strategies = {name: Strategy(name, "never ready", Kind.COMPLETENESS, solve) for name, solve in (("endless", endless), ("deaf", deaf))}
    sys.exit(run(sys.argv[1:], obj=Tools(strategies=strategies)))
