"""What a Prometheus knows, held against a bound.

Called by: probes.
"""

import json
import operator
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import urllib3

from levee.topology.complaint import Complaint
from levee.worlds.prometheus.asking import Address, Prometheus, refusal
from levee.worlds.prometheus.reading import Unreadable
from levee_chaos.refusals import UNKNOWN, Refused

BOUND = re.compile(r"\s*(<=|>=|==|!=|<|>)\s*(-?\d+(?:\.\d+)?(?:e-?\d+)?)\s*")
COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


def holds(address: str, query: str, bound: str) -> bool:
    wanted = BOUND.fullmatch(bound)
    if wanted is None:
        raise Refused(UNKNOWN, [Complaint("holds", f"'{bound}' is no comparison", "write < 0.5, or >= 3")])
    found = values(address, query)
    return all(COMPARE[wanted[1]](value, float(wanted[2])) for value in found)


def values(address: str, query: str) -> list[float]:
    """Of each series; a NaN compares with nothing."""
    try:
        status, _, body = Prometheus(Address(address), window_s=0).answer({"query": query})
        if status != HTTPStatus.OK:
            raise Unreadable(refusal(status, body))
        found = samples(json.loads(body)["data"])
    except (urllib3.exceptions.HTTPError, OSError, ValueError, KeyError, TypeError, Unreadable) as wrong:
        fix = "see that its address is reached from here, and that the query is what Prometheus understands"
        raise Refused(UNKNOWN, [Complaint(f"Prometheus at {address}", str(wrong)[:300], fix)]) from None
    if not found:
        raise Refused(UNKNOWN, [Complaint("query", f"finds nothing: {query}", "ask for a series that is there, or add `or vector(0)`")])
    return found


def samples(data: Mapping[str, Any]) -> list[float]:
    """Of an instant query: a scalar, or one sample for each series."""
    if data["resultType"] == "scalar":
        return [float(data["result"][1])]
    return [float(one["value"][1]) for one in data["result"]]
