"""Run one seed of the simulation again, and say what happened.

python -m tests.log.replay --seed 123 [--shape NAME] [--mutation NAME] [--log]

Why: a failing seed is worth nothing without the run that it stands for.
Called by: people, with the command that a failing test prints.
"""

import argparse
import sys
from contextlib import nullcontext

from tests.log.mutations import MUTATIONS, SHAPES
from tests.log.simulation.run import Violation, run
from tests.log.simulation.scenario import Scenario, draw


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.log.replay", description="Run one seed of the simulation of the epoch log again."
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--mutation", choices=[one.name for one in MUTATIONS], help="take this rule away")
    parser.add_argument("--shape", choices=SHAPES, help="with these misfortunes instead of those that the seed has drawn")
    parser.add_argument("--log", action="store_true", help="print every request and answer")
    given = parser.parse_args(arguments)
    mutation = next((one for one in MUTATIONS if one.name == given.mutation), None)
    shape = SHAPES[given.shape] if given.shape else mutation.shape if mutation else SHAPES["as_drawn"]
    print(describe(shape(draw(given.seed))))
    with mutation.applied() if mutation else nullcontext():
        try:
            outcome = run(given.seed, print if given.log else None, shape)
        except Violation as violation:
            print(f"violated: {violation}")
            return 1
    print(f"holds: {outcome.epochs} epochs, {outcome.requests} requests; epochs {outcome.kinds}; reports {outcome.reports}")
    return 0


def describe(scenario: Scenario) -> str:
    graph = "; ".join(f"{task} <- {', '.join(one.inputs) or 'outside'}" for task, one in scenario.wiring.tasks.items())
    return f"seed {scenario.seed}\ngraph: {graph}\nreplicas: {scenario.replicas}\ntimes: {scenario.wiring.times}\nfaults: {scenario.faults}"


if __name__ == "__main__":
    sys.exit(main())
