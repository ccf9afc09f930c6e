"""What actions and probes there are, for who may not import them: Levee's own validator, which checks experiments before they run.

Why: nothing that runs topologies knows of what breaks them; so their names and arguments are written down in a file beside the validator.
Called by: `make crds` (python -m levee_chaos.catalog FILE), and a test that keeps the file current.
"""

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from levee_chaos import actions, probes

PLACE = {"topology", "directory", "namespace"}  # which topology: an experiment says it once
TYPES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def text() -> str:
    return json.dumps({"actions": functions(actions), "probes": functions(probes)}, indent=1) + "\n"


def functions(module: ModuleType) -> dict[str, Any]:
    return {name: described(getattr(module, name)) for name in module.__all__}


def described(function: Callable[..., Any]) -> dict[str, Any]:
    taken = [one for name, one in inspect.signature(function).parameters.items() if name not in PLACE]
    arguments = {one.name: {"type": TYPES[one.annotation], "required": one.default is inspect.Parameter.empty} for one in taken}
    return {"does": str(inspect.getdoc(function)).partition("\n")[0], "arguments": arguments}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text())
