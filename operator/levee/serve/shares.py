"""The account as the status of the resource has it: shares only, and anew only when they have become others.

Why: its sums change with every look, and a status that were written as often would wake everybody who watches it.
Called by: status.
"""

import math
from collections.abc import Mapping
from typing import Any

from levee.control.account import Statement

LEAST = {"achieved": 0.002, "cost": 0.02}  # what moves less is no news


def told(account: Statement) -> dict[str, Any]:
    """Never more achieved than there is."""
    achieved = None if account.achieved is None else math.floor(account.achieved * 10_000) / 10_000
    kept = {"window": account.window_s, "inputKept": account.input_kept}
    return kept | {"promised": rounded(account.promised), "achieved": achieved, "cost": rounded(account.cost)}


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def steadied(before: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> dict[str, Any]:
    """What an operator that has just come does not know yet stays as it was told."""
    if now is None:
        return {}
    if before is None:
        return {"account": dict(now)}
    known = {name: before.get(name) if value is None else value for name, value in now.items()}
    if is_news(before, known):
        return {"account": known}
    return {"account": dict(before)}


def is_news(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    if any(before.get(name) != value for name, value in now.items() if name not in LEAST):
        return True
    moved = any(differs(before.get(name), now.get(name), least) for name, least in LEAST.items())
    return moved or keeps(before) is not keeps(now)


def differs(one: float | None, other: float | None, least: float) -> bool:
    return other is not None and (one is None or abs(one - other) >= least)


def keeps(account: Mapping[str, Any]) -> bool | None:
    """What was promised."""
    achieved, promised = account.get("achieved"), account.get("promised")
    return None if achieved is None or promised is None else achieved >= promised
