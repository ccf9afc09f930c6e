"""What a run of the planning bench covers: everything that decides its figures, in one value.

Called by: every module of this package.
"""

from dataclasses import asdict, dataclass

GOALS = (0.5, 0.6, 0.7, 0.8, 0.9)
RATIOS = (0.2, 0.4, 0.6, 0.8)  # active replicas beyond one per task, as a share of the tasks


@dataclass(frozen=True, slots=True)
class Mode:
    name: str
    seed: int
    applications: int  # of 600
    exact_limit_s: float  # per problem, one thread
    search_limit_s: float  # FT-Search, per problem, a thread per core
    topologies: int  # per setting of PPA's Figure 14
    fidelity_limit_s: float  # per problem, one thread
    models: int  # applications on which the failure models are compared
    joint: int  # applications whose placement is planned, too

    def describe(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asdict(self).items())


FULL = Mode("full", 2026, 600, 60.0, 1.0, 100, 30.0, 12, 4)
QUICK = Mode("quick", 2026, 12, 5.0, 0.5, 3, 3.0, 4, 2)
