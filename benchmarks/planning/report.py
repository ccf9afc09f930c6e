"""Write the page of a run and its figures from its rows: docs/results/planning.md, or that of a quick run.

Called by: run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.planning import completeness, fidelity, figures, machine, report_completeness, report_fidelity
from benchmarks.planning.settings import QUICK, Mode
from benchmarks.planning.statistics import mean, share
from benchmarks.planning.store import Row, code_of
from levee.cli.shared.output_file import write_whole


@dataclass(frozen=True, slots=True)
class Rows:
    completeness: Mapping[str, Sequence[Row]]  # by optimiser
    models: Sequence[Row]
    joint: Sequence[Row]
    fidelity: Sequence[Row]

    @property
    def exact(self) -> Sequence[Row]:
        return self.completeness["exact"]

    @property
    def search(self) -> Sequence[Row]:
        return self.completeness["ft-search"]


def write(mode: Mode, jobs: int, rows: Rows, page: Path) -> None:
    """Everything is drawn before the first file is replaced, and each is replaced as a whole."""
    drawn = _drawn(rows)
    parts = (_head(mode, jobs), _completeness(mode, rows, page), _beyond(rows), _fidelity(mode, rows, page), _verified(rows))
    pictures = page.parent / page.stem
    pictures.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn.items():
        write_whole(pictures / name, picture)
    write_whole(page, ("\n\n".join(parts) + "\n").encode())


def _drawn(rows: Rows) -> dict[str, bytes]:
    return {
        "outcomes.svg": figures.outcomes(rows.completeness, "outcomes.svg"),
        "first-against-best.svg": figures.first_against_best(*report_completeness.first_ratios(rows.search), "first-against-best.svg"),
        "prunings.svg": figures.prunings(*report_completeness.pruning_shares(rows.search), "prunings.svg"),
        "fidelity.svg": figures.panels(rows.fidelity, "fidelity.svg"),
    }


def _head(mode: Mode, jobs: int) -> str:
    command = "make bench-planning" + (" QUICK=1" if mode is QUICK else "")
    return f"""# Planning: what was measured

Written by `{command}`; nothing here is typed by hand. A run may be interrupted and go on later with what it has
measured; this page does not record how often.

- Machine: {machine.describe()}.
- Code: {code_of(completeness.row)} for completeness, {code_of(fidelity.row)} for fidelity (the hash of the planners, of what measures them
  and of their packages' versions); what other code has measured is not on this page.
- Run: {mode.describe()}; {jobs} measurements at a time (FT-Search alone, with {jobs} threads).
- Applications are those of `levee.planning.generate.applications`, topologies those of `levee.planning.generate.topologies`; both say how
  they read the papers. A time limit ends a measurement, not the bench; times include building the model.
- Limits and times are CPU seconds for what runs on one thread (the exact solvers and the heuristics), so that other work on the machine
  does not count, and wall time for FT-Search and for joint planning."""


def _completeness(mode: Mode, rows: Rows, page: Path) -> str:
    costs, times = report_completeness.first_ratios(rows.search)
    shares, heights = report_completeness.pruning_shares(rows.search)
    cuts = ", ".join(
        f"{name.upper()} {part:.1%} at height {height:.1f}" for name, part, height in zip(figures.PRUNINGS, shares, heights, strict=True)
    )
    agreement = "\n".join(report_completeness.agreement(rows.exact, rows.search))
    return f"""## Completeness: the exact solver beside FT-Search (LAAR, Figures 4-6)

{mode.applications} applications of 1-12 hosts with 2-12 processing elements each, at goals .5 to .9: {len(rows.exact)} problems.
The exact solver has one thread and {mode.exact_limit_s:g} s for each, FT-Search every core and {mode.search_limit_s:g} s (LAAR gave it 10
minutes and six cores: more of its runs ended).

{report_completeness.speed(rows.completeness)}

{agreement}

![How the runs ended, by goal]({page.stem}/outcomes.svg)

{report_completeness.classes(rows.completeness)}

FT-Search's first plan against its best, where it proved the best ({len(costs)} problems): cost ratio {mean(costs):.3f} in mean
(LAAR: 1.057), time ratio {mean(times):.2f} (LAAR: 0.37).

![First plan against the best]({page.stem}/first-against-best.svg)

Its prunings: {cuts}.

![Prunings]({page.stem}/prunings.svg)"""


def _beyond(rows: Rows) -> str:
    return f"""## Beyond LAAR

The same promise under tighter failure models (one node at a time, one zone at a time), as cost relative to the pessimistic model:

{report_completeness.models(rows.models)}

Placement and activation planned together, pessimistic model:

{report_completeness.joint(rows.joint, rows.models)}"""


def _fidelity(mode: Mode, rows: Rows, page: Path) -> str:
    return f"""## Fidelity: PPA's Figure 14

{mode.topologies} topologies per setting, one thread and {mode.fidelity_limit_s:g} s for each problem.

{report_fidelity.summary(rows.fidelity)}

Setting and ratio where ours is not strictly above structure-aware in mean although the bound leaves room:
{report_fidelity.room(rows.fidelity)}.

![Mean output fidelity]({page.stem}/fidelity.svg)

{report_fidelity.quality(rows.fidelity)}"""


def _verified(rows: Rows) -> str:
    plans = [row for part in (*rows.completeness.values(), rows.models, rows.joint) for row in part]
    plans += [row[solver] for row in rows.fidelity for solver in fidelity.SOLVERS]
    return f"""## Verification

The independent verifiers accepted {share(plans, lambda row: row["verified"]):.2%} of {len(plans)} answers."""
