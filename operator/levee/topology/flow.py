"""Values as they stand in a line of YAML, or of JSON.

Why: what is put into a user's text must be read as what it is, and look as a person would have written it.
Called by: rewriting; plans.measured_words, for what is printed to be pasted.
"""

import json
import re
from typing import Any

from levee.topology.scalars import plain
from levee.topology.units import DURATION_PATTERN
from levee.topology.wording import number

WORD = re.compile(rf"[A-Za-z_][A-Za-z0-9_.-]*|{DURATION_PATTERN[1:-1]}")


def flow(value: Any, *, quoted: bool = False) -> str:
    """As it stands in a line."""
    match value:
        case str():
            return json.dumps(value) if quoted or not is_plain(value) else value
        case list():
            return f"[{', '.join(flow(one, quoted=quoted) for one in value)}]"
        case dict():
            pairs = (f"{flow(key, quoted=quoted)}: {flow(one, quoted=quoted)}" for key, one in value.items())
            return f"{{{', '.join(pairs)}}}"
        case float():
            return number(value)
        case _:
            return str(value)


def is_plain(text: str) -> bool:
    """Whether it is read as the text that it is, without quotes."""
    return WORD.fullmatch(text) is not None and isinstance(plain(text), str)
