"""An answer of Prometheus, read strictly: the rate that each source task is offered, or why it is not known.

Why: whatever is missing, old, begun anew or no number must never pass for a rate, least of all for zero. What is not as the protocol says
makes the whole answer unreadable: nobody knows then what else is wrong with it.
Called by: asking.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from levee.topology.names import TaskId
from levee.worlds.prometheus.question import PART, Part

Labels: TypeAlias = frozenset[tuple[str, str]]
Key: TypeAlias = tuple[str, TaskId]  # topology and task

NUMBER = re.compile(r"NaN|[+-]?(Inf|[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)")
FRESH_SHARE = 0.5  # of the window: when half of it has no scrape, the rate is that of another time
SHOWN = 200  # characters of somebody else's words


class Unreadable(Exception):
    """Why nothing of it can be used."""


@dataclass(frozen=True, slots=True)
class Reading:
    at_s: float  # by Prometheus' own clock
    rates: Mapping[Key, float] = field(default_factory=dict)
    wrong: Mapping[Key, str] = field(default_factory=dict)  # of tasks without a rate


def read(body: bytes, window_s: int) -> Reading:
    at_s, series = parsed(body)
    rates: dict[Key, float] = {}
    wrong: dict[Key, str] = {}
    for labels, parts in series.items():
        named = dict(labels)
        key = named.get("topology", ""), TaskId(named.get("task", ""))
        found = rate(parts, at_s, window_s)
        if isinstance(found, float):
            rates[key] = max(found, rates.get(key, 0.0))
        elif (Part.RATE in parts or Part.SEEN in parts) and (key not in wrong or parts.get(Part.LED) == 1):  # else it is gone, or no source
            wrong[key] = f"{named.get('replica', 'a replica')} {found}"
    return Reading(at_s, rates, {key: why for key, why in wrong.items() if key not in rates})


def rate(parts: Mapping[Part, float], at_s: float, window_s: int) -> float | str:
    """Or why there is none."""
    found = parts.get(Part.RATE)
    if Part.SEEN not in parts or not at_s - parts[Part.SEEN] <= FRESH_SHARE * window_s:
        return "was not scraped lately"
    if parts.get(Part.LED) != 1:
        return f"did not lead for all of {window_s} s"
    if found is None or Part.BEGAN not in parts:
        return f"has not been scraped for {window_s} s yet"
    if parts.get(Part.RESETS) != 0:
        return f"has begun anew within {window_s} s"
    return found if math.isfinite(found) and found >= 0 else f"has the rate {found}"


# ---- the protocol


def parsed(body: bytes) -> tuple[float, Mapping[Labels, Mapping[Part, float]]]:
    """When it was worked out, and of each series its parts."""
    found: dict[Labels, dict[Part, float]] = {}
    times: set[float] = set()
    for labels, part, at_s, value in samples(vector(body)):
        parts = found.setdefault(labels, {})
        if part in parts:
            raise Unreadable(f"it names {dict(sorted(labels))} twice")
        parts[part] = value
        times.add(at_s)
    if len(times) > 1:
        raise Unreadable("its parts are of different times")
    return next(iter(times), math.nan), found


def vector(body: bytes) -> list[Any]:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        raise Unreadable(f"it is no JSON: {body[:40]!r}") from None
    if not isinstance(told, dict) or told.get("status") != "success":
        raise Unreadable(words(told) or "it does not say that it succeeded")
    if told.get("warnings"):  # as Thanos says that some of its stores are silent
        raise Unreadable(f"it warns: {str(told['warnings'])[:SHOWN]}")
    data = told.get("data")
    result = data.get("result") if isinstance(data, dict) and data.get("resultType") == "vector" else None
    if not isinstance(result, list):
        raise Unreadable("it has no vector")
    return result


def words(told: Any) -> str:
    """Of an error, as Prometheus tells it."""
    if not isinstance(told, dict) or told.get("status") != "error":
        return ""
    return f"{told.get('errorType', 'error')}: {told.get('error', '')}"[:SHOWN]


def error_in(body: bytes) -> str:
    """Of an answer that is none; empty where it does not say it as Prometheus does."""
    try:
        return words(json.loads(body))
    except (ValueError, RecursionError):
        return ""


def samples(result: list[Any]) -> Iterator[tuple[Labels, Part, float, float]]:
    for one in result:
        match one:
            case {"metric": dict(metric), "value": [int() | float() as at_s, str(text)]} if is_sound(metric, at_s, text):
                labels = frozenset((name, told) for name, told in metric.items() if name not in {PART, "__name__"})
                yield labels, Part(metric[PART]), float(at_s), float(text)
            case _:
                raise Unreadable(f"it has a sample that is none: {str(one)[:SHOWN]}")


def is_sound(metric: Mapping[Any, Any], at_s: float, text: str) -> bool:
    plain = all(isinstance(told, str) for told in metric.values())
    return plain and metric.get(PART) in set(Part) and is_time(at_s) and NUMBER.fullmatch(text) is not None


def is_time(at_s: float) -> bool:
    """Within ten thousand years of the first."""
    return not isinstance(at_s, bool) and 0 <= at_s <= 1e12
