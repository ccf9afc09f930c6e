"""What is known of an experiment that is over, as numbers and words.

Called by: verdict.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from levee.experiments.rendering import GAP, HARMLESS, RECOVERED
from levee.experiments.status import StepPhase

Document: TypeAlias = Mapping[str, Any]
LINE_MAX = 400
CLASS = re.compile(r"^[A-Za-z_]\w*(\.\w+)+: ")


@dataclass(frozen=True, slots=True)
class Seen:
    """All that is known when an experiment is over."""

    journal: Document | None  # Chaos Toolkit's; None: it has died
    told: Sequence[Document] = ()  # by our control, as it happened
    steps: Sequence[str] = ()
    stopped: bool = False  # from outside
    last_words: str = ""  # of the process, where there is no journal, or nothing in it
    undone: bool = True
    lost: int | None = None  # epochs; None: nobody has compared
    changed: int | None = None

    @property
    def runs(self) -> Sequence[Document]:
        found: Sequence[Document] = (self.journal or {}).get("run") or ()
        return found

    @property
    def failed(self) -> Document | None:
        return next((one for one in self.runs if one.get("status") == "failed"), None)


def survived(seen: Seen) -> str:
    found = figures(seen)
    recovery = f"; all worked again after {found['recoverySeconds']:g} s" if "recoverySeconds" in found else ""
    gap = f", with no new epoch for {found['gapSeconds']:g} s at most" if "gapSeconds" in found else ""
    return f"the steady state held before and after {faults(seen)} fault{'s' * (faults(seen) != 1)}{recovery}{gap}"


def figures(seen: Seen) -> dict[str, Any]:
    looked = next((one for one in seen.told if one["event"] == "looked"), {})
    found = {
        "faults": faults(seen),
        "recoverySeconds": output_of(seen, RECOVERED),
        "gapSeconds": output_of(seen, GAP),
        "lostSeconds": looked.get("longestLossS"),
        "epochsLost": seen.lost,
        "epochsChanged": seen.changed,
    }
    return {name: value for name, value in found.items() if value is not None}


def faults(seen: Seen) -> int:
    done = (one for one in seen.runs if one.get("status") == "succeeded" and module_of(one) == "levee_chaos.actions")
    return sum(one["activity"]["provider"]["func"] not in HARMLESS for one in done)


def output_of(seen: Seen, name: str) -> float | None:
    found = [one["output"] for one in seen.runs if name_of(one) == name and one.get("status") == "succeeded"]
    return round(float(found[0]), 3) if found else None


def steps(seen: Seen) -> list[Document]:
    ran = {name_of(one): one for one in seen.runs}
    return [step(name, ran) for name in seen.steps]


def step(name: str, ran: Mapping[str, Document]) -> Document:
    waited, run = ran.get(f"{name}-waits"), ran.get(name)
    if run is None:
        if waited is not None and waited.get("status") == "failed":
            return {"name": name, "phase": StepPhase.NEVER.value, "at": stamp(waited), "why": why(waited)}
        return {"name": name, "phase": StepPhase.WAITING.value}
    if run.get("status") == "succeeded":
        return {"name": name, "phase": StepPhase.DONE.value, "at": stamp(run), "met": met(run)}
    return {"name": name, "phase": StepPhase.FAILED.value, "at": stamp(run), "why": why(run)}


def stamp(run: Document) -> str:
    return str(run["end"])


def met(run: Document) -> str:
    output = run["output"]
    return str(output["met"] if isinstance(output, Mapping) and "met" in output else output)[:LINE_MAX]


def before_of(seen: Seen) -> Document | None:
    found: Document | None = ((seen.journal or {}).get("steady_states") or {}).get("before")
    return found


def unmet(state: Document) -> str:
    for probe in state["probes"]:
        if probe["status"] == "failed" or not probe.get("tolerance_met", True):
            return f"{name_of(probe)}: {why(probe) if probe['status'] == 'failed' else probe['output']}"
    return "the steady state was not met"


def name_of(run: Document) -> str:
    return str(run["activity"]["name"])


def module_of(run: Document) -> str:
    return str(run["activity"].get("provider", {}).get("module", ""))


def raised(run: Document) -> str:
    lines: Iterable[str] = run.get("exception") or ()
    return "".join(lines)


def why(run: Document | None) -> str:
    """The words of the exception, without its names: those are for who looks for a bug."""
    words = raised(run or {}).rpartition("ActivityFailed: ")[2]
    return " ".join(CLASS.sub("", words.strip()).split())[:LINE_MAX] or "it was not over when the experiment ended"
