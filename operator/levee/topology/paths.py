"""Where something stands in a document: spec.operators[2].inputs[0].cost.

Why: complaints, and the booleans as written, are looked up by one form of path.
Called by: topology.yaml_tree, topology.shape, topology.repair.
"""

import re

Path = tuple[str | int, ...]

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def shown_path(path: Path) -> str:
    """As users read it; keys that are not words stand in brackets."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _WORD.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step[:60]!r}]"
    return text
