"""Find the user's function.

Why: `module:function` on the path or beside the topology's file.
Called by: tasks, when a replica starts and when its function changes; `levee check`.
"""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from levee_spark.lane.query import Function


class NoFunction(Exception):
    """There is none by this name; the text says why and what to do."""


def put_beside(folder: Path) -> None:
    """A file beside the topology wins over an installed module of the same name; also in Spark's Python processes, if they are still
    to be started."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


def found(name: str, beside: Path) -> Function:
    """What cannot be found fails when it is called, like any function that fails: its task says why, and another may take over."""
    try:
        return load(name, beside)
    except NoFunction as missing:
        return failing(missing)


def failing(missing: NoFunction) -> Function:
    def raises(_inputs: dict[str, DataFrame]) -> DataFrame:
        raise missing

    return raises


def load(name: str, beside: Path) -> Function:
    """`beside` is where the topology's file is."""
    module, _, attribute = name.partition(":")
    put_beside(beside)
    try:
        found: Any = getattr(importlib.import_module(module.removesuffix(".py")), attribute)
    except AttributeError as error:
        raise NoFunction(f"function '{name}': module '{module}' has no '{attribute}'. Fix: mend the name after the colon.") from error
    except Exception as error:  # whatever a user's module raises when it is imported
        raise NoFunction(
            f"function '{name}': importing '{module}' raised {type(error).__name__}: {error}. "
            f"Fix: put the module beside the topology's file or into the workers' environment."
        ) from error
    if not callable(found):
        raise NoFunction(f"function '{name}' is {type(found).__name__}, no function. Fix: name a function of one argument, the inputs.")
    function: Function = found
    return function
