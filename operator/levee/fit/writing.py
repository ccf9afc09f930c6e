"""Documents as they are written: FIT documents, and lifecycles that were augmented.

Why: what is generated is read by people and by any other engine, so it is text like what people write.
Called by: `levee fit generate`, `levee fit augment`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from levee.fit.library import LIBRARY
from levee.fit.values import Fit
from levee.lifecycle.machine import Event, Machine, Method, State, Transition
from levee.lifecycle.names import AfterCrash, Speaker

WIDTH = 140


def fit_text(fit: Fit) -> str:
    return dumped(filled(fit_fields(fit)))


def fit_fields(fit: Fit) -> dict[str, Any]:
    moment, target = fit.moment, fit.target
    offer = LIBRARY[fit.fault]
    return {
        "fit": fit.name,
        "about": fit.about,
        "lifecycle": fit.lifecycle,
        "state": moment.state,
        "transition": moment.transition,
        moment.side.value: moment.method,
        "occurrence": None if moment.occurrence == 1 else moment.occurrence,
        "timer": filled({"min": seconds(fit.timer.ms_min), "max": seconds(fit.timer.ms_max)}) if fit.timer.ms_max else None,
        "target": filled({"topology": target.topology, **target.said()}),
        "fault": fit.fault,
        "options": {"for": seconds(fit.for_ms)} if fit.for_ms != offer.for_ms else None,
    }


def lifecycle_text(machine: Machine) -> str:
    """It reads as the same machine."""
    budget = machine.budget
    whole = {
        "lifecycle": machine.name,
        "about": machine.about,
        "initial": machine.initial,
        "budget": {
            "attempts": budget.attempts,
            "backoff": seconds(budget.backoff_ms),
            "backoffMax": seconds(budget.backoff_ms_max),
            "waitMax": seconds(budget.wait_ms_max),
            "jitter": budget.jitter,
        },
        "states": {name: state_fields(one) for name, one in machine.states.items()},
        "transitions": [transition_fields(one) for one in machine.transitions],
        "methods": {name: method_fields(one) for name, one in machine.methods.items()},
        "events": dict(event_fields(machine.events)),
    }
    return dumped(whole)


def state_fields(state: State) -> dict[str, Any]:
    return filled(
        {
            "kind": state.kind.value,
            "persist": state.persist,
            "about": state.about,
            "afterCrash": None if state.after_crash is AfterCrash.NOTHING else state.after_crash.value,
            "leaves": state.leaves,
            "recovery": state.recovery,
            "timeout": None if state.timeout_ms is None else seconds(state.timeout_ms),
            "stable": None if state.stable_ms is None else seconds(state.stable_ms),
            "failsOn": list(state.fails_on),
            "annotations": dict(state.annotations),
        }
    )


def transition_fields(one: Transition) -> dict[str, Any]:
    """`counts` only where it does."""
    return filled({"from": one.origin, "when": one.when, "to": one.to, "do": list(one.do), "ending": one.ending, "counts": one.counts})


def method_fields(one: Method) -> dict[str, Any]:
    silent = one.silent and bool(one.says)
    return filled({"effect": one.effect.value, "undo": list(one.undo), "says": list(one.says), "silent": silent, "about": one.about})


def event_fields(events: Mapping[Any, Event]) -> Iterator[tuple[str, dict[str, str]]]:
    """The engine knows its own."""
    return ((name, {"by": one.by.value, "about": one.about}) for name, one in events.items() if one.by is not Speaker.ENGINE)


def filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without what says nothing."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {}, False)}


def seconds(ms: int) -> str:
    return f"{ms}ms" if ms % 1000 else f"{ms // 1000}s"


def dumped(value: Any) -> str:
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False)
    return text
