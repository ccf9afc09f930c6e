"""Numbers and texts as a picture holds them: JSON knows no NaN, and nobody reads a page of traceback in a box.

Called by: the parts of a picture.
"""

import math

TEXT_MAX = 4_000


def short(value: float | None) -> float | None:
    """To a tenth."""
    return round(value, 1) if value is not None and math.isfinite(value) else None


def share(value: float | None) -> float | None:
    """Never more than there is."""
    return math.floor(value * 10_000 + 1e-6) / 10_000 if value is not None and math.isfinite(value) else None


def text(value: object) -> str:
    found = str(value)
    return found if len(found) <= TEXT_MAX else f"{found[:TEXT_MAX]} …"
