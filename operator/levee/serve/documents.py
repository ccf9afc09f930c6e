"""By which lifecycle a topology lives: whether its sources come to an end is seen from its resource.

Why: who ends may not be edited into something else half-way, and who runs for ever never completes; each has a document of its own.
Called by: life, before a topology's life begins.
"""

from collections.abc import Mapping
from typing import Any

from levee.lifecycle.documents import machine
from levee.lifecycle.machine import Machine

JOB, BOUNDED = "job", "bounded"


def document(resource: Mapping[str, Any], state: str | None) -> Machine:
    """Who is in a state that only the other document has goes on by that."""
    first, second = (BOUNDED, JOB) if ends(resource["spec"]) else (JOB, BOUNDED)
    return machine(second if state is not None and state not in machine(first).states else first)


def ends(spec: Mapping[str, Any]) -> bool:
    sources = spec.get("sources") or ()
    return bool(sources) and all(map(comes_to_an_end, sources))


def comes_to_an_end(source: Mapping[str, Any]) -> bool:
    """What is replayed after so many epochs, files with the last one there is; of another topology's streams nobody knows."""
    told = source.get("spark") or {}
    options = told.get("options") or {}
    return "epochs" in options if told.get("format") == "replay" else str(options.get("bounded", "")).lower() == "true"
