"""Run one seed of the control plane's simulation again, and say what happened.

python -m tests.worlds.simulated.replay --seed 123 [--log]

Called by: people, with the command that a failing test prints.
"""

import argparse
import sys

from tests.worlds.simulated.scenario import Scenario, draw
from tests.worlds.simulated.trial import Violation, run


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.worlds.simulated.replay", description="Run one seed of the simulation of the control plane again."
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--log", action="store_true", help="print every decision and every record")
    given = parser.parse_args(arguments)
    print(describe(draw(given.seed)))
    try:
        outcome = run(given.seed, print if given.log else lambda _: None)
    except Violation as violation:
        print(f"violated: {violation}")
        return 1
    print(f"holds: {outcome.records} records, settled {outcome.converged_ms / 1_000:g} s after the last fault; {dict(outcome.seen)}")
    return 0


def describe(scenario: Scenario) -> str:
    problem = scenario.problem
    graph = "; ".join(f"{task.id} <- {', '.join(edge.producer for edge in task.inputs)}" for task in problem.tasks)
    placed = ", ".join(f"{worker.worker}: {' '.join(worker.replicas)}" for worker in scenario.wanted.workers)
    active = "; ".join(f"{name}: {' '.join(sorted(replicas))}" for name, replicas in scenario.wanted.active.items())
    rates = ", ".join(f"{one.seconds:.1f} s {one.configuration}" for one in scenario.stretches)
    faults = "; ".join(f"{one.kind} {one.name} at {one.at_ms} ms for {one.for_ms} ms" for one in scenario.faults) or "none"
    told = "workers" if scenario.spells is None else f"a Prometheus, {'; '.join(map(str, scenario.spells)) or 'without a gap'}"
    return (
        f"seed {scenario.seed}, plan {scenario.plan_name}\ngraph: {graph}\nplaced: {placed}\nactive: {active}\n"
        f"rates: {rates}\nrates are told by {told}\nfaults: {faults}\npace: {scenario.pace}\ncontroller: {scenario.misfortune}"
    )


if __name__ == "__main__":
    sys.exit(main())
