"""What a run of the LAAR bench covers: everything that decides its figures, in one value.

Called by: every module of this package.
"""

from dataclasses import asdict, dataclass

HOSTS, TASKS = 4, 24  # 48 replicas, twelve on each host, as many as one of the paper's has logical cores
GOALS = {"L.5": 0.5, "L.6": 0.6, "L.7": 0.7}
VARIANTS = ("NR", "SR", "GRD", *GOALS)
RESERVED = tuple(f"{name}+" for name in GOALS)  # the same, asked for with a reserve for what switching takes
RESERVE = 0.03  # 9 s of five minutes: rate window, scrape and epoch (5.75 s), and the longest resynchronisation (3.25 s)
STRETCH_S = 100.0  # Low, High, Low: a trace of five minutes, a third of it High
CRASH_S = 16.0
CASES = ("best", "worst", "crash", "noticed")
OF_RESERVED = ("best", "worst")


@dataclass(frozen=True, slots=True)
class Mode:
    name: str
    seed: int
    applications: int
    plan_limit_s: float  # CPU seconds for each plan
    live: int  # generated applications on the local world
    live_stretch_s: float

    def describe(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asdict(self).items())


FULL = Mode("full", 2026, 100, 10.0, 2, 60.0)
QUICK = Mode("quick", 2026, 3, 5.0, 1, 30.0)
