"""The report of `levee verify` as one HTML page: the table, and for each fault when the output came.

Called by: levee_chaos.commands.verify.
"""

import html
from collections.abc import Sequence

from matplotlib import pyplot as plt

from levee.cli.render.one_page import document, svg_of
from levee.fit.verdicts import Verdict
from levee_chaos.verifying import telling
from levee_chaos.verifying.course import Course, Window
from levee_chaos.verifying.judging import Outcome, Scale
from levee_chaos.verifying.promises import Promised

MOODS = {Verdict.PASSED: "good", Verdict.FAILED: "bad", Verdict.INCONCLUSIVE: "unsure"}
COLOURS = ("#264653", "#e76f51", "#2a9d8f", "#8a5a00")


def page(promised: Promised, outcomes: Sequence[Outcome], scale: Scale) -> str:
    title = f"levee verify {promised.topology.namespace}/{promised.topology.name}"
    parts = [f"<h1>{html.escape(title)}</h1>", *(f"<p>{html.escape(one)}</p>" for one in telling.heading(promised))]
    parts += [f"<p><strong>{html.escape(telling.summary(outcomes))}</strong></p>", table(outcomes, scale), bars(outcomes, scale)]
    parts += [section(one) for one in outcomes]
    return document(title, "\n".join(parts))


def table(outcomes: Sequence[Outcome], scale: Scale) -> str:
    head = "".join(f"<th>{html.escape(one)}</th>" for one in telling.HEAD)
    rows = [cells(one, scale) for one in outcomes]
    return f"<table><tr>{head}</tr>\n" + "\n".join(rows) + "\n</table>"


def cells(one: Outcome, scale: Scale) -> str:
    *figures, verdict = telling.row(one, scale)
    told = "".join(f"<td>{html.escape(text)}</td>" for text in figures)
    return f"<tr>{told}<td class={MOODS[one.verdict]}>{html.escape(verdict)}</td></tr>"


def section(one: Outcome) -> str:
    parts = [f"<h2>{html.escape(one.trial.name)}</h2>", f"<p>{html.escape(one.met or one.trial.what)}.</p>"]
    if one.why:
        parts.append(f"<p class={MOODS[one.verdict]}>{html.escape(one.why)}</p>")
    if one.promise is not None and one.promise.lost:
        parts.append(f"<p>Counted as gone by the plan: {html.escape(', '.join(one.promise.lost))}.</p>")
    if one.course is not None and one.fault is not None:
        parts.append(plot(one.course, one.fault))
    return "\n".join(parts)


def bars(outcomes: Sequence[Outcome], scale: Scale) -> str:
    """The promise beside what was achieved."""
    known = [one for one in outcomes if one.measured is not None and scale.reached(one.measured) is not None]
    if not known:
        return ""
    figure, axes = plt.subplots(figsize=(9, 0.8 + 0.32 * len(known)), layout="constrained")
    places = range(len(known), 0, -1)
    reached = [100 * (scale.reached(one.measured) or 0.0) for one in known if one.measured is not None]
    axes.barh(list(places), reached, color="#a8dadc", label="achieved")
    axes.plot(
        [100 * scale.of(one.promise or one.trial.promise) for one in known], list(places), "|", color="#b3261e", ms=12, label="promised"
    )
    axes.set_yticks(list(places), [one.trial.name for one in known], fontsize=8)
    axes.set_xlabel(f"% {scale.noun}")
    axes.set_xlim(0, 101)
    figure.legend(loc="outside upper right", ncols=2, fontsize=8)
    return svg_of(figure)


def plot(course: Course, fault: Window) -> str:
    """Each dot is an epoch of an output: when it was due, and how long after that all of its tasks had committed it."""
    figure, axes = plt.subplots(figsize=(9, 3), layout="constrained")
    for colour, (name, tasks) in zip(COLOURS * len(course.outputs), course.outputs.items(), strict=False):
        there = {epoch: at for epoch, at in course.output(tasks).items() if shown(course.due_ms[epoch], fault)}
        due_s = [(course.due_ms[epoch] - fault.since_ms) / 1_000 for epoch in there]
        axes.plot(due_s, [at - course.due_ms[epoch] for epoch, at in there.items()], ".-", color=colour, linewidth=0.8, label=name)
    axes.axvspan(0, fault.ms / 1_000, color="#d1495b", alpha=0.12)
    axes.set_xlabel("s since the fault at which an epoch was due")
    axes.set_ylabel("ms from due to committed")
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left", fontsize=8)
    return svg_of(figure)


def shown(due_ms: int, fault: Window) -> bool:
    """For as long before and after as it stood."""
    return fault.since_ms - fault.ms <= due_ms <= fault.until_ms + fault.ms
