"""The lifecycles that come with Levee.

Why: they are part of the program as much as its code is, so they are found beside it and checked whenever they are loaded.
Called by: `serve`, `levee lifecycle`.
"""

import pkgutil
from functools import cache

from levee.lifecycle.load import load
from levee.lifecycle.machine import Machine
from levee.topology.wording import describe

NAMES = ("job", "bounded")


def text_of(name: str) -> str:
    data = pkgutil.get_data(__package__, f"{name}.yaml")
    assert data is not None
    return data.decode()


@cache
def machine(name: str) -> Machine:
    read = load(text_of(name))
    assert read.machine is not None, describe(f"lifecycle {name}", read.complaints)
    return read.machine
