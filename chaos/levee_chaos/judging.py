"""What has become of an experiment, beyond what Chaos Toolkit makes of it.

Called by: controls.
"""

from typing import Any

Document = dict[str, Any]
OURS = "levee_chaos.refusals."  # before the name of each of them


def judge(state: Document) -> None:
    """What Chaos Toolkit calls completed: an experiment that was never done, and one whose probes or rollbacks have failed."""
    before = state["steady_states"]["before"]
    never = before is not None and not before["steady_state_met"]
    probes = [run for run in state["run"] if has_failed(run) and run["activity"]["type"] == "probe"]
    state["deviated"] = state["deviated"] or bool(probes)
    if state["status"] == "completed" and (never or probes or any(map(has_failed, state["rollbacks"]))):
        state["status"] = "failed"


def has_failed(run: Document) -> bool:
    ours = str(run["activity"].get("provider", {}).get("module", "")).startswith("levee_chaos.")
    return ours and run["status"] == "failed"


def error_of(state: Document) -> str:
    """For people: of ours, which say what to do, without the way that they came."""
    told = "".join(state.get("exception") or ()).strip()
    _, ours, text = told.rpartition(OURS)
    return text.partition(": ")[2] if ours else told
