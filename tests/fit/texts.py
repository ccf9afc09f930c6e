"""FIT documents as people write them.

Called by: the tests of fit.
"""

from levee.fit.load import load
from levee.fit.values import Fit

DIES = """
fit: dies-before-the-clock-is-set
state: dispatching
transition: all_ready
before: set_the_clock
fault: crash_operator
"""


def fit(text: str = DIES, **changes: str) -> Fit:
    """The one document of a text, with lines exchanged or added."""
    (found,) = load(changed(text, **changes)).fits
    return found


def changed(text: str = DIES, **changes: str) -> str:
    """Lines by their key; an empty one is left out."""
    lines = dict(line.split(": ", 1) for line in text.strip().splitlines()) | changes
    return "".join(f"{key}: {value}\n" for key, value in lines.items() if value)
