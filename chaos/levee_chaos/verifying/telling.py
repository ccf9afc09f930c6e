"""What was promised beside what was measured, in words and as a document.

Called by: levee_chaos.commands.verify; page.
"""

from collections.abc import Iterator, Sequence

from levee.fit.verdicts import Verdict
from levee.plans.amounts import floor4
from levee.topology.wording import count
from levee_chaos.verifying.judging import Measured, Outcome, Scale, worst
from levee_chaos.verifying.promises import Promise, Promised, overall
from levee_chaos.verifying.trials import Trial

Row = tuple[str, ...]
HEAD: Row = ("fault", "promised", "achieved", "output gap", "recovery", "lost", "changed", "verdict")
LISTED: Row = ("fault", "completeness", "fidelity", "what is done")


def heading(promised: Promised) -> Iterator[str]:
    yield f"{promised.topology.namespace}/{promised.topology.name}: {promised.wanted}"
    whole = overall(promised)
    guarantee = f"completeness {floor4(whole.completeness)}, fidelity {floor4(whole.fidelity)}"
    yield f"guaranteed over all configurations, whatever its failure model allows: {guarantee}"


def row(one: Outcome, scale: Scale) -> Row:
    promise = scale.of(one.promise or one.trial.promise)
    if one.measured is None:
        return (one.trial.name, percent(promise), "", "", "", "", "", one.verdict.value)
    return (one.trial.name, percent(promise), *figures(one.measured, scale), one.verdict.value)


def figures(measured: Measured, scale: Scale) -> tuple[str, ...]:
    recovery = "never" if measured.recovery_s is None else f"{measured.recovery_s:.1f} s"
    harm = measured.harm
    return percent(scale.reached(measured)), gap(measured), recovery, str(len(harm.lost)), str(len(harm.changed))


def gap(measured: Measured) -> str:
    return f"{measured.gap_epochs:.1f} epochs, {measured.gap_ms} ms"


def percent(share: float | None) -> str:
    """Never rounded up to more than it is."""
    return "nothing due" if share is None else f"{100 * float(floor4(share)):.2f} %"


def line(one: Outcome, scale: Scale) -> str:
    """As soon as it is known."""
    told = f"{one.verdict.value:<13} {one.trial.name}"
    if one.measured is not None:
        told += f": promised {percent(scale.of(one.promise or one.trial.promise))}, achieved {percent(scale.reached(one.measured))}, "
        told += f"output gap {gap(one.measured)}"
    return told + (f"\n{'':<14}{one.why}" if one.why else "")


def listed(trials: Sequence[Trial]) -> list[Row]:
    return [(one.name, percent(one.promise.completeness), percent(one.promise.fidelity), one.what) for one in trials]


def table(head: Row, rows: Sequence[Row]) -> str:
    widths = [max(len(one[column]) for one in (head, *rows)) for column in range(len(head))]
    return "\n".join("  ".join(f"{text:<{width}}" for text, width in zip(one, widths, strict=True)).rstrip() for one in (head, *rows))


def summary(outcomes: Sequence[Outcome]) -> str:
    many = {verdict: sum(one.verdict is verdict for one in outcomes) for verdict in Verdict}
    told = ", ".join(f"{number} {verdict.value.lower()}" for verdict, number in many.items())
    return f"{count(len(outcomes), 'fault')}: {told}"


# ---- as a document


def document(promised: Promised, outcomes: Sequence[Outcome], scale: Scale) -> dict[str, object]:
    return {
        "topology": f"{promised.topology.namespace}/{promised.topology.name}",
        "wanted": promised.wanted,
        "guarantee": promise_document(overall(promised)),
        "judgedBy": "fidelity" if scale.fidelity else "completeness",
        "tolerance": scale.tolerance,
        "verdict": worst(outcomes).value,
        "faults": [outcome_document(one) for one in outcomes],
    }


def outcome_document(one: Outcome) -> dict[str, object]:
    return trial_document(one.trial) | {
        "promised": promise_document(one.promise or one.trial.promise),
        "verdict": one.verdict.value,
        "why": one.why,
        "met": one.met,
        "measured": None if one.measured is None else measured_document(one.measured),
    }


def trial_document(one: Trial) -> dict[str, object]:
    return {
        "name": one.name,
        "kind": one.kind.value,
        "configuration": one.at,
        "does": one.what,
        "promised": promise_document(one.promise),
    }


def promise_document(one: Promise) -> dict[str, object]:
    return {"completeness": one.completeness, "fidelity": one.fidelity, "tasksLost": list(one.lost)}


def measured_document(one: Measured) -> dict[str, object]:
    return {
        "completeness": one.completeness,
        "fidelity": one.fidelity,
        "beforeTheFault": one.before,
        "outputGapMs": one.gap_ms,
        "outputGapEpochs": one.gap_epochs,
        "recoveryS": one.recovery_s,
        "epochsLost": list(one.harm.lost),
        "epochsChanged": list(one.harm.changed),
        "epochsGivenUp": one.harm.given_up,
    }
