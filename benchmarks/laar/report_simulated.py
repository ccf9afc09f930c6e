"""The words and tables about Figures 9 to 12 in docs/results/laar.md; every figure comes out of the rows.

Called by: report.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.laar import figures
from benchmarks.laar.measures import (
    LESS,
    against_nr,
    dropped_shares,
    means_against_sr,
    prices_of_reserve,
    raw,
    violations,
    violations_reserved,
)
from benchmarks.laar.planned import Drawn
from benchmarks.laar.settings import CRASH_S, GOALS, HOSTS, RESERVE, STRETCH_S, TASKS, VARIANTS, Mode
from benchmarks.laar.verdicts import verdicts
from benchmarks.planning.statistics import mean, table
from benchmarks.planning.store import Row

CPU_SAID = {"SR": "1.61 to 1.90", "GRD": "second to SR", "L.5": "L.5 < L.6 < L.7"}
PEAK_SAID = {"SR": "0.67 in mean, least 0.37", "GRD": "0.62 to 0.98", **dict.fromkeys(GOALS, "at least 0.91")}
WORST_SAID = {"NR": "nothing", "GRD": "0.35 to 0.95", **{name: f"{goal}, a few up to 4.7 % below" for name, goal in GOALS.items()}}


def draw(rows: Sequence[Row], folder: Path) -> None:
    figures.pair([against_nr(rows, "cpu_s"), dropped_shares(rows)], ["CPU, of NR's", "rows dropped, of those due"], folder / "figure-9.svg")
    figures.pair([against_nr(rows, "peak_per_s")], ["output at the peak, of NR's"], folder / "figure-10.svg")
    cases = {"worst": "worst case", "crash": f"a host crashes for {CRASH_S:g} s"}
    figures.completeness([against_nr(rows, "processed", case) for case in cases], list(cases.values()), folder / "figure-11.svg")
    figures.summary(means_against_sr(rows), folder / "figure-12.svg")


def sections(mode: Mode, rows: Sequence[Row], drawn: Drawn, pictures: str) -> Iterator[str]:
    yield f"## {len(rows)} applications in the simulated world\n\n{setting(mode, rows, drawn)}\n"
    yield f"### What was to be reached\n\n{verdicts(rows)}\n"
    yield f"### Without failures: CPU and rows dropped (Figure 9)\n\n{best(rows)}\n\n![CPU and rows dropped]({pictures}/figure-9.svg)\n"
    yield f"### Output at the peak (Figure 10)\n\n{peak(rows)}\n\n![Output at the peak]({pictures}/figure-10.svg)\n"
    yield f"### Completeness under failures (Figure 11)\n\n{failing(rows)}\n\n![Completeness under failures]({pictures}/figure-11.svg)\n"
    yield f"### In short (Figure 12)\n\n{short(rows)}\n\n![Against static replication]({pictures}/figure-12.svg)\n"


SETTING = """\
Each of {tasks} processing elements, {replicas} replicas on {hosts} hosts, generated as section 5.2 says; what it leaves open
is said in `levee.planning.generate.applications`. {count} of {wanted} were measured. To find them {close} more were drawn
whose rates are closer than the controller's slack of 10 %, and {unplanned} for which no plan has completeness 0.7 on these
hosts. The trace is {stretch:g} s of Low, of High and of Low again. Queues hold 2 s of rows at High and drop what comes
beyond. NR, SR and GRD as in section 5.2; L.5, L.6 and L.7 by the exact solver. Control is the code that controls topologies,
and so are its delays: rates are averaged over five seconds, records are read with the next epoch, a replica computes 2 s
after it became active. Rates vary by 2 % from second to second."""


def setting(mode: Mode, rows: Sequence[Row], drawn: Drawn) -> str:
    values = {"tasks": TASKS, "replicas": 2 * TASKS, "hosts": HOSTS, "stretch": STRETCH_S}
    return SETTING.format(count=len(rows), wanted=mode.applications, close=drawn.close, unplanned=drawn.unplanned, **values)


def spread(values: Sequence[float]) -> tuple[str, ...]:
    return f"{mean(values):.3f}", f"{min(values):.3f}", f"{max(values):.3f}"


def spreads(of: Mapping[str, Sequence[float]], said: Mapping[str, str]) -> str:
    lines = [(name, *spread(of[name]), said.get(name, "")) for name in VARIANTS]
    return table(("", "mean", "least", "most", "LAAR"), lines)


def best(rows: Sequence[Row]) -> str:
    dropped, shares = raw(rows, "dropped"), dropped_shares(rows)
    lines = [(name, f"{mean(dropped[name]):.0f}", f"{max(dropped[name]):.0f}", f"{mean(shares[name]):.2%}") for name in VARIANTS]
    lost = table(("", "rows dropped, mean", "most", "of those due"), lines)
    said = f"LAAR has up to 33.6 times as many for SR as for NR; here NR drops {mean(dropped['NR']):.0f}, so that no ratio would say much."
    return f"CPU against NR:\n\n{spreads(against_nr(rows, 'cpu_s'), CPU_SAID)}\n\n{lost}\n\n{said}"


def peak(rows: Sequence[Row]) -> str:
    return f"Rows delivered per second of High, against NR:\n\n{spreads(against_nr(rows, 'peak_per_s'), PEAK_SAID)}"


WORST = """\
Rows that tasks read, against NR without failures. In the worst case one replica of each task is dead for good, and it is the
one that is active for longer. As LAAR's, our controller does not see it here: a dead replica looks as if it were on its way."""
NOTICED = """\
The same failures where the controller sees them, as Levee does unless a replica lies: standbys take over."""
CRASH = """\
A host, drawn for each application, crashes at High for {seconds:g} s."""


RESERVED = """\
A promise counts each configuration from its first row on. Until the end of the peak is seen, told and answered by replicas
that compute again, some seconds of Low have High's replicas. With a reserve the plan is asked for so much more
({reserve:.2%}) as these seconds are of the trace; where no plan has that, it is left out."""


def failing(rows: Sequence[Row]) -> str:
    crash = CRASH.format(seconds=CRASH_S)
    return "\n\n".join(
        (
            *(WORST, spreads(against_nr(rows, "processed", "worst"), WORST_SAID), kept(rows)),
            *(crash, spreads(against_nr(rows, "processed", "crash"), {})),
            *(NOTICED, spreads(against_nr(rows, "processed", "noticed"), {})),
        )
    )


def kept(rows: Sequence[Row]) -> str:
    plain, reserved, prices = violations(rows, "worst"), violations_reserved(rows), prices_of_reserve(rows)
    lines = [
        (name, goal, *broken(plain[name]), *broken(reserved[name]), f"{mean(prices[name]) - 1:+.1%}" if prices[name] else "")
        for name, goal in GOALS.items()
    ]
    head = ("", "promised", "not kept", "by at most, of the promise", "with a reserve: not kept", "by at most", "CPU for that")
    return f"{table(head, lines)}\n\n{RESERVED.format(reserve=RESERVE)}"


def broken(found: Sequence[float]) -> tuple[str, str]:
    return f"{sum(one > LESS for one in found)} of {len(found)}", f"{max(found, default=0.0):.2%}"


def short(rows: Sequence[Row]) -> str:
    of = means_against_sr(rows)
    lines = [(name, *(f"{values[name]:.3f}" for values in of.values())) for name in VARIANTS]
    return f"Means, against SR's:\n\n{table(('', *of), lines)}"
