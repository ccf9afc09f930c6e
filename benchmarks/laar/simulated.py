"""One application in the simulated world: six variants, each without failures, in the worst case, and with a host that crashes at the peak.

Called by: __main__.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

import levee.control
from benchmarks.laar import applications
from benchmarks.laar.applications import drawn, plans
from benchmarks.laar.code import code_with
from benchmarks.laar.settings import CASES, CRASH_S, OF_RESERVED, RESERVED, STRETCH_S, Mode
from benchmarks.planning.runner import measure
from benchmarks.planning.store import Row, Store
from levee.control.actions import Reason
from levee.control.wanted import Wanted
from levee.planning.problem import Plan, Problem
from levee.worlds import measuring, simulated, world
from levee.worlds.simulated.casting import wanted_of
from levee.worlds.simulated.faults import Fault, Kind, worst
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.pace import Pace
from levee.worlds.simulated.play import Played, played
from levee.worlds.simulated.trace import Trace, as_declared
from levee.worlds.simulated.world import SimulatedWorld

NAME = "simulated"
PACE = Pace()
PARTS = (levee.control, simulated, measuring, world, applications)  # what decides a row, beside the planners and this module


def run(mode: Mode, chosen: Iterable[tuple[int, dict[str, str]]], folder: Path, jobs: int) -> list[Row]:
    keys = [(mode.seed, index, adaptive) for index, adaptive in chosen]
    return measure(NAME, folder, keys, row, jobs, code())


def known(folder: Path) -> list[Row]:
    return list(Store(folder / f"{NAME}.jsonl", code()).read()[0].values())


def code() -> str:
    return code_with(PARTS, row)


def row(seed: int, index: int, adaptive: Mapping[str, str | None]) -> Row:
    problem = drawn(seed, index)
    found = plans(problem, adaptive)
    cases = {name: OF_RESERVED if name in RESERVED else CASES for name in found}
    return {
        "index": index,
        "rates": [next(iter(one.rows_per_s.values())) for one in problem.configurations],
        "of": {name: {case: taken(problem, plan, case, seed, index) for case in cases[name]} for name, plan in found.items()},
    }


def taken(problem: Problem, plan: Plan, case: str, seed: int, index: int) -> Row:
    """All variants meet the same noise and the same crash."""
    wanted = wanted_of(problem, plan)
    place = SimulatedWorld(Flow(problem), wanted, Random(f"world {seed} {index}"), PACE)
    return told(played(place, trace(problem), faults(case, wanted, Random(f"crash {seed} {index}"))), plan)


def trace(problem: Problem, seconds: float = STRETCH_S) -> Trace:
    low, high = problem.configurations
    return as_declared(((seconds, low), (seconds, high), (seconds, low)))


def faults(case: str, wanted: Wanted, random: Random) -> tuple[Fault, ...]:
    """`worst`: as the paper's controller, ours does not see it; `noticed`: the same failures, seen, as Levee sees them."""
    match case:
        case "worst" | "noticed":
            return worst(wanted, unseen=case == "worst")
        case "crash":
            host = random.choice(sorted(wanted.capacities))
            at_s = random.uniform(STRETCH_S, 2 * STRETCH_S - CRASH_S)
            return (Fault(Kind.NODE, host, round(1_000 * at_s), round(1_000 * CRASH_S)),)
        case _:
            return ()


def told(found: Played, plan: Plan) -> Row:
    whole, names = found.whole, list(found.of)
    high = found.of[names[1]]
    return {
        "cpu_s": whole.cpu_s,
        "dropped": whole.dropped,
        "lost": whole.lost,
        "due": whole.due,
        "processed": whole.processed,
        "peak_per_s": high.delivered / high.seconds,
        "switches": found.switches,
        "failovers": found.failovers,
        **{f"{name}_ms": value for name, value in switching(found, plan).items()},
    }


# ---- how soon a configuration is in force


def switching(found: Played, plan: Plan) -> dict[str, float | None]:
    """From the change of the rates until the record is in force, up and down, and from then until the last replica of Low computes."""
    changes = [one.at_s for one in found.happenings if one.event.subject == Reason.RATES_CHANGED]
    up, down = (first_in(changes, turn * STRETCH_S) for turn in (1, 2))
    active = sum(map(len, plan.active[0]))
    whole = None if down is None else first_in([one.at_s for one in found.samples if one.active >= active], down)
    return {
        "up": in_force_ms(up, STRETCH_S),
        "down": in_force_ms(down, 2 * STRETCH_S),
        "resync": None if whole is None or down is None else 1_000 * (whole - down) - PACE.period_ms,
    }


def first_in(times_s: Sequence[float], from_s: float) -> float | None:
    return next((one for one in times_s if from_s <= one < from_s + STRETCH_S), None)


def in_force_ms(decided_s: float | None, changed_s: float) -> float | None:
    """Replicas read a record with their next epoch."""
    return None if decided_s is None else 1_000 * (decided_s - changed_s) + PACE.period_ms
