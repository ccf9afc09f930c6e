"""What the demo has found, in words: the promise, and beside it what was measured.

Called by: cli.demo.run, for the terminal; cli.demo.page.
"""

from collections.abc import Iterator, Sequence

from levee.cli.demo.findings import Compared
from levee.cli.demo.recovery import Pause, Recovery
from levee.control.names import task_of
from levee.control.wanted import Wanted

WIDTH = 13


def promise(wanted: Wanted, completeness: float | None) -> list[str]:
    """What the plan has said beforehand, of the configuration that is likeliest."""
    active = [task_of(one) for one in wanted.active[wanted.likeliest()]]
    tasks = [task for task in wanted.replicas if task in active]
    covered = [task for task in tasks if active.count(task) > 1]
    alone = [task for task in tasks if active.count(task) == 1]
    share = "nothing" if completeness is None else f"{completeness:.0%} of the work"
    return [
        f"whichever replicas fail, one of each task left: at least {share} goes on in time",
        f"with another active copy, so hardly a pause: {', '.join(covered) or 'none'}",
        f"with one, so a restart from a checkpoint: {', '.join(alone) or 'none'}",
    ]


def measured(one: Recovery, period_ms: int) -> Iterator[tuple[str, str]]:
    yield "another copy went on", list_of(one.covered, period_ms)
    yield "from a checkpoint", list_of(one.restarted, period_ms)
    yield "longest gap in the output", length(one.output_ms, period_ms)


def list_of(pauses: Sequence[Pause], period_ms: int) -> str:
    if not pauses:
        return "none"
    longest = max(pauses, key=lambda one: one.ms)
    tasks = ", ".join(f"{one.task} {one.ms}" for one in pauses)
    return f"after at most {length(longest.ms, period_ms)}: {tasks}"


def length(ms: int, period_ms: int) -> str:
    return f"{ms} ms ({ms / period_ms:.1f} epochs of {period_ms} ms)"


def report(compared: Compared, promised: Sequence[str], found: Sequence[Recovery], period_ms: int) -> str:
    verdict = "identical to the undisturbed run" if compared.identical else "NOT what the undisturbed run delivered"
    lines = [
        line("output", f"{verdict}: {compared.rows} rows in {compared.epochs} epochs"),
        line("lost", str(compared.lost)),
        line("duplicates", str(compared.doubled)),
        *(line("promised" if index == 0 else "", text) for index, text in enumerate(promised)),
    ]
    for one in found:
        lines.append(line("killed", one.what))
        lines += [f"     {what:<26}  {text}" for what, text in measured(one, period_ms)]
    return "\n".join(lines)


def line(what: str, text: str) -> str:
    return f"   {what:<{WIDTH}}{text}"
